//! Decides whether a vertex may be checked, and must be. Engine spec, 8 and 27.7.

use super::Scheduler;
use super::state::Slot;

/// The work for a vertex that may be processed.
enum Need {
    /// None: treated as checked and up to date.
    Nothing,
    /// None that is allowed, though something would change.
    WouldRefresh,
    Check {
        refresh: bool,
    },
}

impl Scheduler {
    /// One scheduling step.
    pub(super) fn process(&mut self, slot: Slot) {
        if self.lifecycle.is_interrupted() {
            return;
        }
        if self.must_wait(slot) {
            self.report_wait(slot);
            return;
        }
        if let Err(error) = self.receive(slot) {
            let error = format!("could not receive: {error}");
            self.finish(slot, Err(error), None);
            return;
        }
        match self.need(slot) {
            Need::Nothing if !self.must_publish(slot) => self.finish_quietly(slot, false),
            Need::WouldRefresh => self.finish_quietly(slot, true),
            Need::Nothing => self.begin_check(slot, false),
            Need::Check { refresh } => self.begin_check(slot, refresh),
        }
    }

    fn need(&mut self, slot: Slot) -> Need {
        self.edges.take_notice(slot);
        let refresh = self.edges.notifiers(slot).next().is_some();
        let resource = self.graph.resource(slot);
        let reacts = refresh && resource.kind.decl().traits.refreshable;
        if self.conditions.is_clean(slot) && !reacts || resource.meta.hidden {
            Need::Nothing
        } else if self.graph.is_noop(slot) && reacts && !self.edges.is_new(slot) && self.convergence.is_settled(slot) {
            // It was checked since its last event; all there is to report is that it would react.
            Need::WouldRefresh
        } else {
            Need::Check { refresh }
        }
    }
}
