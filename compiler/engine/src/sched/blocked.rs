//! Who never had a turn, because somebody before has failed.

use super::Scheduler;
use super::state::Slot;
use crate::protocol::Phase;
use rustc_hash::FxHashMap;

impl Scheduler {
    /// Tells of each that waits behind a failure, and behind which.
    pub(super) fn report_blocked(&mut self) {
        let mut known = FxHashMap::default();
        for slot in self.graph.order().to_vec() {
            if !self.edges.is_new(slot) || self.conditions.has_failed(slot) {
                continue;
            }
            let Some(failed) = self.blocker(slot, &mut known) else { continue };
            let id = self.graph.id(failed).clone();
            let is_unsure = self.conditions.is_unsure(failed);
            let (phase, what) = match (is_unsure, self.options.rehearse) {
                (true, _) => (Phase::Unknown, "of which not all can be known"),
                (false, true) => (Phase::Waiting, "which would fail"),
                (false, false) => (Phase::Waiting, "which has failed"),
            };
            self.report_phase(slot, phase, || format!("behind {id}, {what}"));
        }
    }

    /// The first that has failed on the way back from here, through those that never had a turn.
    fn blocker(&self, slot: Slot, known: &mut FxHashMap<Slot, Option<Slot>>) -> Option<Slot> {
        let mut path = vec![slot];
        while let Some(&at) = path.last() {
            if known.contains_key(&at) {
                path.pop();
                continue;
            }
            let mut found = self.edges.before(at).find(|&before| self.conditions.has_failed(before));
            if found.is_none() {
                let news: Vec<Slot> = self.edges.before(at).filter(|&before| self.edges.is_new(before)).collect();
                // A resource graph has no cycles, so each of these is known when we come back.
                let open: Vec<Slot> = news.iter().copied().filter(|before| !known.contains_key(before)).collect();
                if !open.is_empty() {
                    path.extend(open);
                    continue;
                }
                found = news.iter().find_map(|before| known[before]);
            }
            known.insert(at, found);
            path.pop();
        }
        known[&slot]
    }
}
