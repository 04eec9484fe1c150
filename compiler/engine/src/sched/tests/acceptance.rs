//! The scenarios of engine spec 29, by number.

use super::{Bench, Draft, kinds};
use crate::protocol::{Options, Phase, StopMode, What};
use crate::sim::{Command, Scripted};

const CHANGED: (i32, u64) = (1, 0);
const OK: (i32, u64) = (0, 0);
const FAILS: (i32, u64) = (2, 0);

/// A chain that has run once and is idle.
fn settled_chain() -> Bench {
    let mut bench = Bench::new(Options::default());
    for name in ["A", "B", "C"] {
        bench.script(name, &[CHANGED, OK]);
    }
    bench.switch(&Draft::new("A B C").edges("A>B B>C"));
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B C");
    bench
}

#[test]
fn n1_a_chain_runs_once_in_order() {
    let mut bench = settled_chain();
    bench.pass(60_000);
    assert_eq!(bench.checks(), "");
}

#[test]
fn n2_initial_events_in_reverse_order_make_no_difference() {
    let mut bench = Bench::new(Options::default());
    // Declared, and so watched, in reverse order.
    for name in ["A", "B", "C"] {
        bench.script(name, &[CHANGED, OK]);
    }
    bench.switch(&Draft::new("C B A").edges("A>B B>C"));
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B C");
}

#[test]
fn n3_the_middle_of_a_diamond_overlaps_and_its_end_waits_for_both() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK]);
    bench.script("B", &[(0, 100)]);
    bench.script("C", &[(0, 300)]);
    bench.script("D", &[OK]);
    bench.switch(&Draft::new("A B C D").edges("A>B A>C B>D C>D"));
    bench.pass(1000);
    assert_eq!(bench.times("B"), bench.times("C"));
    assert!(bench.times("D")[0] >= 300, "{:?}", bench.times("D"));
    assert_eq!(bench.checks(), "A B C D");
}

#[test]
fn n4_after_an_event_successors_are_served_from_their_caches() {
    let mut bench = settled_chain();
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A");
}

#[test]
fn n5_an_event_at_the_end_asks_the_predecessors_first() {
    let mut bench = settled_chain();
    bench.event("C");
    bench.pass(1000);
    assert_eq!(bench.checks(), "C");
}

#[test]
fn n6_a_notification_is_a_reason_to_check() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK, CHANGED, OK]);
    bench.script("B", &[OK]);
    bench.switch(&Draft::new("A B").edges("A!B"));
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B");
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B");
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A");
}

#[test]
fn n7_a_notification_is_swallowed_by_what_cannot_react() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK, CHANGED]);
    bench.script("B", &[OK]);
    let mut draft = Draft::new("A");
    draft.add(&kinds::PLAIN, "B");
    bench.switch(&draft.edges("A!B"));
    bench.pass(1000);
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B A");
}

#[test]
fn n8_a_failed_attempt_leaves_the_notification_pending() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK, CHANGED]);
    bench.script("B", &[OK, FAILS, CHANGED, OK]);
    bench.switch(&Draft::new("A B").edges("A!B").meta("B", |meta| meta.retry = 1));
    bench.pass(1000);
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B A B B");
    let log = bench.sim.snapshot().log;
    assert!(log.iter().any(|line| line.text.starts_with("B refresh=true")), "{log:?}");
}

#[test]
fn a_notification_during_a_check_is_for_the_next_one() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK, CHANGED, OK]);
    bench.script("B", &[OK, (0, 500), CHANGED, OK]);
    bench.switch(&Draft::new("A B").edges("A!B"));
    bench.pass(100);
    bench.event("B");
    bench.pass(100);
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B B A B");
    let log = bench.sim.snapshot().log;
    assert!(log.iter().any(|line| line.text.starts_with("B refresh=true")), "{log:?}");
}

#[test]
fn n9_a_failure_stops_what_follows_and_nothing_else() {
    let mut bench = Bench::new(Options { converger_timeout: 1, ..Options::default() });
    bench.script("B", &[FAILS]);
    for name in ["A", "C", "D"] {
        bench.script(name, &[OK]);
    }
    bench.switch(&Draft::new("A B C D").edges("A>B B>C"));
    bench.pass(5000);
    assert!(!bench.events.iter().any(|event| matches!(event.what, What::Converged { .. })));
    assert_eq!(bench.failure("B").as_deref(), Some("B fails"));
    assert_eq!(bench.checks(), "A D B");
    // With B alone it converges.
    let mut bench = Bench::new(Options { converger_timeout: 1, ..Options::default() });
    bench.script("B", &[FAILS]);
    bench.switch(&Draft::new("B"));
    bench.pass(5000);
    assert!(bench.events.iter().any(|event| matches!(event.what, What::Converged { seconds: 1 })));
}

#[test]
fn n10_retries_share_a_budget_over_switches() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[FAILS]);
    let draft = Draft::new("A").meta("A", |meta| (meta.retry, meta.delay) = (2, 100));
    bench.switch(&draft);
    bench.pass(1000);
    assert_eq!(bench.times("A").windows(2).map(|pair| (pair[1] - pair[0]) / 100).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(bench.checks(), "A A A");
    // A changed resource is retried with the remaining budget: none.
    bench.switch(&draft.clone().text("A", "other"));
    bench.pass(1000);
    assert_eq!(bench.checks(), "A");
    bench.switch(&draft.text("A", "third").meta("A", |meta| meta.reset = true));
    bench.pass(1000);
    assert_eq!(bench.checks(), "A A A");
}

#[test]
fn n11_a_watch_that_fails_during_a_check_stops_it_without_counting() {
    // The watch command exits after half a second, while the check still runs.
    let mut bench = Bench::new(Options::default());
    let mut draft = Draft::default();
    let exec = crate::kinds::lookup("exec").expect("it is a kind");
    draft.add(exec, "A");
    let set = |resource: &mut crate::rgraph::Resource, field: &str, text: &str| {
        let index = exec.decl().index_of(field).expect("it is a field");
        resource.params.set(index, text.into());
    };
    set(draft.get("A"), "cmd", "/bin/sleep 0.8");
    set(draft.get("A"), "watchcmd", "/bin/sleep 0.5");
    let draft = draft.meta("A", |meta| meta.retry = 1);
    bench.switch(&draft);
    bench.pass(950);
    assert_eq!(bench.checks(), "A A");
    bench.pass(3000);
    assert_eq!(bench.failure("A").as_deref(), Some("watch failed: reached EOF"));
}

#[test]
fn n12_an_event_during_a_check_makes_one_more() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(0, 100)]);
    bench.switch(&Draft::new("A"));
    bench.pass(50);
    bench.event("A");
    bench.pass(20);
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A A");
}

#[test]
fn n13_a_limit_spreads_events() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK]);
    bench.switch(&Draft::new("A").meta("A", |meta| (meta.limit, meta.burst) = (1.0, 1)));
    bench.pass(10);
    for _ in 0..5 {
        bench.event("A");
        bench.pass(10);
    }
    bench.pass(20_000);
    let times = bench.times("A");
    assert_eq!(times.len(), 2, "events that wait together are one run: {times:?}");
    assert!((900..1100).contains(&(times[1] - times[0])), "{times:?}");
}

#[test]
fn n14_polling_replaces_the_watch() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK]);
    bench.script("B", &[OK]);
    let draft = Draft::new("A B").meta("A", |meta| meta.poll = 1).meta("B", |meta| meta.poll = -1);
    bench.switch(&draft);
    bench.pass(3500);
    bench.event("A");
    bench.event("B");
    bench.pass(100);
    assert_eq!((bench.n_runs("A"), bench.n_runs("B")), (4, 1));
    let is_once = |slot| bench.sim.machine.0.watches.watching(slot) == crate::sched::state::Watching::Once;
    assert_eq!(bench.sim.machine.0.graph.order().iter().filter(|&&slot| is_once(slot)).count(), 1);
}

#[test]
fn n15_semaphores_let_so_many_run() {
    let waves = |options: Options, sema: Option<&str>| {
        let mut bench = Bench::new(options);
        let mut draft = Draft::new("A B C D E");
        for name in ["A", "B", "C", "D", "E"] {
            bench.script(name, &[(0, 1000)]);
            if let Some(sema) = sema {
                draft = draft.meta(name, |meta| meta.sema = vec![sema.into()]);
            }
        }
        bench.switch(&draft);
        bench.pass(10_000);
        assert!(bench.sim.machine.0.queue.semaphores().all_free());
        let mut starts: Vec<u64> = ["A", "B", "C", "D", "E"].iter().map(|name| bench.times(name)[0] / 900).collect();
        starts.sort();
        starts
    };
    assert_eq!(waves(Options::default(), Some("x:2")), [0, 0, 1, 1, 2]);
    assert_eq!(waves(Options { sema: 1, ..Options::default() }, None), [0, 1, 2, 3, 4]);
    assert_eq!(waves(Options { parallel: 2, ..Options::default() }, None), [0, 0, 1, 1, 2]);
    assert_eq!(waves(Options::default(), None), [0, 0, 0, 0, 0]);
}

#[test]
fn n16_a_sent_value_makes_its_receiver_dirty_once() {
    let mut bench = Bench::new(Options::default());
    bench.says("A", &["v1", "v2", "v2"]);
    bench.script("B", &[CHANGED]);
    bench.switch(&Draft::new("A B").send("A", "B").text("B", "own"));
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B");
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A B");
    bench.event("A");
    bench.pass(1000);
    assert_eq!(bench.checks(), "A");
    bench.event("B");
    bench.pass(1000);
    let log: Vec<String> = bench.sim.snapshot().log.into_iter().map(|line| line.text).collect();
    let received = |line: &&String| line.starts_with("B ");
    let marks: Vec<bool> = log.iter().filter(received).map(|line| line.contains("(\"text\", true)")).collect();
    assert_eq!(marks, [true, true, false], "{log:?}");
}

#[test]
fn n17_the_mark_of_a_new_value_outlives_a_failure() {
    let mut bench = Bench::new(Options::default());
    bench.says("A", &["v1"]);
    bench.script("B", &[FAILS, CHANGED, OK]);
    bench.switch(&Draft::new("A B").send("A", "B").meta("B", |meta| meta.retry = 1));
    bench.pass(1000);
    let log = bench.sim.snapshot().log;
    assert!(log.iter().any(|line| line.text.contains("B refresh=false received=[(\"text\", true)]")), "{log:?}");
}

#[test]
fn n18_n19_a_switch_restarts_only_what_changed() {
    let mut bench = settled_chain();
    let draft = Draft::new("A B C").edges("A>B B>C");
    bench.switch(&draft);
    bench.pass(1000);
    assert_eq!(bench.checks(), "");
    bench.switch(&draft.text("B", "other"));
    bench.pass(1000);
    assert_eq!(bench.checks(), "B");
}

#[test]
fn n23_convergence_waits_for_quiet() {
    let mut bench = Bench::new(Options { converger_timeout: 5, converged_exit: true, ..Options::default() });
    bench.script("A", &[CHANGED, OK, CHANGED, OK]);
    bench.switch(&Draft::new("A"));
    bench.pass(4000);
    bench.event("A");
    bench.pass(4900);
    assert_eq!(bench.sim.exit(), None);
    bench.pass(200);
    assert_eq!(bench.sim.exit(), Some(0));
}

#[test]
fn n24_the_ladder_waits_cancels_and_kills() {
    let run = |stops: &[StopMode], ignores_signals: bool| {
        let mut bench = Bench::new(Options::default());
        let runs = vec![Scripted { duration_ms: 10_000, ignores_signals, ..Scripted::default() }];
        bench.sim.change(|world| world.set_command(Command { line: "A".into(), runs }));
        bench.script("B", &[OK]);
        bench.switch(&Draft::new("A B").edges("A>B"));
        bench.pass(100);
        for &mode in stops {
            bench.stop(mode);
            bench.pass(100);
        }
        let ended_early = bench.sim.exit();
        bench.pass(20_000);
        assert_eq!(bench.n_runs("B"), 0, "nothing starts any more");
        (ended_early, bench.sim.exit())
    };
    use StopMode::{Graceful, Hard, Soft};
    assert_eq!(run(&[Graceful], false), (None, Some(0)));
    assert_eq!(run(&[Graceful, Soft], false), (Some(0), Some(0)));
    assert_eq!(run(&[Graceful, Soft], true), (None, Some(0)), "what does not care is waited for");
    assert_eq!(run(&[Graceful, Soft, Hard], true), (Some(0), Some(0)));
}

#[test]
fn a_timeout_is_a_failure_that_is_reported() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[(0, 10_000)]);
    bench.switch(&Draft::new("A").meta("A", |meta| meta.timeout = 400));
    bench.pass(1000);
    let failure = bench.failure("A").unwrap();
    assert!(failure.starts_with("timeout after 0.4"), "{failure}");
}

#[test]
fn a_dry_run_changes_nothing_and_lets_others_go_on() {
    let mut bench = Bench::new(Options { noop: true, converger_timeout: 1, ..Options::default() });
    bench.script("A", &[CHANGED]);
    bench.script("B", &[CHANGED]);
    bench.switch(&Draft::new("A B").edges("A!B"));
    bench.pass(3000);
    assert!(bench.sim.snapshot().log.is_empty());
    let would =
        |event: &&crate::protocol::Event| matches!(event.what, What::Resource { phase: Phase::WouldChange, .. });
    assert_eq!(bench.events.iter().filter(would).count(), 2);
    assert!(bench.events.iter().any(|event| matches!(event.what, What::Converged { .. })));
}

#[test]
fn a_hidden_resource_only_takes_part_in_the_order() {
    let mut bench = Bench::new(Options::default());
    bench.script("A", &[OK]);
    bench.script("B", &[OK]);
    bench.script("C", &[(0, 50)]);
    bench.switch(&Draft::new("A B C").edges("C>A A>B").meta("A", |meta| meta.hidden = true));
    bench.pass(1000);
    assert_eq!(bench.checks(), "C B");
}

#[test]
fn once_ends_when_all_is_done_or_never_will_be() {
    let run = |script: (i32, u64)| {
        let mut bench = Bench::new(Options { once: true, ..Options::default() });
        bench.script("A", &[script]);
        bench.script("B", &[OK]);
        bench.switch(&Draft::new("A B").edges("A>B"));
        for _ in 0..100 {
            bench.pass(10);
            let now = bench.sim.now();
            bench.sim.machine.0.end_once(now);
            bench.sim.tell(crate::protocol::Input::Tick);
        }
        bench.sim.exit()
    };
    assert_eq!(run((1, 200)), Some(0));
    assert_eq!(run(FAILS), Some(3));
}
