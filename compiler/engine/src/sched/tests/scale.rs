//! Work is proportional to the change: counted, not timed.

use super::{Bench, Draft, Engine, kinds};
use crate::protocol::{Input, Machine, Moment, Options, Output};
use crate::rgraph::{Changed, Edge, ResGraph, VertexId};
use crate::sched::Scheduler;
use crate::sched::state::Watching;
use crate::vocab::{CommandOutcome, Finding, Probe, state};
use std::sync::Arc;

/// A host that answers at once: everything is up to date.
fn settle(engine: &mut Engine) -> usize {
    let mut n_outputs = 0;
    loop {
        match engine.poll() {
            Output::Idle { .. } => return n_outputs,
            Output::Probe(ticket, id, probes) => {
                n_outputs += 1;
                let good = CommandOutcome { status: Some(0), signal: None, output: None, stdout: None, stderr: None };
                let findings = probes.iter().map(|probe| match probe {
                    Probe::State(state::Probe::List { .. }) => Finding::State(state::Finding::All(Vec::new())),
                    _ => Finding::Command(good.clone()),
                });
                let findings = findings.collect();
                assert!(!id.name.is_empty() || probes.len() == 1);
                engine.handle(Moment::default(), Input::Probed(ticket, findings));
            }
            Output::Watch(ticket, _) => {
                n_outputs += 1;
                engine.handle(Moment::default(), Input::Fired(ticket, None));
            }
            Output::Report(_) => {}
            _ => n_outputs += 1,
        }
    }
}

#[test]
fn a_switch_of_one_in_ten_thousand_touches_one() {
    let n_vertices = 10_000;
    let mut draft = Draft::default();
    for index in 0..n_vertices {
        draft.add(&kinds::SCRIPTED, &format!("r{index}"));
    }
    let mut engine = Engine::over(Scheduler::new(Options::default(), Moment::default()));
    let graph = draft.graph();
    engine.0.switch(Moment::default(), graph.clone(), Default::default());
    let n_first = settle(&mut engine);
    assert!(n_first >= 2 * n_vertices, "{n_first}");
    let mut changed = (*graph).clone();
    let at = VertexId(1234);
    let mut resource = (*changed.resources[at]).clone();
    resource.params.set(0, "other".into());
    changed.resources[at] = Arc::new(resource);
    engine.0.switch(Moment::default(), Arc::new(changed), Default::default());
    // Unwatch, watch, probe.
    assert_eq!(settle(&mut engine), 3);
}

/// One before ten thousand others, each of which is before one more.
fn crowd(n_vertices: u32) -> ResGraph {
    let mut draft = Draft::default();
    (0..=2 * n_vertices).for_each(|index| draft.add(&kinds::PLAIN, &format!("r{index}")));
    let mut graph = (*draft.graph()).clone();
    for index in 1..=n_vertices {
        for (from, to) in [(0, index), (index, n_vertices + index)] {
            let (from, to) = (VertexId(from), VertexId(to));
            graph.edges.push(Edge { from, to, name: "".into(), notify: false });
        }
    }
    graph
}

/// Triggers an event of a resource's watch. Returns the cost: outputs, and visits.
fn event(engine: &mut Engine, name: &str) -> (usize, u64) {
    let scheduler = &engine.0;
    let order = scheduler.graph.order().iter();
    let watched = order.copied().find(|&slot| *scheduler.graph.declared(slot).id.name == *name).unwrap();
    let Watching::On(ticket) = scheduler.watches.watching(watched) else { panic!("it is watched") };
    let before = engine.0.n_visited();
    engine.handle(Moment::default(), Input::Fired(ticket, None));
    let n_outputs = settle(engine);
    (n_outputs, engine.0.n_visited() - before)
}

#[test]
fn an_event_costs_what_comes_before_it_and_not_what_comes_after() {
    let mut engine = Engine::over(Scheduler::new(Options::default(), Moment::default()));
    engine.0.switch(Moment::default(), Arc::new(crowd(10_000)), Default::default());
    settle(&mut engine);
    // The first is looked at, and no other needs to be informed.
    let (n_outputs, n_visited) = event(&mut engine, "r0");
    assert_eq!(n_outputs, 1);
    assert!(n_visited <= 4, "{n_visited}");
    // The last one asks the two before it.
    let (n_outputs, n_visited) = event(&mut engine, "r15000");
    assert_eq!(n_outputs, 1);
    assert!(n_visited <= 20, "{n_visited}");
}

/// Ten thousand before one that is notified by them, or only waits for them.
fn funnel(n_vertices: u32, notify: bool) -> ResGraph {
    let mut draft = Draft::default();
    (0..=n_vertices).for_each(|index| draft.add(&kinds::PLAIN, &format!("r{index}")));
    let mut graph = (*draft.graph()).clone();
    for index in 0..n_vertices {
        let (from, to) = (VertexId(index), VertexId(n_vertices));
        graph.edges.push(Edge { from, to, name: "".into(), notify });
    }
    graph
}

#[test]
fn an_event_behind_ten_thousand_that_rest_costs_one_visit() {
    for notify in [false, true] {
        let mut engine = Engine::over(Scheduler::new(Options::default(), Moment::default()));
        engine.0.switch(Moment::default(), Arc::new(funnel(10_000, notify)), Default::default());
        settle(&mut engine);
        for _ in 0..3 {
            let (n_outputs, n_visited) = event(&mut engine, "r10000");
            assert_eq!(n_outputs, 1);
            assert!(n_visited <= 4, "{n_visited}");
            let (n_outputs, n_visited) = event(&mut engine, "r17");
            assert_eq!(n_outputs, 1);
            assert!(n_visited <= 4, "{n_visited}");
        }
    }
}

#[test]
fn an_exchange_of_one_in_ten_thousand_touches_one() {
    let mut engine = Engine::over(Scheduler::new(Options::default(), Moment::default()));
    let graph = crowd(10_000);
    engine.0.switch(Moment::default(), Arc::new(graph.clone()), Default::default());
    settle(&mut engine);
    let at = VertexId(1234);
    let before = graph.resources[at].clone();
    let mut now = (*before).clone();
    now.params.set(0, "other".into());
    let n_visited = engine.0.n_visited();
    engine.0.exchange(Moment::default(), vec![Changed { at, before, now: Arc::new(now) }], Default::default());
    // Unwatch, watch, probe.
    assert_eq!(settle(&mut engine), 3);
    let n_visited = engine.0.n_visited() - n_visited;
    assert!(n_visited <= 20, "{n_visited}");
}

#[test]
fn a_chain_of_ten_thousand_is_no_recursion() {
    let n_vertices = 10_000;
    let mut draft = Draft::default();
    for index in 0..n_vertices {
        draft.add(&kinds::SCRIPTED, &format!("r{index}"));
    }
    let mut graph = (*draft.graph()).clone();
    for index in 1..n_vertices {
        let (from, to) = (VertexId(index - 1), VertexId(index));
        graph.edges.push(Edge { from, to, name: "".into(), notify: false });
    }
    let mut engine = Engine::over(Scheduler::new(Options::default(), Moment::default()));
    engine.0.switch(Moment::default(), Arc::new(graph), Default::default());
    settle(&mut engine);
    let scheduler = &engine.0;
    assert!(scheduler.graph.order().iter().all(|&slot| scheduler.conditions.is_clean(slot)));
}

#[test]
fn one_semaphore_before_many_stays_cheap() {
    let mut bench = Bench::new(Options { sema: 3, ..Options::default() });
    let mut draft = Draft::default();
    for index in 0..500 {
        let name = format!("r{index}");
        bench.script(&name, &[(0, 1)]);
        draft.add(&kinds::SCRIPTED, &name);
    }
    bench.switch(&draft);
    bench.pass(60_000);
    let scheduler = &bench.sim.machine.0;
    assert!(scheduler.graph.order().iter().all(|&slot| scheduler.conditions.is_clean(slot)));
    assert!(scheduler.queue.semaphores().all_free());
}
