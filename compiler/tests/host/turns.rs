//! A program that is slow at work: everything else continues, and a replay comes to the same.

use crate::Run;
use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::trace::{Header, Trace};
use mclive_compiler::protocol::{Input, Options, StopMode, What};
use mclive_compiler::sim::{Replay, SimHost};

/// More than ten slices of work for a text like the one below.
const PROGRAM: &str = r#"
import "os"
import "regexp"
$text = os.readfile("/t/in")
$hit = regexp.match("(a?){200}b$", $text)
file "/t/hit" { state => "exists", content => if $hit { "yes" } else { "no" }, }
file "/t/beside" { state => "exists", content => "right", }
file "/t/ratio" { state => "exists", content => if 1 / len($text) > 0.5 { "one" } else { "more" }, }
"#;

fn text(end: &str) -> String {
    format!("{}{end}", "a".repeat(20_000))
}

fn start(options: Options) -> Run {
    let mut host = SimHost::new("host1");
    host.change(|world| {
        world.make_dir("/t").unwrap();
        world.write("/t/in", "b").unwrap();
    });
    let run = Run::on(host, PROGRAM, options);
    assert_eq!((run.read("/t/hit"), run.read("/t/beside")), ("yes".into(), "right".into()));
    run
}

/// The program gets a text that takes it long.
fn put_to_work(run: &mut Run) {
    run.sim.change(|world| world.write("/t/in", text("c")).unwrap());
    let until = run.sim.now().plus_ms(3_000);
    // It asks to be called again at once, and nothing else does.
    let is_due = |run: &Run| {
        let now = run.sim.now();
        run.sim.next_at().is_some_and(|at| at <= now) && run.sim.host.next_at().is_none_or(|at| at > now)
    };
    loop {
        assert!(run.sim.step(until), "the program never was at work");
        if is_due(run) {
            return;
        }
    }
}

/// One step after the other, each of which takes a while.
fn steps(run: &mut Run, until: impl Fn(&Run) -> bool) {
    while !until(run) {
        run.sim.skip(run.sim.now().plus_ms(20));
        let now = run.sim.now();
        assert!(run.sim.step(now), "it has come to rest");
        assert_eq!(run.read("/t/hit"), "yes", "the program has come to an end before");
    }
}

fn told(run: &mut Run, wanted: impl Fn(What) -> Option<String>) -> Vec<String> {
    run.events.extend(run.sim.take_reports());
    std::mem::take(&mut run.events).into_iter().filter_map(|event| wanted(event.what)).collect()
}

#[test]
fn a_repair_waits_for_no_program_that_is_at_work() {
    let mut run = start(Options::default());
    put_to_work(&mut run);
    run.sim.change(|world| world.write("/t/beside", "wrong").unwrap());
    steps(&mut run, |run| run.read("/t/beside") == "right");
    run.pass(3_000);
    assert_eq!(run.read("/t/hit"), "no");
}

#[test]
fn a_stop_waits_for_no_program_that_is_at_work() {
    let mut run = start(Options::default());
    put_to_work(&mut run);
    run.sim.tell(Input::Stop(StopMode::Graceful));
    assert_eq!(run.sim.exit(), Some(0));
    assert_eq!(run.read("/t/hit"), "yes");
}

#[test]
fn nothing_has_converged_while_a_program_is_at_work() {
    let mut run = start(Options { converger_timeout: 1, ..Options::default() });
    let converged = |what| matches!(what, What::Converged { .. }).then(String::new);
    assert_eq!(told(&mut run, converged).len(), 1);
    run.sim.change(|world| world.write("/t/beside", "wrong").unwrap());
    steps(&mut run, |run| run.read("/t/beside") == "right");
    put_to_work(&mut run);
    // By now it would have, if nothing else were to come.
    run.sim.skip(run.sim.now().plus_ms(2_000));
    for _ in 0..3 {
        let now = run.sim.now();
        assert!(run.sim.step(now));
    }
    assert_eq!(run.read("/t/hit"), "yes", "it is still at work");
    assert_eq!(told(&mut run, converged).len(), 0);
    run.pass(3_000);
    assert_eq!(told(&mut run, converged).len(), 1);
}

#[test]
fn a_program_has_recovered_once_it_has_a_graph_of_good_values() {
    let mut run = start(Options::default());
    let stream = |what| if let What::Stream { text } = what { Some(text) } else { None };
    run.change(|world| world.write("/t/in", "").unwrap());
    let failed = told(&mut run, stream);
    assert!(failed.len() == 1 && failed[0].contains("division by zero"), "{failed:?}");
    put_to_work(&mut run);
    assert_eq!(told(&mut run, stream), Vec::<String>::new(), "nothing is known yet");
    run.pass(3_000);
    assert_eq!(told(&mut run, stream), ["the program has recovered: all values are valid again"]);
    assert_eq!((run.read("/t/hit"), run.read("/t/ratio")), ("no".into(), "more".into()));
}

#[test]
fn a_run_in_slices_replays_byte_for_byte() {
    let mut run = start(Options::default());
    put_to_work(&mut run);
    run.sim.change(|world| world.write("/t/beside", "wrong").unwrap());
    run.sim.change(|world| world.write("/t/in", text("b")).unwrap());
    steps(&mut run, |run| run.read("/t/beside") == "right");
    run.pass(3_000);
    assert_eq!(run.read("/t/hit"), "yes");
    let (inputs, digest) = run.sim.take_trace();
    let n_ticks = inputs.iter().filter(|(_, input)| *input == Input::Tick).count();
    assert!(n_ticks > 20, "{n_ticks} slices");
    let bytes = Trace { header: Header::new("host1"), inputs, n_lost: 0 }.to_bytes();
    let mut replay = Replay::new(Brain::new(), Trace::read(&bytes).unwrap()).with_digest();
    while replay.step().is_some() {}
    assert_eq!(replay.digest(), digest);
}
