//! Repeated interference is reported once and slowed down; a single event is handled immediately.

use super::{Bench, Draft, kinds};
use crate::protocol::{Options, Phase, What};

const CHANGED: (i32, u64) = (1, 0);
const OK: (i32, u64) = (0, 0);

/// The reports about flapping.
fn told(bench: &Bench) -> Vec<String> {
    let told = bench.events.iter().filter_map(|event| match &event.what {
        What::Resource { id, phase: Phase::Limited, text, .. } => Some(format!("{id} {text}")),
        _ => None,
    });
    told.collect()
}

/// A number of events at an interval.
fn flood(bench: &mut Bench, name: &str, n_events: usize, ms: u64) {
    for _ in 0..n_events {
        bench.event(name);
        bench.pass(ms);
    }
}

fn started(status: i32) -> Bench {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(status, 0)]);
    bench.script("B", &[OK]);
    bench.switch(&Draft::new("A B").edges("A>B"));
    bench.pass(30_000);
    bench.checks();
    bench
}

#[test]
fn a_fighter_is_reported_once_and_slowed() {
    let mut bench = started(CHANGED.0);
    flood(&mut bench, "A", 30_000, 2);
    let told = told(&bench);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("scripted[A] 21 repairs in 0.0 s: something outside this program"), "{told:?}");
    assert!(told[0].contains("last event: /w/A; last change: print"), "{told:?}");
    let n_checks = bench.times("A").len();
    // Twenty immediately, seven with growing rests, and then one every 3.2 s.
    assert!((40..60).contains(&n_checks), "{n_checks}");
}

#[test]
fn single_events_are_answered_at_once_before_and_after() {
    let mut bench = started(CHANGED.0);
    for round in 0..2 {
        for _ in 0..10 {
            bench.event("A");
            let now = bench.sim.now().0 / 1_000_000;
            bench.pass(600);
            // An event takes a millisecond.
            assert_eq!(bench.times("A"), [now + 1], "round {round}");
            bench.checks();
        }
        flood(&mut bench, "A", 1000, 5);
        bench.checks();
        bench.pass(14_000);
        let quiet = |event: &crate::protocol::Event| matches!(&event.what, What::Log { text } if text.starts_with("scripted[A] is stable again after "));
        assert!(bench.events.iter().any(quiet));
        bench.checks();
    }
}

#[test]
fn the_last_event_of_a_flood_is_answered() {
    let mut bench = started(CHANGED.0);
    flood(&mut bench, "A", 5000, 2);
    let last = bench.sim.now().0 / 1_000_000;
    bench.pass(3_300);
    let times = bench.times("A");
    assert!(times.last().is_some_and(|time| *time + 2 >= last), "{times:?}");
}

#[test]
fn who_looks_by_the_clock_or_says_how_often_is_left_alone() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[CHANGED]);
    bench.switch(&Draft::new("A").meta("A", |meta| (meta.limit, meta.burst) = (1000.0, 1000)));
    flood(&mut bench, "A", 1000, 2);
    assert!(bench.times("A").len() >= 1000);
}

#[test]
fn events_that_change_nothing_are_slowed_less() {
    let mut bench = started(OK.0);
    flood(&mut bench, "A", 10_000, 2);
    let told = told(&bench);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("up to date each time"), "{told:?}");
    let n_checks = bench.times("A").len();
    assert!((180..220).contains(&n_checks), "{n_checks}");
}

#[test]
fn two_resources_over_one_path_are_both_named_and_reported_once() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[CHANGED]);
    let mut draft = Draft::new("A B");
    draft.add(&kinds::PLAIN, "A");
    bench.script("B", &[OK]);
    bench.switch(&draft);
    flood(&mut bench, "A", 5000, 2);
    let told = told(&bench);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("`scripted[A]` and `plain[A]` change the same object and undo each other"), "{told:?}");
}

#[test]
fn who_waits_for_a_restless_one_does_not_wait_for_its_rest() {
    let mut bench = started(CHANGED.0);
    flood(&mut bench, "A", 5000, 2);
    bench.event("A");
    bench.pass(10);
    bench.checks();
    bench.event("B");
    bench.pass(10);
    assert_eq!(bench.checks(), "A B");
}

#[test]
fn a_restless_one_that_leaves_takes_its_timers_with_it() {
    let mut bench = started(CHANGED.0);
    flood(&mut bench, "A", 5000, 2);
    bench.switch(&Draft::new("B"));
    bench.pass(60_000);
    assert!(bench.sim.machine.0.pacing.is_all_quiet());
    assert_eq!(bench.sim.machine.0.clock.next_at(), None);
}
