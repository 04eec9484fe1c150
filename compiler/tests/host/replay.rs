//! A trace, the list of inputs with their moments, gives the same outputs each time.

use crate::Run;
use mclive_compiler::brain::Brain;
use mclive_compiler::protocol::{Input, Moment, Output};

fn outputs(trace: &[(Moment, Input)]) -> Vec<u8> {
    let mut brain = Brain::new();
    let mut bytes = Vec::new();
    for (at, input) in trace {
        brain.handle(*at, input.clone());
        loop {
            let output = brain.poll();
            serde_json::to_writer(&mut bytes, &output).unwrap();
            bytes.push(b'\n');
            if matches!(output, Output::Idle { .. } | Output::Exit { .. }) {
                break;
            }
        }
    }
    bytes
}

#[test]
fn a_recorded_run_replays_byte_for_byte() {
    let program = r#"
import "datetime"
import "fmt"
import "os"
$word = os.readfile("/t/in") <|> "none"
file "/t/clock" { state => "exists", content => fmt.printf("%d %s\n", datetime.now(), $word), }
exec "e" { cmd => "echo ${word}; exit 1", shell => "/bin/sh", Meta:retry => -1, Meta:delay => 700, }
file "/t/f" { state => "exists", content => "x", Notify => Print["p"], }
print "p" { msg => "told", refresh_only => true, }
"#;
    let mut run = Run::new(|_| {}, program);
    run.change(|world| world.write("/t/in", "word").unwrap());
    run.change(|world| world.remove("/t/f").unwrap());
    let trace = run.sim.take_trace();
    assert!(trace.len() > 50, "{}", trace.len());
    // As it comes from a file.
    let written = serde_json::to_vec(&trace).unwrap();
    let read: Vec<(Moment, Input)> = serde_json::from_slice(&written).unwrap();
    let first = outputs(&trace);
    assert!(first.len() > 10_000);
    assert!(first == outputs(&read), "the replay differs");
}
