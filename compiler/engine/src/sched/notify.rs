//! Notifications: something changed at the start of an edge. Engine spec, 9. They survive a restart, in a state file of
//! the notified resource.

use super::Scheduler;
use super::state::{Flight, Slot};
use crate::protocol::ResourceId;
use crate::vocab::{Outcome, Step, state};

/// The state file that lists the resources with a pending notification, as JSON.
pub(super) const FILE: &str = "refresh";

impl Scheduler {
    /// Notifies along the edges of a vertex that changed.
    pub(super) fn notify(&mut self, slot: Slot) {
        for to in self.edges.notify(slot) {
            self.keep_refresh(to);
        }
    }

    /// Marks notifications as handled. Kinds that cannot react discard them.
    pub(super) fn clear_refresh(&mut self, slot: Slot) {
        if self.edges.clear_noticed(slot) {
            self.keep_refresh(slot);
        }
    }

    /// Drops the pending notifications from it, since its edges end.
    pub(super) fn drop_notifications(&mut self, slot: Slot) {
        for to in self.edges.take_back_notices(slot) {
            if self.graph.is_taken(to) {
                self.keep_refresh(to);
            }
        }
    }

    /// Whether its kind can react to a notification, and may.
    pub(super) fn is_refreshable(&self, slot: Slot) -> bool {
        self.graph.resource(slot).kind.decl().traits.refreshable && !self.graph.is_noop(slot)
    }

    /// Stores which notifications are pending, if the resource can be refreshed.
    pub(super) fn keep_refresh(&mut self, slot: Slot) {
        if !self.is_refreshable(slot) {
            return;
        }
        let from: Vec<String> = self.edges.notifiers(slot).map(|from| self.graph.id(from).to_string()).collect();
        let step = if from.is_empty() {
            state::Step::Remove { name: FILE.to_string() }
        } else {
            let content = serde_json::to_vec(&from).expect("a list of strings has a form in JSON");
            state::Step::Write { name: FILE.to_string(), content }
        };
        self.note(self.graph.id(slot).clone(), step);
    }

    /// Writes to a state file independently of checks, in order for each resource.
    pub(super) fn note(&mut self, id: ResourceId, step: state::Step) {
        if let Some(steps) = self.notes.write(&id, step) {
            self.write_note(id, steps);
        }
    }

    fn write_note(&mut self, id: ResourceId, steps: Vec<state::Step>) {
        let steps = steps.into_iter().map(Step::State).collect();
        self.outbox.apply(Flight::Note(id.clone()), id, steps);
    }

    pub(super) fn noted(&mut self, id: ResourceId, outcomes: &[Outcome]) {
        if let Some(Outcome::Failed(error)) = outcomes.last() {
            self.report_log(format!("{id}: could not write its state: {error}"));
        }
        if let Some(steps) = self.notes.written(&id) {
            self.write_note(id, steps);
        }
    }
}
