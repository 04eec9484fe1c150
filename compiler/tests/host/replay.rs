//! A trace, the list of inputs with their moments, gives the same outputs each time.

use crate::Run;
use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::trace::{Header, Trace};
use mclive_compiler::protocol::{Cause, Phase, What};
use mclive_compiler::sim::Replay;

const PROGRAM: &str = r#"
import "datetime"
import "fmt"
import "os"
$word = os.readfile("/t/in") <|> "none"
file "/t/clock" { state => "exists", content => fmt.printf("%d %s\n", datetime.now(), $word), }
exec "e" { cmd => "echo ${word}; exit 1", shell => "/bin/sh", Meta:retry => -1, Meta:delay => 700, }
file "/t/f" { state => "exists", content => "x", Notify => Print["p"], }
print "p" { msg => "told", refresh_only => true, }
"#;

#[test]
fn a_recorded_run_replays_byte_for_byte() {
    let mut run = Run::new(|_| {}, PROGRAM);
    run.change(|world| world.write("/t/in", "word").unwrap());
    run.change(|world| world.remove("/t/f").unwrap());
    let (inputs, digest) = run.sim.take_trace();
    assert!(inputs.len() > 50, "{}", inputs.len());
    // As it comes from a file.
    let bytes = Trace { header: Header::new("host1"), inputs, n_lost: 0 }.to_bytes();
    let mut replay = Replay::new(Brain::new(), Trace::read(&bytes).unwrap()).with_digest();
    let mut n_outputs = 0;
    while let Some(outputs) = replay.step() {
        n_outputs += outputs.len();
    }
    assert!(n_outputs > 100, "{n_outputs}");
    assert_eq!(replay.digest(), digest);
    assert_eq!(replay.take_reports(), run.events, "people are told the same");
}

#[test]
fn a_change_is_reported_with_what_led_to_it() {
    let program = r#"
import "os"
import "fmt"
$word = os.readfile("/t/in")
file "/t/a" { state => "exists", content => fmt.printf("%s!", $word), }
file "/t/b" { state => "exists", content => "fixed", }
"#;
    let mut run = Run::new(|world| world.write("/t/in", "old").unwrap(), program);
    let chain = |run: &mut Run| {
        let events = std::mem::take(&mut run.events);
        let changed = events.into_iter().filter(|event| match &event.what {
            What::Resource { phase, .. } => *phase == Phase::Changed,
            _ => false,
        });
        changed.map(|event| (event.what, event.because)).collect::<Vec<_>>()
    };
    let first = chain(&mut run);
    assert_eq!(first.len(), 2);
    assert!(first.iter().all(|(_, because)| because[0] == Cause::Deployed), "{first:?}");
    run.change(|world| world.write("/t/in", "new").unwrap());
    let changed = chain(&mut run);
    let because: Vec<&Cause> = changed[0].1.iter().collect();
    let fact = Cause::Fact { name: "the content of /t/in".into() };
    let vertex = |label: &str| Cause::Vertex { label: label.into() };
    assert_eq!(because[..], [&fact, &vertex("$word"), &vertex("fmt.printf(\"…\", $word)")], "{changed:?}");
    assert_eq!(changed.len(), 1);
    run.change(|world| world.remove("/t/b").unwrap());
    assert_eq!(chain(&mut run)[0].1, [Cause::Fired { path: "/t/b".into() }]);
}
