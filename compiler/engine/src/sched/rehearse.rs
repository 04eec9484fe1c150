//! A plan: the rules of a run, in front of a body that carries out no step and tells how it would go.
//!
//! What files would be there afterwards the body knows, so whoever comes later sees them. What other steps would lead
//! to is not known; then the check ends well, and whoever comes after it and fails may yet go well in a run.

use super::Scheduler;
use super::state::{Run, Slot};

impl Scheduler {
    /// Nothing of it is changed: it is only looked at, or this is a plan.
    pub(super) fn is_dry(&self, slot: Slot) -> bool {
        self.options.rehearse || self.graph.is_noop(slot)
    }

    /// The steps would go well, as far as that can be told; what the kind would see then cannot.
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

    /// Notes whether more of it could be known: it, or somebody before it, would do what is not foreseen. A check that
    /// `fails` does so before that: of a step that would fail at least this is known.
    pub(super) fn note_foresight(&mut self, slot: Slot, run: Option<&Run>, fails: bool) {
        let own = run.is_some_and(|run| run.is_unforeseen() && !fails || run.has_untried());
        let is_unsure = own || self.edges.before(slot).any(|before| self.conditions.is_unsure(before));
        self.conditions.set_unsure(slot, is_unsure);
    }
}
