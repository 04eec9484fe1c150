//! [`Count`]: the results of the resources of a run, each counted once, however often it was repaired.

use super::counted;
use mclive_base::protocol::{Phase, ResourceId, What};
use std::collections::BTreeSet;

/// How many of the resources that fail are named.
const MOST_NAMED: usize = 3;

/// The counts for the summary.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) in_state: usize,
    pub(crate) changed: usize,
    pub(crate) would_change: usize,
    pub(crate) failed: usize,
    pub(crate) waiting: usize,
    /// The resources whose outcome a plan cannot know.
    pub(crate) unknown: usize,
    pub(crate) refused: bool,
}

#[derive(Default)]
pub(super) struct Count {
    changed: BTreeSet<ResourceId>,
    in_state: BTreeSet<ResourceId>,
    would_change: BTreeSet<ResourceId>,
    failed: BTreeSet<ResourceId>,
    /// The resources that wait, after a failure or for their turn.
    waiting: BTreeSet<ResourceId>,
    /// The resources whose outcome a plan cannot know.
    unknown: BTreeSet<ResourceId>,
    refused: bool,
    has_graph: bool,
}

impl Count {
    /// A graph is in effect.
    pub(super) fn has_graph(&self) -> bool {
        self.has_graph
    }

    /// The number of resources that fail.
    pub(super) fn n_failed(&self) -> usize {
        self.failed.len()
    }

    /// The resources that fail, in words; empty: none does.
    pub(super) fn failing(&self) -> String {
        if self.failed.is_empty() {
            return String::new();
        }
        let mut names: Vec<String> = self.failed.iter().take(MOST_NAMED).map(ResourceId::to_string).collect();
        if self.failed.len() > names.len() {
            names.push("...".to_owned());
        }
        format!("{} failed: {}", counted(self.failed.len(), "resource"), names.join(", "))
    }

    /// The program was refused before it ran.
    pub(super) fn refuse(&mut self) {
        self.refused = true;
    }

    pub(super) fn tally(&self) -> Tally {
        Tally {
            in_state: self
                .in_state
                .iter()
                .filter(|id| !self.changed.contains(*id) && !self.would_change.contains(*id))
                .count(),
            changed: self.changed.len(),
            would_change: self.would_change.len(),
            failed: self.failed.len(),
            waiting: self.waiting.len(),
            unknown: self.unknown.len(),
            refused: self.refused,
        }
    }

    pub(super) fn take(&mut self, what: &What) {
        match what {
            What::Resource { id, phase, .. } => self.resource(id, *phase),
            What::Refused { .. } => self.refused = true,
            // Later values may give the first graph.
            What::Stream { .. } => self.refused = !self.has_graph,
            What::GraphSwitched { .. } => (self.refused, self.has_graph) = (false, true),
            What::Steps { .. }
            | What::Grouped { .. }
            | What::Converged { .. }
            | What::Unconverged
            | What::Log { .. } => {}
        }
    }

    fn resource(&mut self, id: &ResourceId, phase: Phase) {
        match phase {
            Phase::Waiting => drop(self.waiting.insert(id.clone())),
            Phase::Checking
            | Phase::Applying
            | Phase::InState
            | Phase::Changed
            | Phase::WouldChange
            | Phase::Retrying
            | Phase::Limited
            | Phase::Failed
            | Phase::Unknown
            | Phase::Removed => drop(self.waiting.remove(id)),
        }
        match phase {
            Phase::Unknown => drop(self.unknown.insert(id.clone())),
            Phase::Failed => drop(self.failed.insert(id.clone())),
            Phase::InState => drop(self.in_state.insert(id.clone())),
            Phase::Changed => drop(self.changed.insert(id.clone())),
            Phase::WouldChange => drop(self.would_change.insert(id.clone())),
            Phase::Removed | Phase::Waiting | Phase::Checking | Phase::Applying | Phase::Retrying | Phase::Limited => {}
        }
        if matches!(phase, Phase::InState | Phase::Changed | Phase::WouldChange | Phase::Removed) {
            self.failed.remove(id);
            self.unknown.remove(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(phases: &[(&str, Phase)]) -> Count {
        let mut count = Count::default();
        for (name, phase) in phases {
            let id = ResourceId::new("file", *name);
            count.take(&What::Resource { id, phase: *phase, text: String::new(), dry: false });
        }
        count
    }

    fn tally(phases: &[(&str, Phase)]) -> Tally {
        count(phases).tally()
    }

    #[test]
    fn the_resources_that_fail_are_named_up_to_a_number() {
        let failing = |phases: &[(&str, Phase)]| count(phases).failing();
        assert_eq!(failing(&[("a", Phase::Failed), ("a", Phase::InState), ("b", Phase::Changed)]), "");
        assert_eq!(failing(&[("a", Phase::Failed), ("b", Phase::Removed)]), "1 resource failed: file[a]");
        let many = ["a", "b", "c", "d"].map(|name| (name, Phase::Failed));
        assert_eq!(failing(&many[..3]), "3 resources failed: file[a], file[b], file[c]");
        assert_eq!(failing(&many), "4 resources failed: file[a], file[b], file[c], ...");
    }

    #[test]
    fn a_resource_is_counted_once_however_often_it_is_checked() {
        let run = tally(&[
            ("a", Phase::Changed),
            ("b", Phase::InState),
            ("a", Phase::InState),
            ("a", Phase::Changed),
            ("b", Phase::InState),
        ]);
        assert_eq!((run.changed, run.in_state, run.failed), (1, 1, 0));
        let repaired = tally(&[("a", Phase::Failed), ("a", Phase::Retrying), ("a", Phase::Changed)]);
        assert_eq!((repaired.changed, repaired.failed), (1, 0));
    }

    #[test]
    fn the_last_verdict_of_a_plan_counts() {
        let plan = tally(&[
            ("a", Phase::Unknown),
            ("b", Phase::InState),
            ("a", Phase::WouldChange),
            ("b", Phase::WouldChange),
        ]);
        assert_eq!((plan.would_change, plan.in_state, plan.unknown), (2, 0, 0));
        assert_eq!(tally(&[("a", Phase::Unknown)]).unknown, 1);
    }
}
