//! A program that is slow at work: the agent repairs and hears meanwhile.

use crate::case::{Agent, Case};
use std::time::Duration;

/// For a long text the pattern costs all the work that one change may cost: seconds.
const PROGRAM: &str = r#"
import "os"
import "regexp"
file "@OUT@/hit" {
	state => "exists",
	content => if regexp.match("(a?){200}b$", os.readfile("@OUT@/in")) { "yes" } else { "no" },
}
file "@OUT@/beside" {
	state => "exists",
	content => "right",
}
"#;

/// What is said at the end of that.
const LIMIT: &str = "the call of `regexp.match` exceeds the work limit";

/// An agent whose program has just got the long text.
fn at_work(name: &str) -> (Case, Agent) {
    let case = Case::new(name, PROGRAM);
    case.write("out/in", "b");
    let agent = case.start();
    case.holds("out/hit", "yes");
    case.holds("out/beside", "right");
    // It is read as a whole.
    case.write("new", &"a".repeat(1 << 20));
    std::fs::rename(case.path("new"), case.path("out/in")).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    (case, agent)
}

#[test]
fn repairs_wait_for_no_program_that_is_at_work() {
    let (case, mut agent) = at_work("turns-repair");
    for _ in 0..3 {
        case.write("out/beside", "wrong");
        case.holds("out/beside", "right");
    }
    assert!(!agent.said().contains(LIMIT), "they waited for the end of it: {}", agent.said());
    agent.says(LIMIT);
    case.holds("out/hit", "yes");
    agent.stop();
}

#[test]
fn an_interrupt_waits_for_no_program_that_is_at_work() {
    let (_case, mut agent) = at_work("turns-interrupt");
    assert_eq!(agent.stop().code(), Some(0));
    assert!(!agent.said().contains(LIMIT), "it waited for the end of it: {}", agent.said());
}
