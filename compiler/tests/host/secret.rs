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
    // What takes its place is open, and stands beside it in a difference.
    run.events.clear();
    run.change(|world| world.write("/t/in", "open again").unwrap());
    let told = format!("{:?}", run.events);
    assert!(told.contains("print Msg: open again") && !told.contains("hush-hush"), "{told}");
    assert_eq!(run.read("/t/out"), "open again");
}

#[test]
fn a_function_that_cannot_convert_a_secret_does_not_repeat_it() {
    // The whole of it, what stands between quotes, and the beginning that a long message tells.
    is_hidden_where_it_is_not_a_number("hush-hush", "hush-hush");
    is_hidden_where_it_is_not_a_number("a \"word\" and a \\ of hush", "hush");
    let long: String = (0..2_000).map(|n| format!("{n},")).collect();
    is_hidden_where_it_is_not_a_number(&long, "100,101");
}

/// A secret that a program reads instead of a number; `part`: what nothing may tell.
#[track_caller]
fn is_hidden_where_it_is_not_a_number(secret: &str, part: &str) {
    let program = r#"
import "fmt"
import "golang/strconv"
import "os"
file "/t/out" { state => "exists", content => fmt.printf("%d", strconv.atoi(os.readfile("/t/in"))), }
"#;
    let mut run = Run::new(|world| world.write("/t/in", "12").unwrap(), program);
    assert_eq!(run.read("/t/out"), "12");
    run.events.clear();
    run.sim.tell(Input::Secret(Secret(secret.into())));
    run.change(|world| world.write("/t/in", secret).unwrap());
    let is_told = run.events.iter().any(|event| matches!(&event.what, What::Stream { text } if text.contains("•••")));
    let told = format!("{:?}", run.events);
    assert!(is_told && !told.contains(part), "{told}");
    let (_, diags) = run.sim.machine.failure().unwrap();
    let failure = format!("{:?}", diags.iter().collect::<Vec<_>>());
    assert!(failure.contains("•••") && !failure.contains(part), "{failure}");
    assert_eq!(run.read("/t/out"), "12", "the last good graph stays");
}

/// More than are looked for of resources: the host limits what it calls a secret.
#[test]
fn of_many_secrets_the_last_one_is_hidden_too() {
    let mut run = Run::new(|world| world.write("/t/in", "open text").unwrap(), PROGRAM);
    for n in 0..1_100 {
        run.sim.tell(Input::Secret(Secret(format!("hush-hush-{n}"))));
    }
    run.change(|world| world.write("/t/in", "hush-hush-1099").unwrap());
    let told = format!("{:?}", run.events);
    assert!(told.contains("print Msg: •••") && !told.contains("hush-hush"), "{told}");
}
