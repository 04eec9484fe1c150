//! A value that the host calls a secret.

use crate::Run;
use mclive_compiler::protocol::Input;
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
