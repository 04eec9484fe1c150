//! The scheduler against a simulated host: the acceptance scenarios of engine spec 29 with scripted kinds, and a
//! randomised model.

mod acceptance;
mod failed;
mod flapping;
mod kinds;
mod literal;
mod model;
mod scale;
mod switching;
mod unsure;
mod waiting;

use super::Scheduler;
use crate::kinds::Params;
use crate::kinds::meta::Meta;
use crate::protocol::{Event, Input, Machine, Moment, Options, Output, Phase, ResourceId, StopMode, What};
use crate::rgraph::{Edge, Receive, ResGraph, Resource, VertexId};
use crate::sim::{Command, Scripted, Sim, SimHost};
use crate::value::Value;
use std::sync::Arc;

/// The scheduler alone as the machine of a host, and a log of its looks.
pub(super) struct Engine(pub(super) Scheduler, Vec<(Moment, ResourceId)>);

impl Engine {
    pub(super) fn over(scheduler: Scheduler) -> Engine {
        Engine(scheduler, Vec::new())
    }
}

impl Machine for Engine {
    fn handle(&mut self, now: Moment, input: Input) {
        match input {
            Input::Probed(ticket, findings) => self.0.probed(now, ticket, findings),
            Input::Applied(ticket, outcomes) => self.0.applied(now, ticket, outcomes),
            Input::Fired(ticket, what) => self.0.fired(now, ticket, what),
            Input::WatchFailed(ticket, error) => self.0.watch_failed(now, ticket, &error),
            Input::Tick => self.0.tick(now),
            Input::Stop(mode) => self.0.stop(now, mode),
            Input::Secret(secret) => self.0.learn_secret(&secret.0),
            Input::Deploy(_) | Input::Fact(..) => panic!("the scheduler alone knows no programs"),
        }
    }

    fn poll(&mut self) -> Output {
        let output = self.0.take_output().unwrap_or(Output::Idle { wake: self.0.wake() });
        if let Output::Probe(_, id, _) = &output {
            self.1.push((self.0.now(), id.clone()));
        }
        output
    }
}

/// A graph under construction: resources by letter.
#[derive(Clone, Default)]
pub(super) struct Draft {
    resources: Vec<Resource>,
    edges: Vec<(String, String, bool)>,
}

impl Draft {
    /// `"A B C"`: resources of the refreshable kind.
    pub(super) fn new(names: &str) -> Draft {
        let mut draft = Draft::default();
        for name in names.split_whitespace() {
            draft.add(&kinds::SCRIPTED, name);
        }
        draft
    }

    pub(super) fn add(&mut self, kind: &'static dyn crate::kinds::Kind, name: &str) {
        self.resources.push(Resource {
            id: ResourceId::new(kind.decl().name, name),
            kind,
            params: Params::default(),
            meta: Meta::default().into(),
            receives: Vec::new(),
            secret_fields: Vec::new(),
            children: Vec::new(),
            is_reversal: false,
            span: None,
        });
    }

    /// `"A>B B!C"`: order, and order with notification.
    pub(super) fn edges(mut self, edges: &str) -> Draft {
        for edge in edges.split_whitespace() {
            let notify = edge.contains('!');
            let (from, to) = edge.split_once(['>', '!']).expect("an edge has two ends");
            self.edges.push((from.into(), to.into(), notify));
        }
        self
    }

    pub(super) fn meta(mut self, name: &str, set: impl FnOnce(&mut Meta)) -> Draft {
        set(Arc::make_mut(&mut self.get(name).meta));
        self
    }

    /// Sets the only field.
    pub(super) fn text(mut self, name: &str, text: &str) -> Draft {
        self.get(name).params.set(0, Value::from(text));
        self
    }

    /// `to` receives what `from` prints; the two are also ordered.
    pub(super) fn send(mut self, from: &str, to: &str) -> Draft {
        self.receive(from, to);
        self.edges.push((from.into(), to.into(), false));
        self
    }

    /// The same if the edge already exists.
    pub(super) fn receive(&mut self, from: &str, to: &str) {
        let id = self.get(from).id.clone();
        self.get(to).receives.push(Receive { field: 0, from: id, key: "out".into() });
    }

    pub(super) fn get(&mut self, name: &str) -> &mut Resource {
        self.resources.iter_mut().find(|resource| *resource.id.name == *name).expect("it was declared")
    }

    pub(super) fn graph(&self) -> Arc<ResGraph> {
        let place = |name: &str| {
            let at = self.resources.iter().position(|resource| *resource.id.name == *name);
            VertexId(at.expect("it was declared") as u32)
        };
        let mut graph = ResGraph::default();
        for resource in &self.resources {
            graph.resources.push(Arc::new(resource.clone()));
        }
        graph.edges = self
            .edges
            .iter()
            .map(|(from, to, notify)| Edge {
                from: place(from),
                to: place(to),
                name: format!("{from} -> {to}").into(),
                notify: *notify,
            })
            .collect();
        Arc::new(graph)
    }
}

/// A scheduler on a host, with a log of its checks.
pub(super) struct Bench {
    pub(super) sim: Sim<Engine>,
    pub(super) events: Vec<Event>,
}

impl Bench {
    pub(super) fn new(options: Options) -> Bench {
        let engine = Engine::over(Scheduler::new(options, Moment::default()));
        let mut sim = Sim::new(engine, SimHost::new("host1"));
        sim.change(|world| world.make_dir("/w")).unwrap();
        Bench { sim, events: Vec::new() }
    }

    /// Starts with a graph in effect.
    pub(super) fn start(draft: &Draft) -> Bench {
        let mut bench = Bench::new(Options::default());
        bench.switch(draft);
        bench
    }

    pub(super) fn switch(&mut self, draft: &Draft) {
        let now = self.sim.now();
        self.sim.machine.0.switch(now, draft.graph(), Default::default());
        self.sim.tell(Input::Tick);
        self.listen();
    }

    /// The results of a resource's checks, in turn; the last one repeats. Status 0: up to date, 1: repaired, 2: failed.
    pub(super) fn script(&mut self, name: &str, runs: &[(i32, u64)]) {
        let run = |&(status, duration_ms): &(i32, u64)| Scripted { status, duration_ms, ..Scripted::default() };
        let runs = runs.iter().map(run).collect();
        self.sim.change(|world| world.set_command(Command { line: name.into(), runs }));
    }

    /// The output of a resource's checks, which is what it sends.
    pub(super) fn says(&mut self, name: &str, texts: &[&str]) {
        let run = |text: &&str| Scripted { stdout: (*text).to_string(), status: 1, ..Scripted::default() };
        let runs = texts.iter().map(run).collect();
        self.sim.change(|world| world.set_command(Command { line: name.into(), runs }));
    }

    /// Triggers an event of a resource's watch.
    pub(super) fn event(&mut self, name: &str) {
        let path = format!("/w/{name}");
        self.sim.change(|world| world.write(&path, "x")).unwrap();
    }

    pub(super) fn pass(&mut self, ms: u64) {
        let until = self.sim.now().plus_ms(ms);
        assert!(self.sim.advance(until, 1_000_000), "it comes to rest");
        self.listen();
    }

    pub(super) fn stop(&mut self, mode: StopMode) {
        self.sim.tell(Input::Stop(mode));
        self.listen();
    }

    fn listen(&mut self) {
        self.events.extend(self.sim.take_reports());
    }

    /// The resources reported as waiting since the last call, and for which one, in order.
    pub(super) fn waits(&mut self) -> Vec<String> {
        let (waits, rest) = std::mem::take(&mut self.events).into_iter().partition(|event: &Event| {
            matches!(&event.what, What::Resource { phase: Phase::Waiting, text, .. } if !text.is_empty())
        });
        self.events = rest;
        let told = |event: Event| match event.what {
            What::Resource { id, text, .. } => {
                format!("{} {}", id.name, text.replace("scripted[", "").replace(']', ""))
            }
            _ => String::new(),
        };
        Vec::into_iter(waits).map(told).collect()
    }

    /// The names of the resources checked since the last call, in order.
    pub(super) fn checks(&mut self) -> String {
        let checked = std::mem::take(&mut self.events).into_iter().filter_map(|event| match event.what {
            What::Resource { id, phase: Phase::Checking, .. } => Some(id.name.to_string()),
            _ => None,
        });
        checked.collect::<Vec<_>>().join(" ")
    }

    /// The times of its checks, in milliseconds.
    pub(super) fn times(&mut self, name: &str) -> Vec<u64> {
        let checked = self.events.iter().filter_map(|event| match &event.what {
            What::Resource { id, phase: Phase::Checking, .. } if *id.name == *name => Some(event.at.0 / 1_000_000),
            _ => None,
        });
        checked.collect()
    }

    /// The times of its looks, in milliseconds, reported or not.
    pub(super) fn looks(&self, name: &str) -> Vec<u64> {
        let looks = self.sim.machine.1.iter().filter(|(_, id)| *id.name == *name);
        looks.map(|(at, _)| at.0 / 1_000_000).collect()
    }

    /// Why a resource has failed, if it has.
    pub(super) fn failure(&self, name: &str) -> Option<String> {
        let scheduler = &self.sim.machine.0;
        let slot = scheduler.graph.order().iter().find(|&&slot| *scheduler.graph.resource(slot).id.name == *name)?;
        scheduler.conditions.failure(*slot).map(str::to_string)
    }

    pub(super) fn n_runs(&self, name: &str) -> usize {
        self.sim.host.world().commands.n_runs(name)
    }
}
