//! Convergence: has everything been as wanted, with nothing going on, for long enough? Engine
//! spec, 17.
//!
//! Each vertex has two trackers; counting those that are off and remembering when the last one
//! came on makes the question cheap, however many vertices there are.

use super::vertex::Trackers;
use super::{Mode, Scheduler, Slot};
use crate::protocol::{Moment, What};

pub(super) struct Convergence {
    /// Seconds; negative: never asked.
    timeout: i64,
    n_registered: usize,
    /// Registered trackers that are off.
    n_off: usize,
    /// When a tracker last came on, was restarted, or left.
    last_on: Moment,
    /// Not before this moment plus the timeout.
    held_since: Moment,
    is_converged: bool,
}

impl Convergence {
    pub(super) fn new(timeout: i64, now: Moment) -> Convergence {
        Convergence { timeout, n_registered: 0, n_off: 0, last_on: now, held_since: now, is_converged: false }
    }

    pub(super) fn set_timeout(&mut self, timeout: i64) {
        self.timeout = timeout;
    }

    /// The earliest moment at which it could be true as things stand.
    fn due(&self) -> Option<Moment> {
        let wait = u64::try_from(self.timeout).ok()?;
        if self.n_off > 0 {
            return None;
        }
        Some(self.last_on.max(self.held_since).plus_ms(wait.saturating_mul(1000)))
    }
}

impl Scheduler {
    /// A new worker's trackers, both off.
    pub(super) fn register(&mut self, slot: Slot) {
        self.vertex_mut(slot).trackers = Trackers { registered: true, first: false, second: false };
        self.convergence.n_registered += 1;
        self.convergence.n_off += 2;
    }

    /// Are all trackers on but for those of one vertex?
    pub(super) fn only_it_is_unsettled(&self, slot: Slot) -> bool {
        let trackers = &self.vertex(slot).trackers;
        let n_off = usize::from(!trackers.first) + usize::from(!trackers.second);
        trackers.registered && self.convergence.n_off == n_off
    }

    /// A worker that ended holds nothing up.
    pub(super) fn unregister(&mut self, slot: Slot) {
        let trackers = &mut self.vertex_mut(slot).trackers;
        if !std::mem::replace(&mut trackers.registered, false) {
            return;
        }
        let n_off = usize::from(!trackers.first) + usize::from(!trackers.second);
        let now = self.now;
        let convergence = &mut self.convergence;
        convergence.n_off -= n_off;
        convergence.n_registered -= 1;
        convergence.last_on = now;
        if convergence.n_registered == 0 {
            convergence.held_since = now;
        }
    }

    pub(super) fn track_first(&mut self, slot: Slot, on: bool) {
        let trackers = &mut self.vertex_mut(slot).trackers;
        let (registered, before) = (trackers.registered, std::mem::replace(&mut trackers.first, on));
        self.tracked(registered, before, on);
    }

    pub(super) fn track_second(&mut self, slot: Slot, on: bool) {
        let trackers = &mut self.vertex_mut(slot).trackers;
        let (registered, before) = (trackers.registered, std::mem::replace(&mut trackers.second, on));
        self.tracked(registered, before, on);
    }

    fn tracked(&mut self, registered: bool, before: bool, on: bool) {
        if !registered || before == on {
            return;
        }
        if on {
            self.convergence.n_off -= 1;
            self.convergence.last_on = self.now;
        } else {
            self.convergence.n_off += 1;
        }
    }

    /// Something was not as wanted: the wait begins again.
    pub(super) fn restart_first(&mut self, slot: Slot) {
        if self.vertex(slot).trackers.registered {
            self.convergence.last_on = self.now;
        }
    }

    /// A graph came into force, or the program ended without one.
    pub(super) fn hold_convergence(&mut self) {
        if !self.convergence.is_converged {
            self.convergence.held_since = self.now;
        }
    }

    /// Something is there that can converge: a graph, or the certainty that none will come.
    fn may_converge(&self) -> bool {
        self.mode == Mode::Running && (self.has_graph || self.program_failed)
    }

    pub(super) fn converge_at(&self) -> Option<Moment> {
        if !self.may_converge() || self.convergence.is_converged {
            return None;
        }
        self.convergence.due()
    }

    /// Says so when the answer has changed.
    pub(super) fn evaluate_convergence(&mut self) {
        if !self.may_converge() || self.convergence.timeout < 0 {
            return;
        }
        let is_converged = self.convergence.due().is_some_and(|due| due <= self.now);
        if is_converged == self.convergence.is_converged {
            return;
        }
        self.convergence.is_converged = is_converged;
        if !is_converged {
            self.report(What::Unconverged, None);
            return;
        }
        self.report(What::Converged { seconds: self.convergence.timeout }, None);
        if self.options.converged_exit {
            let status = self.status_at_end();
            self.begin_exit(status);
        }
    }
}
