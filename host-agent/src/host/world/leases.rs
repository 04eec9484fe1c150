//! [`Leases`]: the leases of this host by their time, and how long each is certain to live. The store removes what
//! belongs to a lease that was not renewed within its time; this host stops relying on it a second earlier, by a clock
//! that also counts while the machine sleeps ([`Term`]).

use std::collections::BTreeMap;
use std::time::Duration;

/// A moment of the clock since the machine started.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Tick(pub(super) Duration);

#[derive(Default)]
pub(super) struct Leases {
    /// By time to live, in seconds.
    held: BTreeMap<u64, Lease>,
}

struct Lease {
    number: i64,
    term: Term,
}

/// For how long a statement of the store is relied on.
pub(super) struct Term {
    /// Units: seconds.
    ttl: u64,
    /// When the last request that was answered was sent.
    asked: Tick,
    is_doubted: bool,
    /// It has begun, and what depends on it was not reported.
    is_new: bool,
}

impl Tick {
    pub(super) fn now() -> Tick {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Tick(Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0)))
    }
}

impl Leases {
    /// The number of the lease with this time.
    pub(super) fn number(&self, ttl: u64) -> Option<i64> {
        self.held.get(&ttl).map(|lease| lease.number)
    }

    /// All leases: their times and numbers.
    pub(super) fn all(&self) -> Vec<(u64, i64)> {
        self.held.iter().map(|(ttl, lease)| (*ttl, lease.number)).collect()
    }

    /// A new lease, asked for at this moment.
    pub(super) fn granted(&mut self, ttl: u64, number: i64, asked: Tick) {
        self.held.insert(ttl, Lease { number, term: Term::new(ttl, asked) });
    }

    /// Its renewal was sent at one moment, and answered at another one. `true`: it was not sure until now.
    pub(super) fn renewed(&mut self, ttl: u64, sent: Tick, now: Tick) -> bool {
        self.held.get_mut(&ttl).is_some_and(|lease| lease.term.renew(sent, now))
    }

    /// The store does not know it any more.
    pub(super) fn lost(&mut self, ttl: u64) {
        self.held.remove(&ttl);
    }

    /// Whether the store certainly still has it.
    pub(super) fn is_sure(&self, ttl: u64, now: Tick) -> bool {
        self.held.get(&ttl).is_some_and(|lease| lease.term.is_sure(now))
    }

    /// The leases that are new or have become doubtful, and how long the next one is sure.
    pub(super) fn doubt(&mut self, now: Tick) -> (Vec<u64>, Option<Duration>) {
        doubt(self.held.iter_mut().map(|(ttl, lease)| (*ttl, &mut lease.term)), now)
    }

    /// How often to renew.
    pub(super) fn pace(&self) -> Option<Duration> {
        self.held.keys().next().map(|ttl| Duration::from_secs(*ttl) / 3)
    }
}

impl Term {
    /// It begins with an answer to what was asked at this moment.
    pub(super) fn new(ttl: u64, asked: Tick) -> Term {
        Term { ttl, asked, is_doubted: false, is_new: true }
    }

    /// Another answer. `true`: it was not sure until now, whether that was reported or not.
    pub(super) fn renew(&mut self, asked: Tick, now: Tick) -> bool {
        let was_sure = self.is_sure(now);
        self.asked = self.asked.max(asked);
        self.is_doubted = false;
        !was_sure
    }

    pub(super) fn is_sure(&self, now: Tick) -> bool {
        now.0 < self.end()
    }

    /// The time to live that it was begun with, in seconds.
    pub(super) fn ttl(&self) -> u64 {
        self.ttl
    }

    fn end(&self) -> Duration {
        self.asked.0 + Duration::from_secs(self.ttl.saturating_sub(1))
    }
}

/// The names of the terms that are new or have become doubtful, and how long the next one is sure.
pub(super) fn doubt<'a, K>(terms: impl Iterator<Item = (K, &'a mut Term)>, now: Tick) -> (Vec<K>, Option<Duration>) {
    let (mut other, mut next) = (Vec::new(), None::<Duration>);
    for (name, term) in terms.filter(|(_, term)| !term.is_doubted) {
        match term.end().checked_sub(now.0).filter(|left| !left.is_zero()) {
            Some(left) => next = Some(next.map_or(left, |next| next.min(left))),
            None => term.is_doubted = true,
        }
        if std::mem::take(&mut term.is_new) || term.is_doubted {
            other.push(name);
        }
    }
    (other, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Tick {
        Tick(Duration::from_secs(seconds))
    }

    #[test]
    fn a_lease_is_sure_for_a_second_less_than_its_time() {
        let mut leases = Leases::default();
        leases.granted(10, 7, at(100));
        assert!(leases.is_sure(10, at(108)) && !leases.is_sure(10, at(109)) && !leases.is_sure(5, at(100)));
        // What depends on it may differ: an earlier one was given up.
        assert_eq!(leases.doubt(at(105)), (vec![10], Some(Duration::from_secs(4))));
        assert_eq!(leases.doubt(at(105)), (Vec::new(), Some(Duration::from_secs(4))));
        assert_eq!(leases.doubt(at(109)), (vec![10], None));
        assert_eq!(leases.doubt(at(110)), (Vec::new(), None));
        // A late answer to an earlier renewal does not shorten it.
        assert!(leases.renewed(10, at(111), at(112)) && !leases.renewed(10, at(106), at(112)));
        assert!(leases.is_sure(10, at(119)));
        // It ended while the answer was in transit, which has not been reported yet.
        assert!(leases.renewed(10, at(119), at(121)) && leases.is_sure(10, at(121)));
        leases.lost(10);
        assert!(!leases.is_sure(10, at(112)) && leases.number(10).is_none());
    }

    #[test]
    fn the_shortest_lease_sets_the_pace() {
        let mut leases = Leases::default();
        assert_eq!(leases.pace(), None);
        leases.granted(15, 1, at(0));
        leases.granted(6, 2, at(0));
        assert_eq!((leases.pace(), leases.all()), (Some(Duration::from_secs(2)), vec![(6, 2), (15, 1)]));
    }
}
