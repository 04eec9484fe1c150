//! [`Fence`]: a run with `once` ends only when its own changes have come back as facts.
//!
//! A host reports a changed fact as an event, which may arrive after the step that changed it has ended. So before the
//! run ends, everything that the program reads is read again, until no step was carried out in between.

use crate::gather::Boxed;
use crate::protocol::Ticket;
use crate::react::FactId;
use crate::vocab::{Changes, FactSpec, Watch};
use std::collections::BTreeSet;

/// A program whose changes lead to further changes more often than this does not come to an end.
const MOST_ROUNDS: u32 = 10;

#[derive(Clone, Default)]
pub(super) struct Fence {
    /// What is read again.
    specs: Boxed<FactId, FactSpec>,
    /// A step was carried out since they were read.
    has_changed: bool,
    awaited: BTreeSet<Ticket>,
    n_rounds: u32,
}

/// What comes before the end.
pub(super) enum Next {
    /// These are read again; [`Fence::awaits`] takes their tickets.
    Read(Vec<(FactId, FactSpec)>),
    /// Answers are pending.
    Wait,
    /// Nothing: the run ends.
    End,
    /// It does not come to an end.
    Endless,
}

impl Fence {
    pub(super) fn subscribed(&mut self, fact: FactId, spec: &FactSpec) {
        if is_changed_by_steps(spec) {
            self.specs.insert(fact, Box::new(spec.clone()));
        }
    }

    pub(super) fn unsubscribed(&mut self, fact: FactId, ticket: Ticket) {
        self.specs.remove(&fact);
        self.awaited.remove(&ticket);
    }

    pub(super) fn applied(&mut self) {
        self.has_changed = true;
    }

    pub(super) fn awaits(&mut self, ticket: Ticket) {
        self.awaited.insert(ticket);
    }

    pub(super) fn told(&mut self, ticket: Ticket) {
        self.awaited.remove(&ticket);
    }

    pub(super) fn next(&mut self) -> Next {
        if !self.awaited.is_empty() {
            return Next::Wait;
        }
        if !std::mem::take(&mut self.has_changed) || self.specs.is_empty() {
            return Next::End;
        }
        self.n_rounds += 1;
        if self.n_rounds > MOST_ROUNDS {
            return Next::Endless;
        }
        Next::Read(self.specs.iter().map(|(fact, spec)| (*fact, (**spec).clone())).collect())
    }
}

/// Not what changes with time alone, and not what has effects when it is read: a command.
fn is_changed_by_steps(spec: &FactSpec) -> bool {
    match spec.changes() {
        Changes::With(watches) => !watches.iter().any(|watch| matches!(watch, Watch::Time(_))),
        Changes::Never | Changes::Streams => false,
    }
}
