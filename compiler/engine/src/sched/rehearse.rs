//! A plan: the rules of a run, with a body that carries out no step and predicts its outcome.
//!
//! The body knows the future state of files, so later looks see it. The effect of other steps is unknown; then the
//! check succeeds, and a failure of later resources may still not happen in a run.

use super::Scheduler;
use super::state::{Run, Slot};

impl Scheduler {
    /// Whether nothing of it is changed: it runs with `noop`, or this is a plan.
    pub(super) fn is_dry(&self, slot: Slot) -> bool {
        self.options.rehearse || self.graph.is_noop(slot)
    }

    /// Whether the steps would succeed, as far as can be told, but their effect cannot be predicted.
    pub(super) fn foresees_no_further(&self, slot: Slot) -> bool {
        let run = self.queue.run(slot);
        self.options.rehearse && run.is_unforeseen() && run.goes_well()
    }

    pub(super) fn end_rehearsal(&mut self, slot: Slot) {
        let resource = self.graph.resource(slot).clone();
        let received = self.graph.received(slot);
        let seen =
            self.queue.run(slot).seen(false, &received, self.graph.kept(slot), (&self.options.hostname, &self.program));
        let sent = resource.kind.sends_dry(&resource.want(), &seen);
        self.end_check(slot, Ok((true, sent)));
    }

    /// Records whether its outcome is uncertain: it, or a predecessor, would take an unpredictable step. A check that
    /// `fails` does so before that: at least that failure is certain.
    pub(super) fn note_foresight(&mut self, slot: Slot, run: Option<&Run>, fails: bool) {
        let own = run.is_some_and(|run| run.is_unforeseen() && !fails || run.has_untried());
        let is_unsure = own || self.edges.before(slot).any(|before| self.conditions.is_unsure(before));
        self.conditions.set_unsure(slot, is_unsure);
    }
}
