//! Inputs from the body: answers to probes and steps, events of watches, the passing of time.

use super::Scheduler;
use super::state::Flight;
use crate::protocol::{Moment, Ticket};
use crate::vocab::{Finding, HostError, Outcome};

impl Scheduler {
    /// The answer to a probe.
    pub fn probed(&mut self, now: Moment, ticket: Ticket, findings: Vec<Finding>) {
        self.advance(now);
        match self.outbox.answered(ticket) {
            Some(Flight::Check(slot)) => self.check_probed(slot, findings),
            Some(Flight::PrepareLook(slot)) => self.prepare_looked(slot, findings),
            Some(Flight::LoadUndo) => self.undo_loaded(findings),
            Some(other) => self.outbox.put_back(ticket, other),
            None => {}
        }
        self.settle();
    }

    /// The answer to steps.
    pub fn applied(&mut self, now: Moment, ticket: Ticket, outcomes: Vec<Outcome>) {
        self.advance(now);
        match self.outbox.answered(ticket) {
            Some(Flight::Check(slot)) => self.check_applied(slot, outcomes),
            Some(Flight::PrepareWrite(slot)) => self.prepare_wrote(slot, &outcomes),
            Some(Flight::Note(id)) => self.noted(id, &outcomes),
            Some(Flight::Prune(id, keys)) => self.pruned(id, keys, &outcomes),
            Some(other) => self.outbox.put_back(ticket, other),
            None => {}
        }
        self.settle();
    }

    /// A watch is in place, or has fired.
    pub fn fired(&mut self, now: Moment, ticket: Ticket, what: Option<String>) {
        self.advance(now);
        if let Some(slot) = self.outbox.watcher(ticket) {
            self.watch_fired(slot, what);
        }
        self.settle();
    }

    /// A watch has ended.
    pub(crate) fn watch_failed(&mut self, now: Moment, ticket: Ticket, error: &HostError) {
        self.advance(now);
        if let Some(slot) = self.outbox.watcher(ticket) {
            self.outbox.forget(ticket);
            self.watch_ended(slot, error);
        }
        self.settle();
    }

    /// Time has passed.
    pub fn tick(&mut self, now: Moment) {
        self.advance(now);
        self.settle();
    }
}
