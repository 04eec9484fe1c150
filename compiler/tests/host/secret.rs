//! A value that the host calls a secret.

use crate::Run;
use mclive_compiler::protocol::{Input, What};
use mclive_compiler::vocab::password::Secret;

const PROGRAM: &str = r#"
import "os"
$text = os.readfile("/t/in")
file "/t/out" { state => "exists", content => $text, }
print "p" { msg => $text, }
"#;

#[test]
fn a_value_that_the_host_calls_a_secret_stands_in_no_words() {
    let mut run = Run::new(|world| world.write("/t/in", "open text").unwrap(), PROGRAM);
    assert!(run.steps().contains(&"print Msg: open text".to_owned()));
    run.sim.tell(Input::Secret(Secret("hush-hush".into())));
    run.change(|world| world.write("/t/in", "hush-hush").unwrap());
    let told = format!("{:?}", run.events);
    assert!(told.contains("print Msg: •••") && !told.contains("hush-hush"), "{told}");
    assert_eq!(run.read("/t/out"), "hush-hush");
}

#[test]
fn a_function_that_cannot_convert_a_secret_does_not_repeat_it() {
    let program = r#"
import "fmt"
import "golang/strconv"
import "os"
file "/t/out" { state => "exists", content => fmt.printf("%d", strconv.atoi(os.readfile("/t/in"))), }
"#;
    let mut run = Run::new(|world| world.write("/t/in", "12").unwrap(), program);
    assert_eq!(run.read("/t/out"), "12");
    run.events.clear();
    run.sim.tell(Input::Secret(Secret("hush-hush".into())));
    run.change(|world| world.write("/t/in", "hush-hush").unwrap());
    let is_told = run.events.iter().any(|event| matches!(&event.what, What::Stream { text } if text.contains("•••")));
    let told = format!("{:?}", run.events);
    assert!(is_told && !told.contains("hush-hush"), "{told}");
    let (_, diags) = run.sim.machine.failure().unwrap();
    let failure = format!("{:?}", diags.iter().collect::<Vec<_>>());
    assert!(failure.contains("•••") && !failure.contains("hush-hush"), "{failure}");
    assert_eq!(run.read("/t/out"), "12", "the last good graph stays");
}
