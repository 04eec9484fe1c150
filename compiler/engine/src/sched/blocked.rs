//! Reports resources that cannot proceed: those that wait for another one, and those blocked by a failed one.

use super::Scheduler;
use super::state::{Slot, Wait};
use crate::protocol::Phase;
use rustc_hash::{FxHashMap, FxHashSet};

impl Scheduler {
    /// Reports that a vertex has to wait, and again when it waits for another one.
    ///
    /// A vertex that was checked before is only reported if a failure blocks it: all others proceed soon.
    pub(super) fn report_wait(&mut self, slot: Slot) {
        let is_new = self.edges.is_new(slot);
        if self.options.rehearse || !self.has_work(slot) || !is_new && self.conditions.n_failed() == 0 {
            return;
        }
        match self.told_blocker(slot) {
            Some(failed) => self.tell_wait(slot, Wait::Behind(failed)),
            None if is_new => {
                let before = self.edges.holds_up(slot).next();
                if let Some(before) = before {
                    self.tell_wait(slot, Wait::For(before));
                }
            }
            None => {}
        }
    }

    /// One of its predecessors has succeeded, and others have not.
    pub(super) fn report_waits_further(&mut self, slot: Slot, before: Slot) {
        if self.conditions.wait(slot).is_some_and(|wait| wait.slot() == before) {
            self.report_wait(slot);
        }
    }

    /// A vertex has failed: reports all that cannot proceed without it.
    pub(super) fn report_held_up(&mut self, failed: Slot) {
        if self.options.rehearse {
            return;
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![failed];
        while let Some(at) = work.pop() {
            for after in self.edges.held_up(at) {
                if matches!(self.conditions.wait(after), Some(Wait::Behind(_))) || !seen.insert(after) {
                    continue;
                }
                if self.has_work(after) {
                    self.tell_wait(after, Wait::Behind(failed));
                }
                work.push(after);
            }
        }
    }

    /// At the end: reports each vertex that never ran because of a failure, unless it was reported.
    pub(super) fn report_blocked(&mut self) {
        let mut known = FxHashMap::default();
        for slot in self.graph.order().to_vec() {
            if !self.edges.is_new(slot) || self.conditions.has_failed(slot) {
                continue;
            }
            let Some(failed) = self.blocker(slot, &mut known) else { continue };
            if self.options.rehearse || !matches!(self.conditions.wait(slot), Some(Wait::Behind(_))) {
                self.tell_wait(slot, Wait::Behind(failed));
            }
        }
    }

    /// Whether it has something to do once it may run.
    fn has_work(&self, slot: Slot) -> bool {
        let is_open = self.edges.is_new(slot) || !self.conditions.is_clean(slot) && !self.graph.is_noop(slot);
        is_open && !self.conditions.has_failed(slot) && !self.graph.resource(slot).meta.hidden
    }

    fn tell_wait(&mut self, slot: Slot, wait: Wait) {
        if !self.conditions.begin_wait(slot, wait) {
            return;
        }
        let id = self.graph.id(wait.slot()).clone();
        let (phase, text) = match wait {
            Wait::For(_) => (Phase::Waiting, format!("for {id}")),
            Wait::Behind(failed) if self.conditions.is_unsure(failed) => {
                (Phase::Unknown, format!("depends on {id}, which is not fully known"))
            }
            Wait::Behind(_) if self.options.rehearse => (Phase::Waiting, format!("depends on {id}, which would fail")),
            Wait::Behind(_) => (Phase::Waiting, format!("depends on {id}, which failed")),
        };
        self.report_phase(slot, phase, text);
    }

    /// The failed vertex that blocks it, as far as its direct predecessors were reported: each failure is reported to
    /// all dependants, so there is no need to search further.
    fn told_blocker(&self, slot: Slot) -> Option<Slot> {
        let behind = |at: Slot| match self.conditions.wait(at) {
            Some(Wait::Behind(failed)) => Some(failed).filter(|failed| self.conditions.has_failed(*failed)),
            Some(Wait::For(_)) | None => None,
        };
        let mut right_before = self.edges.holds_up(slot);
        behind(slot).or_else(|| {
            right_before
                .find_map(|before| if self.conditions.has_failed(before) { Some(before) } else { behind(before) })
        })
    }

    /// The first failed vertex on the way back through its predecessors.
    fn blocker(&self, slot: Slot, known: &mut FxHashMap<Slot, Option<Slot>>) -> Option<Slot> {
        if self.conditions.n_failed() == 0 {
            return None;
        }
        let mut path = vec![slot];
        while let Some(&at) = path.last() {
            if known.contains_key(&at) {
                path.pop();
                continue;
            }
            let mut found = self.edges.holds_up(at).find(|&before| self.conditions.has_failed(before));
            if found.is_none() {
                // A resource graph has no cycles, so each of these is known when we return.
                let open: Vec<Slot> = self.edges.holds_up(at).filter(|before| !known.contains_key(before)).collect();
                if !open.is_empty() {
                    path.extend(open);
                    continue;
                }
                found = self.edges.holds_up(at).find_map(|before| known[&before]);
            }
            known.insert(at, found);
            path.pop();
        }
        known[&slot]
    }
}
