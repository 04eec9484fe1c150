//! [`Snapshots`]: copies of the fleet at moments of its run, so that going back repeats only what came since one of them.
//!
//! A position in the run is measured by its cost, in events. When there are too many copies, the one whose removal
//! leaves the smallest gap is dropped. Such a gap is never longer than twice the average one, so a run of any length
//! has the same number of copies, evenly spread, and going to a moment costs at most about two average gaps. Copies are
//! taken rarely enough that they cost little compared with the events themselves.

use crate::protocol::Moment;

/// How many copies there are.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// The maximum number of copies.
    pub(super) n_kept: usize,
    /// The maximum memory of all copies, as far as it can be estimated. Units: bytes.
    pub(super) weight: usize,
    /// The shortest distance between two copies. Units: events.
    pub(super) gap: u64,
    /// How much is copied per event at most. Units: bytes.
    pub(super) copied: usize,
}

const BOUNDS: Bounds = Bounds { n_kept: 128, weight: 64 << 20, gap: 32, copied: 1 << 10 };

/// The copies of one run, in its order.
pub(super) struct Snapshots<T> {
    bounds: Bounds,
    all: Vec<Snapshot<T>>,
    /// Of all copies. Units: bytes.
    weight: usize,
    /// The cost of the whole run so far.
    end: u64,
    /// Where the last copy was taken, and its weight, whether it was kept or not.
    last: (u64, usize),
}

/// A moment of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RunPosition {
    /// The number of events and actions up to it.
    pub(super) step: u64,
    /// What they cost.
    pub(super) cost: u64,
    /// How many of them are actions.
    pub(super) n_actions: usize,
    /// Its time.
    pub(super) now: Moment,
    /// The size of its log, which copies share, and of all lines ever logged. Units: bytes.
    pub(super) log: (usize, u64),
}

struct Snapshot<T> {
    at: RunPosition,
    weight: usize,
    copy: T,
}

impl<T> Default for Snapshots<T> {
    fn default() -> Snapshots<T> {
        Snapshots::within(BOUNDS)
    }
}

impl<T> Snapshots<T> {
    pub(super) fn within(bounds: Bounds) -> Snapshots<T> {
        Snapshots { bounds, all: Vec::new(), weight: 0, end: 0, last: (0, 0) }
    }

    /// None so far.
    pub(super) fn clear(&mut self) {
        *self = Snapshots::within(self.bounds);
    }

    /// Whether a copy is to be taken at this place, which was just reached.
    pub(super) fn is_due(&mut self, cost: u64) -> bool {
        self.end = self.end.max(cost);
        let next = self.all.partition_point(|snapshot| snapshot.at.cost <= cost);
        let before = next.checked_sub(1).map_or(0, |before| self.all[before].at.cost);
        let before = if self.last.0 <= cost { before.max(self.last.0) } else { before };
        let gap = self.gap();
        cost - before >= gap && self.all.get(next).is_none_or(|next| next.at.cost - cost >= gap)
    }

    /// The shortest distance of the next copy from others.
    fn gap(&self) -> u64 {
        self.bounds.gap.max((self.last.1 / self.bounds.copied) as u64).max(self.end / self.room() as u64)
    }

    /// How many copies of the present average weight there is room for.
    fn room(&self) -> usize {
        let average = self.weight / self.all.len().max(1);
        (self.bounds.weight / average.max(1)).clamp(1, self.bounds.n_kept)
    }

    /// Keeps a copy of a place that has none, unless it is too heavy.
    pub(super) fn keep(&mut self, at: RunPosition, weight: usize, copy: impl FnOnce() -> T) {
        self.last = (at.cost, weight);
        if weight > self.bounds.weight {
            return;
        }
        let place = self.all.partition_point(|snapshot| snapshot.at.step < at.step);
        self.all.insert(place, Snapshot { at, weight, copy: copy() });
        self.weigh();
        while self.all.len() > self.bounds.n_kept || self.weight > self.bounds.weight {
            let Some(least) = (0..self.all.len()).min_by_key(|at| self.gap_without(*at)) else { return };
            self.all.remove(least);
            self.weigh();
        }
    }

    /// Sums up the copies. Of its log, each has what the one before it does not have.
    fn weigh(&mut self) {
        let mut before = 0;
        let weights = self.all.iter().map(|snapshot| {
            let (size, logged) = snapshot.at.log;
            let own = (logged - before).min(size as u64) as usize;
            before = logged;
            snapshot.weight + own
        });
        self.weight = weights.sum();
    }

    /// The gap that a copy would leave; the last one always stays.
    fn gap_without(&self, at: usize) -> u64 {
        let before = at.checked_sub(1).map_or(0, |before| self.all[before].at.cost);
        self.all.get(at + 1).map_or(u64::MAX, |next| next.at.cost - before)
    }

    /// The last copy up to a step.
    pub(super) fn last_up_to(&self, step: u64) -> Option<(RunPosition, &T)> {
        let next = self.all.partition_point(|snapshot| snapshot.at.step <= step);
        next.checked_sub(1).map(|last| (self.all[last].at, &self.all[last].copy))
    }

    /// The run changes after a place: later copies are invalid, see `is_valid`.
    pub(super) fn retain(&mut self, is_valid: impl Fn(RunPosition) -> bool) {
        let first_void = self.all.iter().position(|snapshot| !is_valid(snapshot.at)).unwrap_or(self.all.len());
        self.all.truncate(first_void);
        self.weigh();
        self.end = self.all.last().map_or(0, |snapshot| snapshot.at.cost);
        self.last.0 = self.last.0.min(self.end);
    }

    /// The number of copies.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Of all copies. Units: bytes.
    pub(super) fn weight(&self) -> usize {
        self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SMALL: Bounds = Bounds { n_kept: 16, weight: 4_000, gap: 4, copied: 10 };

    /// A run: what each of its events costs, with the copies of the events that were due.
    struct Run {
        snapshots: Snapshots<u64>,
        costs: Vec<u64>,
        n_copied: usize,
    }

    impl Run {
        fn new(costs: Vec<u64>) -> Run {
            Run { snapshots: Snapshots::within(SMALL), costs, n_copied: 0 }
        }

        fn cost(&self, step: usize) -> u64 {
            self.costs[..step].iter().sum()
        }

        /// The events after a step up to another one.
        fn go(&mut self, from: usize, to: usize, weight: usize) {
            let mut cost = self.cost(from);
            for step in from + 1..=to {
                cost += self.costs[step - 1];
                if self.snapshots.is_due(cost) {
                    let at = RunPosition {
                        step: step as u64,
                        cost,
                        n_actions: 0,
                        now: Moment(cost),
                        log: (300, 50 * step as u64),
                    };
                    self.n_copied += 1;
                    self.snapshots.keep(at, weight, || step as u64);
                }
            }
        }

        /// The longest way to a place from the copy before it.
        fn longest(&self) -> u64 {
            let places = self.snapshots.all.iter().map(|snapshot| snapshot.at.cost);
            let ends: Vec<u64> = std::iter::once(0).chain(places).chain([self.snapshots.end]).collect();
            ends.windows(2).map(|two| two[1] - two[0]).max().unwrap_or(0)
        }
    }

    proptest! {
        #[test]
        fn the_copies_of_a_run_of_any_length_are_few_and_evenly_spread(
            costs in proptest::collection::vec(1u64..9, 1..4_000),
            weight in 1usize..200,
            back in proptest::collection::vec((0usize..4_000, 0usize..4_000), 0..6),
        ) {
            let n = costs.len();
            let mut run = Run::new(costs);
            run.go(0, n, weight);
            for (from, to) in back {
                // To a moment, and on from there.
                let last = run.snapshots.last_up_to((from % (n + 1)) as u64).map_or(0, |(at, _)| at.step as usize);
                run.go(last, (from % (n + 1)).max(to % (n + 1)).max(last), weight);
            }
            let Snapshots { all, bounds, end, .. } = &run.snapshots;
            prop_assert!(all.len() <= bounds.n_kept);
            prop_assert!(run.snapshots.weight <= bounds.weight);
            prop_assert!(all.is_sorted_by(|one, two| one.at.cost < two.at.cost && one.at.step < two.at.step));
            prop_assert!(all.iter().all(|one| one.copy == one.at.step && run.cost(one.copy as usize) == one.at.cost));
            // As many as there is room for, or as the shortest distance allows.
            let n_room = bounds.n_kept.min(bounds.weight / (weight + 300)) as u64;
            let gap = bounds.gap.max((weight / bounds.copied) as u64).max(end / n_room);
            let most = 2 * (gap + 9).max(2 * end / n_room.saturating_sub(2).max(1));
            prop_assert!(run.longest() <= most, "{} of {end}, at most {most}", run.longest());
        }
    }

    #[test]
    fn a_copy_that_is_too_heavy_is_seldom_tried_and_never_kept() {
        let mut run = Run::new(vec![1; 10_000]);
        run.go(0, 10_000, SMALL.weight + 1);
        assert_eq!((run.snapshots.len(), run.snapshots.last_up_to(10_000)), (0, None));
        // The first one is tried as one of unknown weight.
        assert!(run.n_copied <= 1 + 10_000 / (SMALL.weight / SMALL.copied), "{}", run.n_copied);
    }

    #[test]
    fn copies_of_another_course_are_void() {
        let mut run = Run::new(vec![1; 100]);
        run.go(0, 100, 1);
        assert_eq!(run.snapshots.last_up_to(3), None);
        let (at, copy) = run.snapshots.last_up_to(50).expect("there is one");
        assert!(at.step <= 50 && at.step > 30 && *copy == at.step, "{at:?}");
        run.snapshots.retain(|at| at.step <= 50);
        assert!(run.snapshots.last_up_to(100).expect("an earlier one").0.step <= 50);
        let n_copied = run.n_copied;
        run.go(50, 100, 1);
        assert!(run.n_copied > n_copied && run.snapshots.last_up_to(100).expect("a new one").0.step > 80);
    }
}
