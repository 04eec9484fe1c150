//! Running programs for unit tests, from their text.

use super::{FactRequest, Outcome, React};
use crate::compile::{Setup, compile};
use crate::diag::Diags;
use crate::fgraph::Ir;
use crate::rgraph::{self, Interpreter};
use crate::source::MemoryWorld;
use crate::vocab::{Datum, FactSpec, HostError, HostErrorKind, program};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Compiles a one-file program up to its IR.
pub(crate) fn ir(text: &str) -> Result<Arc<Ir>, Diags> {
    let compilation = compile(&MemoryWorld::single(text), "/main.mcl", Setup { hostname: "" });
    compilation.program.map(|program| program.ir).ok_or(compilation.diags)
}

/// A running program on a host that has only environment variables, and its facts.
#[derive(Clone)]
pub(crate) struct Running {
    pub(crate) react: React,
    pub(crate) interpreter: Interpreter,
    variables: BTreeMap<String, String>,
    told: BTreeMap<FactSpec, Datum>,
    subscribed: BTreeMap<FactSpec, super::FactId>,
}

impl Running {
    #[track_caller]
    pub(crate) fn new(text: &str) -> Running {
        let ir = ir(text).unwrap_or_else(|diags| panic!("does not compile: {diags:?}\n{text}"));
        Running::of(ir)
    }

    pub(crate) fn of(ir: Arc<Ir>) -> Running {
        Running {
            // Less than usual: unit tests are not optimised.
            react: React::within(ir, Arc::new(MemoryWorld::default()), 100_000),
            interpreter: Interpreter::default(),
            variables: BTreeMap::new(),
            told: BTreeMap::new(),
            subscribed: BTreeMap::new(),
        }
    }

    /// Sets or removes an environment variable, and notifies its subscribers.
    pub(crate) fn set(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => self.variables.insert(name.to_owned(), value.to_owned()),
            None => self.variables.remove(name),
        };
        let spec = FactSpec::Program(program::Fact::Env { name: name.to_owned() });
        if let Some(id) = self.subscribed.get(&spec) {
            self.react.fact(*id, self.variable(&spec));
        }
    }

    /// Sets another fact, and notifies its subscribers.
    pub(crate) fn tell(&mut self, spec: FactSpec, datum: Datum) {
        self.told.insert(spec.clone(), datum);
        if let Some(id) = self.subscribed.get(&spec) {
            self.react.fact(*id, self.variable(&spec));
        }
    }

    fn variable(&self, spec: &FactSpec) -> Result<Datum, HostError> {
        if let Some(datum) = self.told.get(spec) {
            return Ok(datum.clone());
        }
        let FactSpec::Program(program::Fact::Env { name }) = spec else { panic!("this host has no {spec:?}") };
        let value = self.variables.get(name).map(Datum::text);
        value.ok_or_else(|| HostError::new(HostErrorKind::NotFound, "there is no such variable"))
    }

    /// Runs rounds until there are no more requests.
    pub(crate) fn run(&mut self) -> Outcome {
        loop {
            let outcome = self.slice();
            let requests = self.react.take_requests();
            if requests.is_empty() && !self.react.is_under_way() {
                return outcome;
            }
            for request in requests {
                match request {
                    FactRequest::Subscribe(id, spec) => {
                        let told = self.variable(&spec);
                        self.subscribed.insert(spec, id);
                        self.react.fact(id, told);
                    }
                    FactRequest::Unsubscribe(id) => self.subscribed.retain(|_, known| *known != id),
                }
            }
        }
    }

    /// Goes on for one slice of work.
    pub(crate) fn slice(&mut self) -> Outcome {
        self.react.begin_slice();
        self.react.run(0)
    }

    /// Runs, and gives the resource graph with all fields, or the first error as `CODE message`.
    pub(crate) fn graph(&mut self) -> String {
        let error = |diag: &crate::diag::Diagnostic| format!("{} {}", diag.code, diag.message);
        match self.run() {
            Outcome::Complete { .. } => match self.interpreter.interpret(self.react.table()) {
                Ok(graph) => rgraph::text_with_fields(&graph),
                Err(diags) => diags.first_error().map(error).unwrap_or_default(),
            },
            Outcome::Waiting => "waiting".to_owned(),
            Outcome::Underway => "under way".to_owned(),
            Outcome::Failed(failures) => failures.first().map(error).unwrap_or_default(),
        }
    }

    /// The number of current subscriptions.
    pub(crate) fn n_subscribed(&self) -> usize {
        self.subscribed.len()
    }
}
