//! [`Order`]: which of several independent things of one moment comes first.

use crate::protocol::Moment;
use crate::subject::mix;
use std::num::NonZeroU64;

/// Which of several independent things of one moment comes first: the one that began first, or with a seed any of them.
///
/// On a real host, nothing sets the order of what several resources do at the same time, nor that of several hosts. The
/// brain takes its inputs in every order, so only the simulated hosts know of this.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Order {
    seed: Option<NonZeroU64>,
}

impl Order {
    /// The order of a seed, the same on every machine. 0: the default.
    pub fn of_seed(seed: u64) -> Order {
        Order { seed: NonZeroU64::new(seed) }
    }

    /// The order of one part, such as a host. It differs from those of other parts, unless it is the default.
    #[must_use]
    pub fn of_part(self, part: u64) -> Order {
        let of = |seed: NonZeroU64| NonZeroU64::new(mix(seed.get() ^ mix(part))).unwrap_or(seed);
        Order { seed: self.seed.map(of) }
    }

    /// The rank of something: of two things of one moment, the one with the lower rank comes first. Things of the same
    /// name have the same rank, and keep the order in which they began.
    pub(super) fn rank(self, at: Moment, name: impl Iterator<Item = u64>) -> u64 {
        let Some(seed) = self.seed else { return 0 };
        name.fold(mix(seed.get() ^ mix(at.0)), |rank, part| mix(rank ^ part))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten things in the order in which they come.
    fn sorted(order: Order, at: Moment) -> Vec<u64> {
        let mut things: Vec<u64> = (0..10).collect();
        things.sort_by_key(|thing| order.rank(at, [*thing].into_iter()));
        things
    }

    #[test]
    fn the_default_is_the_order_in_which_things_began() {
        let begun: Vec<u64> = (0..10).collect();
        assert_eq!(sorted(Order::default(), Moment(5)), begun);
        assert_eq!(sorted(Order::of_seed(0).of_part(3), Moment(5)), begun);
    }

    #[test]
    fn an_order_depends_on_its_seed_its_part_and_the_moment_only() {
        let order = Order::of_seed(7);
        let first = sorted(order, Moment(5));
        assert_eq!(sorted(Order::of_seed(7), Moment(5)), first);
        for other in [
            sorted(Order::default(), Moment(5)),
            sorted(Order::of_seed(8), Moment(5)),
            sorted(order, Moment(6)),
            sorted(order.of_part(0), Moment(5)),
            sorted(order.of_part(1), Moment(5)),
        ] {
            assert_ne!(other, first);
        }
        assert_ne!(sorted(order.of_part(0), Moment(5)), sorted(order.of_part(1), Moment(5)));
    }
}
