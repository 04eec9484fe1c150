//! [`EdgeFacts`]: the facts that the automatic edges of a running program need from its host, such as the files of a
//! package.
//!
//! A graph that needs new facts waits for their values; if one of them changes later, the edges are recomputed. This
//! costs as much as the whole graph, and installing a thousand packages changes the files of each of them. So the edges
//! are recomputed at a `Tick`, which a body hands in after all other inputs of that moment.

use crate::gather::Boxed;
use crate::protocol::{Output, Ticket};
use crate::vocab::{Datum, FactSpec, HostError};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Default)]
pub(crate) struct EdgeFacts {
    tickets: BTreeMap<FactSpec, Ticket>,
    facts: Boxed<Ticket, Fact>,
    /// The number of missing answers.
    n_missing: usize,
    /// The facts reported since [`EdgeFacts::take_news`].
    news: Vec<FactSpec>,
    /// There was no `Tick` since the last of them.
    awaits_tick: bool,
    /// The graph that follows from them was refused.
    are_refused: bool,
}

#[derive(Clone)]
struct Fact {
    spec: FactSpec,
    told: Told,
}

#[derive(Clone)]
enum Told {
    NotYet,
    /// `None`: the host could not answer.
    Value(Option<Datum>),
}

impl Fact {
    fn is_missing(&self) -> bool {
        matches!(self.told, Told::NotYet)
    }
}

impl EdgeFacts {
    /// Subscribes to the facts that a graph needs, and unsubscribes from the rest.
    pub(crate) fn ask(&mut self, asked: &BTreeSet<FactSpec>, mut ticket: impl FnMut() -> Ticket) -> Vec<Output> {
        let mut outputs = Vec::new();
        let gone: Vec<FactSpec> = self.tickets.keys().filter(|spec| !asked.contains(*spec)).cloned().collect();
        for ticket in gone.iter().filter_map(|spec| self.tickets.remove(spec)) {
            let fact = self.facts.remove(&ticket);
            self.n_missing -= usize::from(fact.is_some_and(|fact| fact.is_missing()));
            outputs.push(Output::Unsubscribe(ticket));
        }
        for spec in asked {
            if !self.tickets.contains_key(spec) {
                let ticket = ticket();
                self.tickets.insert(spec.clone(), ticket);
                self.facts.insert(ticket, Box::new(Fact { spec: spec.clone(), told: Told::NotYet }));
                self.n_missing += 1;
                outputs.push(Output::Subscribe(ticket, spec.clone()));
            }
        }
        outputs
    }

    /// Handles an answer, if it belongs to these subscriptions.
    pub(crate) fn tell(&mut self, ticket: Ticket, value: &Result<Datum, HostError>) {
        let Some(fact) = self.facts.get_mut(&ticket) else { return };
        let value = value.as_ref().ok();
        if !matches!(&fact.told, Told::Value(told) if told.as_ref() == value) {
            self.n_missing -= usize::from(fact.is_missing());
            fact.told = Told::Value(value.cloned());
            self.news.push(fact.spec.clone());
            self.awaits_tick = true;
            self.are_refused = false;
        }
    }

    /// Whether there are no subscriptions.
    pub(crate) fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// Whether an answer is missing.
    pub(crate) fn is_waiting(&self) -> bool {
        self.n_missing > 0
    }

    pub(crate) fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// Whether there are news with which no graph was refused.
    pub(crate) fn has_untried_news(&self) -> bool {
        self.has_news() && !self.are_refused
    }

    /// The graph that follows from the news was refused. They stay, as causes of the next one.
    pub(crate) fn refuse(&mut self) {
        self.are_refused = true;
    }

    /// Whether news wait for the next `Tick`.
    pub(crate) fn awaits_tick(&self) -> bool {
        self.awaits_tick
    }

    pub(crate) fn tick(&mut self) {
        self.awaits_tick = false;
    }

    pub(crate) fn take_news(&mut self) -> Vec<FactSpec> {
        (self.awaits_tick, self.are_refused) = (false, false);
        std::mem::take(&mut self.news)
    }

    pub(crate) fn known(&self, spec: &FactSpec) -> Option<&Datum> {
        match &self.facts.get(self.tickets.get(spec)?)?.told {
            Told::Value(value) => value.as_ref(),
            Told::NotYet => None,
        }
    }

    /// Unsubscribes from everything.
    pub(crate) fn leave(&mut self) -> Vec<Output> {
        self.take_news();
        self.ask(&BTreeSet::new(), || unreachable!("no question is asked of the host"))
    }
}
