//! A plan: the rules of a run, with a body that carries out no step and predicts its outcome.
//!
//! The body predicts the future state of files, so later probes see it. The effects of other steps are unknown: the
//! check succeeds, and a later resource that fails in the plan may not fail in a run. If the result depends on an order
//! that no edge sets, the plan says so.

use super::Scheduler;
use super::state::{Run, Slot};
use crate::unicode::visible;
use crate::vocab::path::shown;
use crate::vocab::{Probe, Step};
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of vertices that are visited to find out whether two of them are ordered. If that is not enough,
/// they count as ordered.
const MOST_VISITED: usize = 10_000;

impl Scheduler {
    /// Whether it changes nothing, because it has `noop` or this is a plan.
    pub(super) fn is_dry(&self, slot: Slot) -> bool {
        self.options.rehearse || self.graph.is_noop(slot)
    }

    /// Whether the steps would presumably succeed, but their effect cannot be predicted.
    pub(super) fn foresees_no_further(&self, slot: Slot) -> bool {
        let run = self.queue.run(slot);
        self.options.rehearse && run.is_unforeseen() && run.goes_well()
    }

    pub(super) fn end_rehearsal(&mut self, slot: Slot) {
        let resource = self.graph.resource(slot).clone();
        let received = self.graph.received(slot);
        let seen = self.queue.run(slot).seen(false, &received, self.graph.kept(slot), (&self.options, &self.program));
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

    /// Records that a resource of a plan looks at the host.
    pub(super) fn note_look(&mut self, slot: Slot, probes: &[Probe]) {
        if self.options.rehearse {
            let met = self.touches.look(slot, probes);
            self.tell_unordered(slot, met);
        }
    }

    /// Records that a resource of a plan would change the host.
    pub(super) fn note_change(&mut self, slot: Slot, steps: &[Step]) {
        if self.options.rehearse {
            let met = self.touches.change(slot, steps);
            self.tell_unordered(slot, met);
        }
    }

    /// Reports which of the others that it meets at a path come before it only by chance.
    fn tell_unordered(&mut self, slot: Slot, met: BTreeMap<Slot, String>) {
        for (other, path) in met {
            if self.leads_to(other, slot) || !self.touches.tells(other, slot) {
                continue;
            }
            let (one, two) = (self.graph.id(other).to_string(), self.graph.id(slot).to_string());
            let text = format!(
                "`{}` and `{}` both use `{}`, and no edge sets their order: a run may differ from this plan",
                visible(&one),
                visible(&two),
                visible(&shown(&path))
            );
            let text = self.conceal(text);
            self.report_log(text);
        }
    }

    /// Whether edges lead from one vertex to another.
    fn leads_to(&self, from: Slot, to: Slot) -> bool {
        let (mut seen, mut ahead) = (BTreeSet::new(), vec![to]);
        while let Some(slot) = ahead.pop() {
            for before in self.edges.before(slot) {
                if before == from || seen.len() == MOST_VISITED {
                    return true;
                }
                if seen.insert(before) {
                    ahead.push(before);
                }
            }
        }
        false
    }
}
