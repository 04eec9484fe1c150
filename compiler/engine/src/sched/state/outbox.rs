//! [`Outbox`]: outputs for the body, and the tickets of expected answers.

use super::{Slot, Why};
use crate::protocol::{Event, Moment, Output, ResourceId, StopMode, Ticket, What};
use crate::vocab::{Probe, Step, Watch};
use rustc_hash::FxHashMap;
use std::collections::{BTreeSet, VecDeque};

/// The maximum number of outputs for which memory is kept while idle.
const MANY_OUTPUTS: usize = 1024;

/// What a ticket was issued for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Flight {
    Watch(Slot),
    Check(Slot),
    PrepareLook(Slot),
    PrepareWrite(Slot),
    LoadUndo,
    Note(ResourceId),
    Prune(ResourceId, BTreeSet<String>),
}

/// Outputs in order, and tickets in flight.
#[derive(Clone)]
pub(crate) struct Outbox {
    outputs: VecDeque<Output>,
    in_flight: FxHashMap<Ticket, Flight>,
    next_ticket: u64,
}

impl Default for Outbox {
    /// Its tickets are odd, so that another user of the body can use the even ones.
    fn default() -> Outbox {
        Outbox { outputs: VecDeque::new(), in_flight: FxHashMap::default(), next_ticket: 1 }
    }
}

impl Outbox {
    pub(crate) fn probe(&mut self, flight: Flight, id: ResourceId, probes: Vec<Probe>) -> Ticket {
        let ticket = self.new_ticket(flight);
        self.outputs.push_back(Output::Probe(ticket, id, probes));
        ticket
    }

    pub(crate) fn apply(&mut self, flight: Flight, id: ResourceId, steps: Vec<Step>) -> Ticket {
        let ticket = self.new_ticket(flight);
        self.outputs.push_back(Output::Apply(ticket, id, steps));
        ticket
    }

    pub(crate) fn watch(&mut self, slot: Slot, watches: Vec<Watch>) -> Ticket {
        let ticket = self.new_ticket(Flight::Watch(slot));
        self.outputs.push_back(Output::Watch(ticket, watches));
        ticket
    }

    /// Ends a watch; its late events are dropped.
    pub(crate) fn unwatch(&mut self, ticket: Ticket) {
        self.in_flight.remove(&ticket);
        self.outputs.push_back(Output::Unwatch(ticket));
    }

    pub(crate) fn cancel(&mut self, ticket: Ticket, mode: StopMode) {
        self.outputs.push_back(Output::Cancel(ticket, mode));
    }

    pub(crate) fn report(&mut self, at: Moment, what: What, why: Option<&Why>) {
        self.outputs.push_back(Output::Report(Event::new(at, what, Why::list(why))));
    }

    pub(crate) fn exit(&mut self, status: i32) {
        self.outputs.push_back(Output::Exit { status });
    }

    /// The next output for the body, in order.
    pub(crate) fn next_output(&mut self) -> Option<Output> {
        let output = self.outputs.pop_front();
        if output.is_none() && self.outputs.capacity() > MANY_OUTPUTS {
            // A start with ten thousand watches is over: frees its memory for later use.
            self.outputs.shrink_to(MANY_OUTPUTS);
        }
        output
    }

    /// An answer came: what it answers, which is no longer expected.
    pub(crate) fn answered(&mut self, ticket: Ticket) -> Option<Flight> {
        self.in_flight.remove(&ticket)
    }

    /// Keeps a ticket open after an answer of the wrong type, which is ignored.
    pub(crate) fn put_back(&mut self, ticket: Ticket, flight: Flight) {
        self.in_flight.insert(ticket, flight);
    }

    /// The vertex of a watch that is in place.
    pub(crate) fn watcher(&self, ticket: Ticket) -> Option<Slot> {
        match self.in_flight.get(&ticket)? {
            Flight::Watch(slot) => Some(*slot),
            Flight::Check(_) | Flight::PrepareLook(_) | Flight::PrepareWrite(_) => None,
            Flight::LoadUndo | Flight::Note(_) | Flight::Prune(..) => None,
        }
    }

    /// Stops expecting an answer for this ticket.
    pub(crate) fn forget(&mut self, ticket: Ticket) {
        self.in_flight.remove(&ticket);
    }

    #[cfg(test)]
    pub(crate) fn in_flight(&self) -> impl std::fmt::Debug {
        &self.in_flight
    }

    fn new_ticket(&mut self, flight: Flight) -> Ticket {
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 2;
        self.in_flight.insert(ticket, flight);
        ticket
    }
}
