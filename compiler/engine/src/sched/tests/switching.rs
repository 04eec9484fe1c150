//! Graph switches: resources that are kept, wait, are undone, or are unpublished.

use super::{Bench, Draft};
use crate::protocol::{Moment, Options, Phase, What};
use crate::sched::Scheduler;
use crate::vocab::KeyStore;

const OK: (i32, u64) = (0, 0);

#[test]
fn a_switch_waits_for_what_runs_and_only_the_newest_graph_counts() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(0, 1000)]);
    bench.script("B", &[OK]);
    bench.script("C", &[OK]);
    bench.switch(&Draft::new("A"));
    bench.pass(100);
    bench.switch(&Draft::new("B"));
    bench.switch(&Draft::new("C"));
    bench.pass(500);
    assert_eq!(bench.checks(), "A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "C");
}

#[test]
fn what_waited_for_a_predecessor_that_left_goes_on() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(2, 0)]);
    bench.script("B", &[OK]);
    let draft = Draft::new("A B").edges("A>B");
    bench.switch(&draft);
    bench.pass(100);
    assert_eq!(bench.checks(), "A");
    bench.switch(&Draft::new("B"));
    bench.pass(100);
    assert_eq!(bench.checks(), "B");
}

#[test]
fn a_pending_notification_outlives_a_switch_and_a_restart() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(1, 0), OK]);
    bench.script("B", &[(2, 0), OK]);
    let draft = Draft::new("A B").edges("A!B").meta("B", |meta| (meta.retry, meta.delay) = (-1, 60_000));
    bench.switch(&draft);
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B");
    // Another agent on the same host, after a kill.
    let mut host = std::mem::replace(&mut bench.sim.host, crate::sim::SimHost::new(""));
    host.restart();
    let engine = super::Engine::over(Scheduler::new(Options::default(), Moment::default()));
    bench.sim = crate::sim::Sim::new(engine, host);
    bench.script("A", &[OK]);
    bench.script("B", &[(1, 0), OK]);
    bench.switch(&draft);
    bench.pass(1000);
    let log = bench.sim.snapshot().log;
    assert!(log.iter().any(|line| line.text.starts_with("B refresh=true")), "{log:?}");
}

#[test]
fn new_wires_count_for_what_is_kept() {
    let mut bench = Bench::new(Options::default());
    bench.says("A", &["a"]);
    bench.says("B", &["b"]);
    bench.script("C", &[OK]);
    bench.switch(&Draft::new("A B C").send("A", "C"));
    bench.pass(1000);
    bench.switch(&Draft::new("A B C").send("B", "C"));
    bench.pass(1000);
    let graph = bench.sim.machine.0.graph();
    let text = graph.resources.values().find(|resource| *resource.id.name == *"C").unwrap().params.get(0).cloned();
    assert_eq!(text, Some("b".into()));
}

#[test]
fn what_is_exported_is_published_and_taken_back() {
    let mut bench = Bench::new(Options { hostname: "host1".into(), ..Options::default() });
    bench.script("A", &[OK]);
    let draft = Draft::new("A").meta("A", |meta| meta.export = vec!["*".into(), "host2".into()]);
    bench.switch(&draft);
    bench.pass(1000);
    let published = |bench: &Bench, target: &str| {
        let key = format!("exported/{target}/host1/scripted/A");
        bench.sim.host.world().key(KeyStore::World, &key).is_some()
    };
    assert!(published(&bench, "*") && published(&bench, "host2"));
    assert_eq!(bench.checks(), "A");
    bench.switch(&Draft::default());
    bench.pass(1000);
    assert!(!published(&bench, "*") && !published(&bench, "host2"));
}

#[test]
fn what_is_exported_for_other_hosts_is_taken_back_from_those_before() {
    let mut bench = Bench::new(Options { hostname: "host1".into(), ..Options::default() });
    bench.script("A", &[OK]);
    let for_hosts = |hosts: &[&str]| {
        let hosts: Vec<String> = hosts.iter().map(|&host| host.into()).collect();
        Draft::new("A").meta("A", |meta| meta.export = hosts)
    };
    let published = |bench: &Bench| -> Vec<&'static str> {
        let is_there = |target: &&str| {
            let key = format!("exported/{target}/host1/scripted/A");
            bench.sim.host.world().key(KeyStore::World, &key).is_some()
        };
        ["*", "host2", "host3"].into_iter().filter(is_there).collect()
    };
    for hosts in [&["*", "host2"][..], &["host2", "host3"], &["host3"], &["*"]] {
        bench.switch(&for_hosts(hosts));
        bench.pass(1000);
        assert_eq!(published(&bench), hosts);
    }
}

#[test]
fn a_switch_says_how_much_it_changed() {
    let mut bench = Bench::new(Options::default());
    let draft = Draft::new("A B C");
    bench.switch(&draft);
    bench.pass(100);
    bench.events.clear();
    bench.switch(&draft.text("B", "other"));
    bench.pass(100);
    let switched = bench.events.iter().find_map(|event| match event.what {
        What::GraphSwitched { added, removed, .. } => Some((added, removed)),
        _ => None,
    });
    assert_eq!(switched, Some((1, 1)));
}

#[test]
fn what_is_replaced_does_not_leave() {
    let mut bench = Bench::new(Options::default());
    let draft = Draft::new("A B C");
    let left = |bench: &mut Bench, next: &Draft| -> Vec<String> {
        bench.pass(100);
        bench.events.clear();
        bench.switch(next);
        bench.pass(100);
        let left = bench.events.iter().filter_map(|event| match &event.what {
            What::Resource { id, phase: Phase::Removed, .. } => Some(id.name.to_string()),
            _ => None,
        });
        left.collect()
    };
    bench.switch(&draft);
    assert_eq!(left(&mut bench, &draft.text("B", "other")), [""; 0]);
    assert_eq!(left(&mut bench, &Draft::new("A C")), ["B"]);
}

#[test]
fn late_and_doubled_answers_are_dropped() {
    let mut bench = Bench::start(&Draft::new("A"));
    bench.sim.record();
    bench.pass(1000);
    let (trace, _) = bench.sim.take_trace();
    bench.checks();
    for (_, input) in trace {
        if !matches!(input, crate::protocol::Input::Fired(..)) {
            bench.sim.tell(input);
        }
    }
    bench.pass(1000);
    assert_eq!(bench.checks(), "");
}
