//! The order of execution: vertices that wait for a semaphore, and those that never stop waiting.

use super::{Bench, Draft};
use crate::kinds;
use crate::protocol::{Input, Options};
use crate::rgraph::{Changed, VertexId};
use crate::sched::state::Watching;
use crate::value::Value;
use crate::vocab::{HostError, HostErrorKind};

const OK: (i32, u64) = (0, 0);

/// A holds what B and then C wait for.
fn queued(b: impl FnOnce(Draft) -> Draft) -> Bench {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(0, 300)]);
    bench.script("B", &[OK]);
    bench.script("C", &[OK]);
    let draft = ["A", "B", "C"]
        .into_iter()
        .fold(Draft::new("A B C"), |draft, name| draft.meta(name, |meta| meta.sema = vec!["x".into()]));
    bench.switch(&b(draft));
    bench.pass(100);
    assert_eq!(bench.checks(), "A");
    bench
}

fn break_watch(bench: &mut Bench, name: &str) {
    let scheduler = &bench.sim.machine.0;
    let slot = scheduler.graph.order().iter().find(|&&slot| *scheduler.graph.resource(slot).id.name == *name).unwrap();
    let Watching::On(ticket) = scheduler.watches.watching(*slot) else { panic!("{name} is not watched") };
    let error = HostError::new(HostErrorKind::Other, "the watch is gone");
    bench.sim.tell(Input::WatchFailed(ticket, error));
}

#[test]
fn one_that_failed_in_the_queue_leaves_the_semaphore_to_the_next() {
    let mut bench = queued(|draft| draft);
    break_watch(&mut bench, "B");
    bench.pass(300);
    assert!(bench.failure("B").is_some());
    assert_eq!(bench.checks(), "C");
}

#[test]
fn one_that_has_to_wait_for_its_watch_leaves_the_semaphore_to_the_next() {
    let mut bench = queued(|draft| draft.meta("B", |meta| (meta.retry, meta.delay) = (1, 5000)));
    break_watch(&mut bench, "B");
    bench.pass(300);
    assert_eq!(bench.checks(), "C");
    bench.pass(5000);
    assert_eq!(bench.checks(), "B");
}

#[test]
fn one_that_is_limited_leaves_the_semaphore_to_the_next() {
    let mut bench = queued(|draft| draft.meta("B", |meta| (meta.limit, meta.burst) = (0.5, 1)));
    bench.event("B");
    bench.pass(300);
    assert_eq!(bench.checks(), "C");
    bench.pass(2000);
    assert_eq!(bench.checks(), "B");
}

#[test]
fn what_is_only_looked_at_goes_again_behind_one_that_is_clean() {
    let mut bench = Bench::new(Options::default());
    for name in ["A", "B", "C"] {
        bench.script(name, &[OK]);
    }
    let draft = Draft::new("A B C").edges("A>B B>C").meta("C", |meta| meta.noop = true);
    bench.switch(&draft);
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B C");
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A C");
    // The same when one of them is replaced.
    let before = draft.graph().resources[VertexId(0)].clone();
    let mut now = (*before).clone();
    now.params.set(0, Value::from("other"));
    let (at, now_ms) = (VertexId(0), bench.sim.now());
    let change = Changed { at, before, now: now.into() };
    bench.sim.machine.0.exchange(now_ms, vec![change], Default::default());
    bench.sim.tell(Input::Tick);
    bench.pass(1000);
    assert_eq!(bench.checks(), "A C");
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A C");
}

#[test]
fn a_notification_begins_the_period_of_a_timer_anew() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK, (1, 0), OK]);
    let mut draft = Draft::new("A");
    draft.add(kinds::lookup("timer").unwrap(), "T");
    draft.get("T").params.set(0, Value::Int(2));
    bench.switch(&draft.edges("A!T"));
    bench.pass(3000);
    bench.event("A");
    bench.pass(4500);
    let mut tenths: Vec<u64> = bench.times("T").into_iter().map(|ms| ms / 100).collect();
    tenths.dedup(); // each watch begins with an event
    assert_eq!(tenths, [0, 20, 30, 50, 70]);
}

#[test]
fn who_waits_is_told_for_whom_and_behind_which_failure() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(0, 200)]);
    bench.script("B", &[(0, 400)]);
    bench.script("C", &[(2, 600), (0, 0)]);
    bench.script("D", &[OK]);
    bench.script("E", &[OK]);
    bench.switch(&Draft::new("A B C D E").edges("A>D B>D C>D D>E"));
    bench.pass(100);
    assert_eq!(bench.waits(), ["D for A", "E for D"]);
    // A report that was not final is repeated.
    bench.pass(400);
    assert_eq!(bench.waits(), ["D for B", "D for C"]);
    bench.pass(200);
    assert_eq!(bench.waits(), ["D depends on C, which failed", "E depends on C, which failed"]);
    // Waiting resources are not reported twice, and stop waiting when the failure ends.
    bench.event("D");
    bench.pass(100);
    assert_eq!(bench.waits(), [""; 0]);
    bench.event("C");
    bench.pass(100);
    assert_eq!(bench.checks(), "A B C C D E");
    // One that was up to date and has something to do again.
    bench.script("C", &[(2, 0)]);
    bench.event("C");
    bench.event("E");
    bench.pass(100);
    assert_eq!(bench.waits(), ["E depends on C, which failed"]);
}
