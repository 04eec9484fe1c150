//! [`Asking`]: a model that reads environment variables, compiled again with the values from the host.

use super::ordered;
use crate::diag::{Diagnostic, Diags, Severity};
use crate::engine_language::Live;
use crate::react::{FactId, FactRequest, Outcome, React};
use crate::rgraph::{NextGraph, ResGraph};
use crate::sched::News;
use crate::source::MemoryWorld;
use crate::vocab::{Datum, FactSpec, HostError, program};
use mclive_inmanta::{Environment, Hosts, Understood, understand_in};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The fact of an environment variable.
pub(super) fn fact(name: &str) -> FactSpec {
    program::Fact::Env { name: name.to_owned() }.into()
}

/// The value of a variable as reported by the host; unset if it cannot be reported.
pub(super) fn value(told: Result<Datum, HostError>) -> Option<String> {
    match told {
        Ok(Datum::Bytes(bytes)) => Some(String::from_utf8_lossy(&bytes).into_owned()),
        Ok(_) | Err(_) => None,
    }
}

/// The first subscription of the compiled model; those of variables come before.
const FIRST_OF_MODEL: u64 = 1 << 32;

/// A running model whose graph depends on the environment.
///
/// The variables it reads may depend on the values of others, so it is compiled until it needs no more; each variable
/// is requested once, so that ends.
#[derive(Clone)]
pub(super) struct Asking {
    world: Arc<MemoryWorld>,
    entry: String,
    host: String,
    environment: Environment,
    /// The subscriptions, ascending, each with its variable and whether it was answered.
    asked: BTreeMap<FactId, (String, bool)>,
    requests: Vec<FactRequest>,
    state: Stand,
    printed: Vec<String>,
}

#[derive(Clone)]
enum Stand {
    /// For the host.
    Waiting,
    Made(Box<dyn Live>),
    Refused(Diags),
}

impl Asking {
    /// A model that needs these variables.
    pub(super) fn new(world: Arc<MemoryWorld>, entry: &str, host: &str, wanted: BTreeSet<String>) -> Asking {
        let mut asking = Asking {
            world,
            entry: entry.to_owned(),
            host: host.to_owned(),
            environment: Environment::asked(),
            asked: BTreeMap::new(),
            requests: Vec::new(),
            state: Stand::Waiting,
            printed: Vec::new(),
        };
        asking.ask(wanted);
        asking
    }

    fn ask(&mut self, wanted: BTreeSet<String>) {
        for name in wanted {
            let id = FactId(self.asked.len() as u64);
            self.requests.push(FactRequest::Subscribe(id, fact(&name)));
            self.asked.insert(id, (name, false));
        }
    }

    fn compile(&mut self) {
        let hosts = Hosts::One(&self.host);
        let Understood { compilation, diags, graphs, mut between, .. } =
            understand_in(&*self.world, &self.entry, hosts, self.environment.clone());
        if !compilation.wanted.is_empty() {
            return self.ask(compilation.wanted);
        }
        self.printed = compilation.printed;
        self.state = match graphs.into_iter().next() {
            Some((host, graph)) if !diags.has_errors() => {
                Stand::Made(ordered::made(graph, between.remove(&host), FIRST_OF_MODEL))
            }
            Some(_) | None => Stand::Refused(diags),
        };
    }
}

impl Live for Asking {
    fn copy(&self) -> Box<dyn Live> {
        Box::new(self.clone())
    }

    fn fact(&mut self, id: FactId, told: Result<Datum, HostError>) {
        let Some((name, is_told)) = self.asked.get_mut(&id) else {
            if let Stand::Made(model) = &mut self.state {
                model.fact(id, told);
            }
            return;
        };
        self.environment.tell(name, value(told));
        *is_told = true;
        if self.asked.values().all(|(_, is_told)| *is_told) {
            self.compile();
        }
    }

    fn take_requests(&mut self) -> Vec<FactRequest> {
        let mut requests = std::mem::take(&mut self.requests);
        if let Stand::Made(model) = &mut self.state {
            requests.extend(model.take_requests());
        }
        requests
    }

    fn wake(&self) -> Option<u64> {
        None
    }

    fn run(&mut self, now: u64) -> Outcome {
        match &mut self.state {
            Stand::Waiting => Outcome::Waiting,
            Stand::Made(model) => model.run(now),
            Stand::Refused(diags) => {
                Outcome::Failed(diags.iter().filter(|diag| diag.severity == Severity::Error).cloned().collect())
            }
        }
    }

    fn update(&mut self) -> Result<NextGraph, Diags> {
        match &mut self.state {
            Stand::Waiting => Ok(NextGraph::Whole(ResGraph::default())),
            Stand::Made(model) => model.update(),
            Stand::Refused(diags) => Err(diags.clone()),
        }
    }

    fn whole(&mut self) -> Result<ResGraph, Diags> {
        match &mut self.state {
            Stand::Waiting => Ok(ResGraph::default()),
            Stand::Made(model) => model.whole(),
            Stand::Refused(diags) => Err(diags.clone()),
        }
    }

    fn news(&mut self, is_first: bool) -> News {
        match &mut self.state {
            Stand::Made(model) => model.news(is_first),
            Stand::Waiting | Stand::Refused(_) => News::default(),
        }
    }

    fn is_another_table(&self) -> bool {
        false
    }

    fn react(&self) -> Option<&React> {
        None
    }

    fn take_printed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.printed)
    }

    fn take_warnings(&mut self) -> Vec<Diagnostic> {
        match &mut self.state {
            Stand::Made(model) => model.take_warnings(),
            Stand::Waiting | Stand::Refused(_) => Vec::new(),
        }
    }
}
