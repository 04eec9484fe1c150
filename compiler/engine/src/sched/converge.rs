//! Convergence: everything has been up to date, with nothing running, for the settle time. Engine spec, 17.

use super::Scheduler;
use crate::protocol::{Moment, What};

impl Scheduler {
    pub(super) fn converge_at(&self) -> Option<Moment> {
        if !self.lifecycle.may_converge() || self.convergence.is_converged() {
            return None;
        }
        self.convergence.due()
    }

    /// Reports when the answer changes.
    pub(super) fn evaluate_convergence(&mut self) {
        let seconds = self.convergence.timeout();
        if !self.lifecycle.may_converge() || seconds < 0 {
            return;
        }
        let Some(is_converged) = self.convergence.evaluate(self.clock.now()) else { return };
        if !is_converged {
            self.report(What::Unconverged, None);
            return;
        }
        self.report(What::Converged { seconds }, None);
        if self.options.converged_exit {
            self.lifecycle.begin_exit(self.status_at_end());
        }
    }
}
