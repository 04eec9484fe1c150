//! Giving up: a resource without attempts left counts as failed until it is up to date again. Engine spec, 8.

use super::Scheduler;
use super::state::{Slot, Watching};
use crate::protocol::Phase;

impl Scheduler {
    /// Gives a vertex up: it has no attempts left. Its watches continue, and an event there triggers another look.
    pub(super) fn fail(&mut self, slot: Slot, text: String) {
        self.fail_with(slot, text.clone(), text);
    }

    /// The same; `told`: the error as it is reported.
    pub(super) fn fail_with(&mut self, slot: Slot, error: String, told: String) {
        self.pacing.set_hurried(slot, false);
        self.clock.cancel(self.queue.end_wait(slot));
        self.conditions.end_wait(slot);
        let is_told = self.conditions.fails_as_before(slot, &error);
        let is_new = self.conditions.fail(slot, error);
        if is_told {
            return;
        }
        if is_new {
            self.convergence.unregister(slot, self.clock.now());
        }
        let phase = if self.conditions.is_unsure(slot) { Phase::Unknown } else { Phase::Failed };
        self.report_phase(slot, phase, told);
        if is_new {
            self.report_held_up(slot);
        }
    }

    /// A resource that was given up is up to date again.
    pub(super) fn recover(&mut self, slot: Slot) {
        if !self.conditions.recover(slot) {
            return;
        }
        let watches = match self.watches.watching(slot) {
            Watching::On(_) | Watching::Once | Watching::Polling(_) => true,
            Watching::Off | Watching::Delayed(_) => false,
        };
        self.clock.cancel(self.conditions.end_rechecks(slot));
        self.convergence.register(slot);
        self.convergence.set_watches(slot, watches, self.clock.now());
    }
}
