//! [`Talk`]: a conversation with a body, from the brain's side.

use super::Body;
use crate::protocol::{Input, Output, ResourceId, Ticket};
use crate::vocab::{
    Content, Datum, FactSpec, Finding, HostError, HostErrorKind, KeyStore, Outcome, Probe, Step, Watch, file, store,
};

/// The body and its unread inputs.
pub(super) struct Talk<'a> {
    pub(super) body: &'a mut dyn Body,
    pub(super) dir: String,
    n_tickets: u64,
    /// Inputs received and not yet consumed.
    pub(super) heard: Vec<Input>,
}

impl Talk<'_> {
    /// Starts a conversation about files below a directory of the body.
    pub(super) fn new<'b>(body: &'b mut dyn Body, dir: &str) -> Talk<'b> {
        Talk { body, dir: dir.to_owned(), n_tickets: 0, heard: Vec::new() }
    }

    pub(super) fn ticket(&mut self) -> Ticket {
        self.n_tickets += 1;
        Ticket(self.n_tickets)
    }

    pub(super) fn below(&self, name: &str) -> String {
        format!("{}/{name}", self.dir)
    }

    pub(super) fn path(&self, name: &str) -> Watch {
        file::Watch { path: self.below(name), recursive: false }.into()
    }

    /// Waits for the next input that `wanted` accepts.
    #[track_caller]
    pub(super) fn hear<T>(&mut self, what: &str, wanted: impl Fn(&Input) -> Option<T>) -> T {
        loop {
            if let Some(at) = self.heard.iter().position(|input| wanted(input).is_some()) {
                return wanted(&self.heard.remove(at)).expect("it was found");
            }
            match self.body.next() {
                Some(input) => self.heard.push(input),
                None => panic!("nothing is told of {what}; heard so far: {:?}", self.heard),
            }
        }
    }

    #[track_caller]
    pub(super) fn apply(&mut self, steps: Vec<Step>) -> Vec<Outcome> {
        let ticket = self.ticket();
        self.body.take(Output::Apply(ticket, ResourceId::new("contract", "c"), steps));
        self.hear("the steps", |input| match input {
            Input::Applied(of, outcomes) if *of == ticket => Some(outcomes.clone()),
            _ => None,
        })
    }

    #[track_caller]
    pub(super) fn probe(&mut self, probes: Vec<Probe>) -> Vec<Finding> {
        let ticket = self.ticket();
        self.body.take(Output::Probe(ticket, ResourceId::new("contract", "c"), probes));
        self.hear("the probes", |input| match input {
            Input::Probed(of, findings) if *of == ticket => Some(findings.clone()),
            _ => None,
        })
    }

    #[track_caller]
    pub(super) fn watch(&mut self, watches: Vec<Watch>) -> Ticket {
        let ticket = self.ticket();
        self.body.take(Output::Watch(ticket, watches));
        self.hear("the watch", |input| (*input == Input::Fired(ticket, None)).then_some(()));
        ticket
    }

    #[track_caller]
    pub(super) fn fires(&mut self, ticket: Ticket) {
        self.hear("a change", |input| matches!(input, Input::Fired(of, Some(_)) if *of == ticket).then_some(()));
        // Several events may report one change.
        self.quiet();
        self.heard.retain(|input| !matches!(input, Input::Fired(of, _) if *of == ticket));
    }

    /// Waits until everything that happened so far has been reported.
    ///
    /// Each barrier is a key and its own path: a late event of an earlier one would end the wait too early. The key
    /// is one that hosts follow in a shared store: they do not follow those of deploys, which come first.
    #[track_caller]
    pub(super) fn quiet(&mut self) {
        // Units are told over another way, and their suite has no directory.
        if self.dir.is_empty() {
            return;
        }
        let name = format!("quiet-{}", self.n_tickets);
        let barriers = [self.watch(vec![world(&name).into()]), self.watch(vec![self.path(&name)])];
        let steps = vec![set(KeyStore::World, &name, Some(Datum::Int(1))), self.write(&name, "1")];
        assert_eq!(self.apply(steps), [Outcome::Done, Outcome::Done]);
        for ticket in barriers {
            self.hear("the barrier", |input| matches!(input, Input::Fired(of, Some(_)) if *of == ticket).then_some(()));
            self.body.take(Output::Unwatch(ticket));
        }
        self.heard.retain(|input| !matches!(input, Input::Fired(of, _) if barriers.contains(of)));
    }

    #[track_caller]
    pub(super) fn is_silent(&mut self, ticket: Ticket) {
        self.quiet();
        let told =
            self.heard.iter().find(|input| matches!(input, Input::Fired(of, _) | Input::Fact(of, _) if *of == ticket));
        assert_eq!(told, None);
    }

    #[track_caller]
    pub(super) fn subscribe(&mut self, fact: impl Into<FactSpec>) -> (Ticket, Result<Datum, HostError>) {
        let ticket = self.ticket();
        self.body.take(Output::Subscribe(ticket, fact.into()));
        let first = self.value(ticket);
        (ticket, first)
    }

    /// The next value of a fact.
    #[track_caller]
    pub(super) fn value(&mut self, ticket: Ticket) -> Result<Datum, HostError> {
        self.hear("the fact", |input| match input {
            Input::Fact(of, value) if *of == ticket => Some(value.clone()),
            _ => None,
        })
    }

    pub(super) fn write(&self, name: &str, text: &str) -> Step {
        file::Step::Write {
            path: self.below(name),
            content: Content::Bytes(text.into()),
            attributes: file::Attributes::default(),
        }
        .into()
    }

    pub(super) fn remove(&self, name: &str) -> Step {
        file::Step::Remove { path: self.below(name), recursive: true }.into()
    }
}

pub(super) fn world(key: &str) -> store::Watch {
    store::Watch { store: KeyStore::World, key: key.into() }
}

pub(super) fn set(store: KeyStore, key: &str, value: Option<Datum>) -> Step {
    store::Step { store, key: key.into(), value }.into()
}

pub(super) fn put(key: &str, value: &str) -> Step {
    set(KeyStore::World, key, Some(Datum::text(value)))
}

pub(super) fn kind(value: Result<Datum, HostError>) -> Option<HostErrorKind> {
    value.err().map(|error| error.kind)
}
