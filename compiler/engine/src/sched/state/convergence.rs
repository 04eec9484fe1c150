//! [`Convergence`]: since when everything has been up to date, with nothing running. Engine spec, 17.
//!
//! Each vertex has two trackers. The number of trackers that are off and the moment when the last one was switched on
//! are stored, so the test is cheap for any number of vertices.

use super::{Slot, Table};
use crate::protocol::Moment;

/// The two trackers of a vertex, on or off. Those of a removed vertex count as on.
#[derive(Clone, Copy, Default)]
struct Trackers {
    registered: bool,
    /// The watch is active.
    watches: bool,
    /// Nothing to do.
    settled: bool,
}

impl Trackers {
    fn n_off(self) -> usize {
        usize::from(!self.watches) + usize::from(!self.settled)
    }
}

#[derive(Clone)]
pub(crate) struct Convergence {
    trackers: Table<Trackers>,
    /// Seconds; negative: disabled.
    timeout: i64,
    n_registered: usize,
    /// Registered trackers that are off.
    n_off: usize,
    /// When a tracker last came on, was restarted, or left.
    last_on: Moment,
    /// Convergence is not before this moment plus the timeout.
    held_since: Moment,
    is_converged: bool,
}

impl Convergence {
    pub(crate) fn new(timeout: i64, now: Moment) -> Convergence {
        Convergence {
            trackers: Table::default(),
            timeout,
            n_registered: 0,
            n_off: 0,
            last_on: now,
            held_since: now,
            is_converged: false,
        }
    }

    pub(crate) fn set_timeout(&mut self, timeout: i64) {
        self.timeout = timeout;
    }

    pub(crate) fn timeout(&self) -> i64 {
        self.timeout
    }

    /// Adds the trackers of a new vertex, both off.
    pub(crate) fn register(&mut self, slot: Slot) {
        self.trackers.put(slot, Trackers { registered: true, ..Trackers::default() });
        self.n_registered += 1;
        self.n_off += 2;
    }

    /// Removes the trackers of a vertex.
    pub(crate) fn unregister(&mut self, slot: Slot, now: Moment) {
        let trackers = &mut self.trackers[slot];
        if !std::mem::replace(&mut trackers.registered, false) {
            return;
        }
        self.n_off -= trackers.n_off();
        self.n_registered -= 1;
        self.last_on = now;
        if self.n_registered == 0 {
            self.held_since = now;
        }
    }

    /// Whether all trackers are on except those of one vertex.
    pub(crate) fn only_it_is_unsettled(&self, slot: Slot) -> bool {
        let trackers = self.trackers[slot];
        trackers.registered && self.n_off == trackers.n_off()
    }

    pub(crate) fn is_settled(&self, slot: Slot) -> bool {
        self.trackers[slot].settled
    }

    pub(crate) fn set_watches(&mut self, slot: Slot, on: bool, now: Moment) {
        let before = std::mem::replace(&mut self.trackers[slot].watches, on);
        self.tracked(slot, before, on, now);
    }

    pub(crate) fn set_settled(&mut self, slot: Slot, on: bool, now: Moment) {
        let before = std::mem::replace(&mut self.trackers[slot].settled, on);
        self.tracked(slot, before, on, now);
    }

    fn tracked(&mut self, slot: Slot, before: bool, on: bool, now: Moment) {
        if !self.trackers[slot].registered || before == on {
            return;
        }
        if on {
            self.n_off -= 1;
            self.last_on = now;
        } else {
            self.n_off += 1;
        }
    }

    /// Restarts the wait, because something was not up to date.
    pub(crate) fn restart(&mut self, slot: Slot, now: Moment) {
        if self.trackers[slot].registered {
            self.last_on = now;
        }
    }

    /// Begins to wait for convergence: a graph is in use, or the program has ended without one.
    pub(crate) fn hold(&mut self, now: Moment) {
        if !self.is_converged {
            self.held_since = now;
        }
    }

    pub(crate) fn is_converged(&self) -> bool {
        self.is_converged
    }

    /// The earliest moment at which it could converge.
    pub(crate) fn due(&self) -> Option<Moment> {
        let wait = u64::try_from(self.timeout).ok()?;
        if self.n_off > 0 {
            return None;
        }
        Some(self.last_on.max(self.held_since).plus_ms(wait.saturating_mul(1000)))
    }

    /// The new answer, if it has changed.
    pub(crate) fn evaluate(&mut self, now: Moment) -> Option<bool> {
        let is_converged = self.due().is_some_and(|due| due <= now);
        let before = std::mem::replace(&mut self.is_converged, is_converged);
        (before != is_converged).then_some(is_converged)
    }
}
