//! Notifications: something changed at the start of an edge. Engine spec, 9. They outlive a
//! restart, in a state file of the resource that is to take notice.

use super::{Flight, Note, Scheduler, Slot};
use crate::protocol::{Output, ResourceId};
use crate::vocab::{Outcome, Step, state};

/// The state file that names the resources whose notification is pending, as a list in JSON.
pub(super) const FILE: &str = "refresh";

impl Scheduler {
    /// A vertex changed something: whoever wants to know is told.
    pub(super) fn notify(&mut self, slot: Slot) {
        for index in 0..self.vertex(slot).edges_told.len() {
            let edge = self.vertex(slot).edges_told[index];
            let edge = &mut self.edges[edge];
            edge.noticed = false;
            if edge.notify && !edge.refresh {
                edge.refresh = true;
                let to = edge.to;
                self.keep_refresh(to);
            }
        }
    }

    /// What is pending now is known to the check that begins; what comes later is for the next one.
    pub(super) fn take_notice(&mut self, slot: Slot) {
        for index in 0..self.vertex(slot).edges_in.len() {
            let edge = self.vertex(slot).edges_in[index];
            self.edges[edge].noticed = self.edges[edge].refresh;
        }
    }

    /// Notice was taken. Kinds that cannot react swallow the notification.
    pub(super) fn clear_refresh(&mut self, slot: Slot) {
        let mut any = false;
        for index in 0..self.vertex(slot).edges_in.len() {
            let edge = self.vertex(slot).edges_in[index];
            if std::mem::take(&mut self.edges[edge].noticed) {
                any |= std::mem::take(&mut self.edges[edge].refresh);
            }
        }
        if any {
            self.keep_refresh(slot);
        }
    }

    /// Writes down which notifications are pending, where it matters.
    pub(super) fn keep_refresh(&mut self, slot: Slot) {
        let vertex = self.vertex(slot);
        if !vertex.resource.kind.decl().traits.refreshable || vertex.noop {
            return;
        }
        let pending = vertex.edges_in.iter().map(|&edge| &self.edges[edge]).filter(|edge| edge.refresh);
        let from: Vec<String> = pending.map(|edge| self.resource(edge.from).id.to_string()).collect();
        let step = if from.is_empty() {
            state::Step::Remove { name: FILE.to_string() }
        } else {
            let content = serde_json::to_vec(&from).expect("a list of strings has a form in JSON");
            state::Step::Write { name: FILE.to_string(), content }
        };
        let id = vertex.resource.id.clone();
        self.note(id, step);
    }

    /// Writes to a state file beside all checks, in order for each resource.
    pub(super) fn note(&mut self, id: ResourceId, step: state::Step) {
        match self.notes.get_mut(&id) {
            Some(note) => {
                // Of several writes to one file only the last matters.
                note.next.retain(|other| other.name() != step.name());
                note.next.push(step);
            }
            None => self.write_note(id, vec![step]),
        }
    }

    fn write_note(&mut self, id: ResourceId, steps: Vec<state::Step>) {
        let ticket = self.new_ticket(Flight::Note(id.clone()));
        self.notes.insert(id.clone(), Note { next: Vec::new() });
        self.outputs.push_back(Output::Apply(ticket, id, steps.into_iter().map(Step::State).collect()));
    }

    pub(super) fn noted(&mut self, id: ResourceId, outcomes: &[Outcome]) {
        if let Some(Outcome::Failed(error)) = outcomes.last() {
            self.report_log(format!("{id}: could not write its state: {error}"));
        }
        if let Some(Note { next }) = self.notes.remove(&id)
            && !next.is_empty()
        {
            self.write_note(id, next);
        }
    }
}
