//! Work in proportion to what changed: counted, not timed.

use super::{Bench, Draft, Engine, kinds};
use crate::protocol::{Input, Moment, Options, Output};
use crate::sched::Scheduler;
use crate::sim::Machine;
use crate::vocab::{CommandOutcome, Finding};
use std::sync::Arc;

/// A host that answers at once: everything is as wanted.
fn settle(engine: &mut Engine) -> usize {
    let mut n_outputs = 0;
    loop {
        match engine.poll() {
            Output::Idle { .. } => return n_outputs,
            Output::Probe(ticket, id, probes) => {
                n_outputs += 1;
                let good = CommandOutcome { status: Some(0), signal: None, output: None, stdout: None, stderr: None };
                let findings = probes.iter().map(|probe| match probe {
                    crate::vocab::Probe::ListStates { .. } => Finding::States(Vec::new()),
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
    let mut engine = Engine(Scheduler::new(Options::default(), Moment::default()));
    let graph = draft.graph();
    engine.0.switch(Moment::default(), graph.clone(), Default::default());
    let n_first = settle(&mut engine);
    assert!(n_first >= 2 * n_vertices, "{n_first}");
    let mut changed = (*graph).clone();
    let at = crate::rgraph::VertexId(1234);
    let mut resource = (*changed.resources[at]).clone();
    resource.params.values[0] = Some("other".into());
    changed.resources[at] = Arc::new(resource);
    engine.0.switch(Moment::default(), Arc::new(changed), Default::default());
    // Unwatch, watch, probe.
    assert_eq!(settle(&mut engine), 3);
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
        let (from, to) = (crate::rgraph::VertexId(index - 1), crate::rgraph::VertexId(index));
        graph.edges.push(crate::rgraph::Edge { from, to, name: "".into(), notify: false });
    }
    let mut engine = Engine(Scheduler::new(Options::default(), Moment::default()));
    engine.0.switch(Moment::default(), Arc::new(graph), Default::default());
    settle(&mut engine);
    let scheduler = &engine.0;
    assert!(scheduler.order.iter().all(|&slot| scheduler.vertex(slot).clean));
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
    assert!(scheduler.order.iter().all(|&slot| scheduler.vertex(slot).clean));
    assert!(scheduler.semaphores.all_free());
}
