//! Nothing is given up permanently: a failed resource with a watch is looked at again when that fires.

use super::{Bench, Draft, Engine, kinds};
use crate::protocol::{Input, Machine, Moment, Options, Output, Phase, StopMode, What, status};
use crate::sched::Scheduler;
use crate::sched::state::Watching;
use crate::vocab::{CommandOutcome, Finding, HostError, HostErrorKind, Outcome, Probe, state};

const CHANGED: (i32, u64) = (1, 0);
const OK: (i32, u64) = (0, 0);
const FAILS: (i32, u64) = (2, 0);

/// A failed resource, and one blocked by it.
fn failed(then: &[(i32, u64)]) -> Bench {
    let mut bench = Bench::new(Options { converger_timeout: 5, ..Options::default() });
    let runs: Vec<(i32, u64)> = [FAILS, FAILS].iter().chain(then).copied().collect();
    bench.script("A", &runs);
    bench.script("B", &[OK]);
    bench.switch(&Draft::new("A B").edges("A>B").meta("A", |meta| meta.retry = 1));
    bench.pass(60_000);
    assert_eq!(bench.checks(), "A A");
    assert!(bench.failure("A").is_some());
    bench
}

#[test]
fn an_event_makes_it_look_again_and_what_waits_goes_on() {
    let mut bench = failed(&[CHANGED, OK]);
    bench.event("A");
    bench.pass(4_000);
    assert!(!bench.events.iter().any(|event| matches!(event.what, What::Converged { .. })));
    bench.pass(4_000);
    assert!(bench.events.iter().any(|event| matches!(event.what, What::Converged { .. })));
    assert_eq!(bench.checks(), "A B");
    assert_eq!(bench.failure("A"), None);
    assert_eq!(bench.sim.machine.0.conditions.n_failed(), 0);
}

#[test]
fn each_event_is_one_look_and_no_further_attempts() {
    let mut bench = failed(&[FAILS]);
    for _ in 0..3 {
        bench.event("A");
        bench.pass(1_000);
        assert!(bench.failure("A").is_some());
        let n_told =
            bench.events.iter().filter(|event| matches!(&event.what, What::Resource { phase: Phase::Failed, .. }));
        assert_eq!(n_told.count(), 1);
        assert_eq!(bench.checks(), "A");
    }
    assert_eq!(bench.sim.machine.0.conditions.n_failed(), 1);
}

#[test]
fn the_exit_status_says_what_has_failed() {
    let mut bench = failed(&[OK]);
    bench.stop(StopMode::Graceful);
    assert_eq!(bench.sim.exit(), Some(status::FAILED));
    let mut bench = failed(&[OK]);
    bench.event("A");
    bench.pass(1_000);
    bench.stop(StopMode::Graceful);
    assert_eq!(bench.sim.exit(), Some(status::GOOD));
}

#[test]
fn a_poll_goes_on_after_a_failure() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[FAILS, FAILS, OK]);
    bench.switch(&Draft::new("A").meta("A", |meta| meta.poll = 10));
    bench.pass(35_000);
    // An event takes a millisecond.
    assert_eq!(bench.times("A"), [1, 10_001, 20_001, 30_001]);
    assert_eq!(bench.failure("A"), None);
}

/// A resource whose failure can end without an event, and one blocked by it.
fn blocked(options: Options, refine: impl FnOnce(Draft) -> Draft) -> Bench {
    let mut bench = Bench::new(options);
    bench.sim.change(|world| world.write("/w/A.block", "")).unwrap();
    bench.script("B", &[OK]);
    let mut draft = Draft::new("B");
    draft.add(&kinds::BLOCKED, "A");
    bench.switch(&refine(draft.edges("A>B")));
    bench
}

#[test]
fn what_no_event_tells_of_is_looked_at_again_less_and_less_often() {
    let mut bench = blocked(Options::default(), |draft| draft);
    bench.pass(20_000);
    let times = bench.looks("A");
    let waits: Vec<u64> = times.windows(2).map(|pair| (pair[1] - pair[0]) / 1000).filter(|wait| *wait > 0).collect();
    assert_eq!(waits, [2, 4, 8]);
    assert_eq!(bench.failure("A").as_deref(), Some("something is in the way"));
    bench.events.clear();
    let n_before = times.len();
    bench.pass(24 * 3_600_000);
    let n_looks = bench.looks("A").len() - n_before;
    assert!((280..300).contains(&n_looks), "{n_looks} looks in a day");
    assert!(bench.events.is_empty(), "a failure that stays as it is is no news: {:?}", bench.events);
    bench.sim.change(|world| world.remove("/w/A.block")).unwrap();
    bench.pass(300_000);
    assert_eq!((bench.checks().as_str(), bench.failure("A")), ("A B", None));
    // Once it is up to date there are no more looks by the clock.
    let n_looks = bench.looks("A").len();
    bench.pass(3_600_000);
    assert_eq!((bench.checks().as_str(), bench.looks("A").len()), ("", n_looks));
    assert_eq!(bench.sim.machine.poll(), Output::Idle { wake: None }, "an idle host is left asleep");
    bench.sim.change(|world| world.write("/w/A.block", "")).unwrap();
    bench.event("A");
    bench.pass(1_000);
    assert!(bench.failure("A").is_some());
    bench.sim.change(|world| world.remove("/w/A.block")).unwrap();
    bench.pass(2_000);
    assert_eq!(bench.failure("A"), None, "it begins anew with a short wait");
}

#[test]
fn attempts_come_before_and_a_resource_that_leaves_is_not_looked_at() {
    let mut bench = blocked(Options::default(), |draft| draft.meta("A", |meta| (meta.retry, meta.delay) = (2, 10_000)));
    bench.pass(19_000);
    assert_eq!((bench.times("A").len(), bench.failure("A")), (2, None), "its own attempts have their delay");
    bench.pass(3_000);
    assert!(bench.failure("A").is_some());
    bench.checks();
    bench.script("C", &[OK]);
    bench.switch(&Draft::new("C"));
    bench.pass(3_600_000);
    assert_eq!(bench.checks(), "C");
}

#[test]
fn a_run_that_ends_by_itself_does_not_wait_for_another_look() {
    let mut bench = blocked(Options { once: true, ..Options::default() }, |draft| draft);
    bench.pass(3_600_000);
    let last = bench.looks("A").last().copied();
    assert!(last.is_some_and(|at| at < 1_000), "the last look is at {last:?}");
    // A polled resource is looked at only by polling.
    let mut bench = blocked(Options::default(), |draft| draft.meta("A", |meta| meta.poll = 600));
    bench.pass(590_000);
    assert_eq!(bench.looks("A").into_iter().filter(|at| *at > 1_000).count(), 0);
}

#[test]
fn another_failure_is_reported_and_so_is_the_end_of_it() {
    let mut bench = blocked(Options::default(), |draft| draft);
    bench.pass(1_000);
    bench.events.clear();
    bench.sim.change(|world| world.write("/w/A.block", "a wall")).unwrap();
    bench.pass(300_000);
    let told = |bench: &mut Bench| -> Vec<(Phase, String)> {
        let told = std::mem::take(&mut bench.events).into_iter().filter_map(|event| match event.what {
            What::Resource { id, phase, text, .. } if *id.name == *"A" => Some((phase, text)),
            _ => None,
        });
        told.collect()
    };
    let failed = (Phase::Failed, "a wall is in the way".to_string());
    assert_eq!(told(&mut bench), [(Phase::Checking, String::new()), failed]);
    // Events in the meantime are a separate reason, which is reported.
    bench.event("A");
    bench.pass(1_000);
    assert!(told(&mut bench).iter().any(|(phase, _)| *phase == Phase::Failed));
    bench.sim.change(|world| world.remove("/w/A.block")).unwrap();
    bench.pass(300_000);
    assert_eq!(told(&mut bench), [(Phase::Checking, String::new()), (Phase::InState, String::new())]);
}

#[test]
fn a_watch_that_failed_sees_nothing() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK]);
    bench.switch(&Draft::new("A"));
    bench.pass(1_000);
    let scheduler = &bench.sim.machine.0;
    let Watching::On(ticket) = scheduler.watches.watching(scheduler.graph.order()[0]) else { panic!("it is watched") };
    let error = HostError::new(HostErrorKind::Other, "the watch is gone");
    bench.sim.tell(Input::WatchFailed(ticket, error));
    bench.checks();
    bench.event("A");
    bench.pass(1_000);
    assert_eq!(bench.checks(), "");
    assert_eq!(bench.failure("A").as_deref(), Some("watch failed: the watch is gone"));
}

#[test]
fn a_record_that_could_not_be_written_is_tried_again() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK]);
    let mut draft = Draft::default();
    draft.add(&kinds::STUBBORN, "A");
    bench.switch(&draft.meta("A", |meta| meta.reverse = true));
    bench.pass(1_000);
    assert_eq!(bench.failure("A").as_deref(), Some("nobody knows how to undo it"));
    assert_eq!(bench.checks(), "");
    bench.sim.change(|world| world.write("/w/A.undo", "")).unwrap();
    bench.event("A");
    bench.pass(1_000);
    assert_eq!(bench.checks(), "A");
    assert_eq!(bench.failure("A"), None);
}

#[test]
fn what_the_program_makes_is_no_news_for_who_has_never_been_right() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[FAILS, OK, FAILS]);
    bench.script("M", &[OK, CHANGED]);
    let mut draft = Draft::new("A");
    draft.add(&kinds::MAKER, "M");
    bench.switch(&draft.text("M", "A"));
    bench.pass(1_000);
    bench.checks();
    bench.event("M");
    bench.pass(3_000);
    assert_eq!(bench.checks(), "M");
    // Changes from outside count, and so does everything for a resource that was once up to date.
    bench.sim.change(|world| world.remove("/w/A")).unwrap();
    bench.pass(3_000);
    assert_eq!((bench.checks().as_str(), bench.failure("A")), ("A", None));
    bench.event("A");
    bench.pass(3_000);
    bench.script("A", &[FAILS, OK]);
    bench.sim.change(|world| world.remove("/w/A")).unwrap();
    bench.pass(3_000);
    assert!(bench.failure("A").is_some());
    bench.event("M");
    bench.pass(3_000);
    assert_eq!(bench.failure("A"), None);
}

#[test]
fn an_event_while_the_last_attempt_runs_is_one_more_look() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(2, 500), OK]);
    bench.switch(&Draft::new("A"));
    bench.pass(100);
    bench.event("A");
    bench.pass(1_000);
    assert_eq!(bench.checks(), "A A");
    assert_eq!(bench.failure("A"), None);
}

/// How often a host is asked that refuses looks, or (`sees`) only changes, and how the run ends.
fn asked_of_a_refusing_host(sees: bool) -> (usize, usize, Option<i32>) {
    let mut engine = Engine::over(Scheduler::new(Options { once: true, ..Options::default() }, Moment::default()));
    let draft = Draft::new("A B").edges("A>B").meta("A", |meta| (meta.retry, meta.delay) = (-1, 0));
    engine.0.switch(Moment::default(), draft.graph(), Default::default());
    let (mut n_looks, mut n_changes) = (0, 0);
    let refusal = || HostError::new(HostErrorKind::Refused, "the policy does not allow it");
    for now in (0..).map(|ms| Moment::default().plus_ms(ms)).take(10_000) {
        let input = match engine.poll() {
            Output::Probe(ticket, _, probes) => {
                let is_look = |probe: &&Probe| matches!(probe, Probe::Command(_));
                n_looks += probes.iter().filter(is_look).count();
                let drifted =
                    CommandOutcome { status: Some(1), signal: None, output: None, stdout: None, stderr: None };
                let answer = |probe: &Probe| match probe {
                    Probe::Command(_) if sees => Finding::Command(drifted.clone()),
                    Probe::Command(_) => Finding::Failed(refusal()),
                    _ => Finding::State(state::Finding::All(Vec::new())),
                };
                Input::Probed(ticket, probes.iter().map(answer).collect())
            }
            Output::Apply(ticket, ..) => {
                n_changes += 1;
                Input::Applied(ticket, vec![Outcome::Failed(refusal())])
            }
            Output::Exit { status } => return (n_looks, n_changes, Some(status)),
            Output::Idle { .. } => {
                engine.0.end_once(now);
                Input::Tick
            }
            _ => continue,
        };
        engine.handle(now, input);
    }
    (n_looks, n_changes, None)
}

#[test]
fn what_the_host_refuses_is_asked_once_however_many_attempts_there_are() {
    assert_eq!(asked_of_a_refusing_host(false), (1, 0, Some(status::FAILED)));
    assert_eq!(asked_of_a_refusing_host(true), (1, 1, Some(status::FAILED)));
}
