//! A program that is slow at work: the agent repairs and hears in the meantime.

use crate::case::{Agent, Case, until};
use crate::scale::processor_ms;

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

/// An agent whose program has just begun to work on the long text.
fn at_work(name: &str) -> (Case, Agent) {
    let case = Case::new(name, PROGRAM);
    case.write("out/in", "b");
    let agent = case.start();
    case.holds("out/hit", "yes");
    case.holds("out/beside", "right");
    // It is read as a whole.
    case.write("new", &"a".repeat(1 << 20));
    let before = processor_ms(&agent);
    std::fs::rename(case.path("new"), case.path("out/in")).unwrap();
    until("the program is at work", || processor_ms(&agent) >= before + 100);
    (case, agent)
}

/// Something happens before the work ends. If this test gets no processor until then, it has seen nothing, and tries
/// again with another agent; anyone who waits for the end of the work is late each time.
fn before_it_ends(name: &str, happens: impl Fn(&Case, &mut Agent) -> bool) {
    let is_seen = |nth: u32| {
        let (case, mut agent) = at_work(&format!("{name}-{nth}"));
        happens(&case, &mut agent)
    };
    assert!((0..10).any(is_seen), "the end of the work is waited for");
}

#[test]
fn repairs_wait_for_no_program_that_is_at_work() {
    before_it_ends("turns-repair", |case, agent| {
        for _ in 0..3 {
            case.write("out/beside", "wrong");
            case.holds("out/beside", "right");
        }
        let is_at_work = !agent.said().contains(LIMIT);
        agent.says(LIMIT);
        case.holds("out/hit", "yes");
        agent.stop();
        is_at_work
    });
}

#[test]
fn an_interrupt_waits_for_no_program_that_is_at_work() {
    before_it_ends("turns-interrupt", |_, agent| {
        let code = agent.stop().code();
        let is_at_work = !agent.said().contains(LIMIT);
        assert!(!is_at_work || code == Some(0), "{code:?}: {}", agent.said());
        is_at_work
    });
}
