//! How much memory a copy of a brain takes, estimated from what can grow.

use super::Brain;
use crate::react::React;
use crate::sched::Scheduler;

/// What an empty brain has. Units: bytes.
const EMPTY: usize = 4 << 10;

impl Brain {
    /// An estimate of the memory used by a copy; values that copies share count as well, since they may change.
    /// Units: bytes.
    ///
    /// Cost: constant.
    pub fn weight(&self) -> usize {
        let react = self.react().map_or(0, React::weight);
        EMPTY + react + self.scheduler.as_ref().map_or(0, Scheduler::weight)
    }
}
