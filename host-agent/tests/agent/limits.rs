//! Limits that a system sets for the process of the agent.

use crate::case::{Case, stderr, until};
use crate::faults::{file, start_after};
use std::process::Command;

/// The agent's output when its shell sets a limit first.
fn limited(case: &Case, limit: &str, command: &str) -> std::process::Output {
    let line = format!("{limit}; exec \"$0\" {command} main.mcl");
    Command::new("sh").args(["-c", &line, env!("CARGO_BIN_EXE_mclive")]).current_dir(case.path("")).output().unwrap()
}

#[test]
fn few_file_descriptors_are_enough() {
    let mut program: String = (0..200).map(|n| file(&format!("f{n}"), "x", "")).collect();
    for n in 0..60 {
        program += &format!("exec \"e{n}\" {{\n\tcmd => \"echo x >> @OUT@/e{n}\",\n\tshell => \"/bin/sh\",\n}}\n");
    }
    let case = Case::new("fds", &program);
    let mut agent = start_after(&case, "ulimit -n 40");
    until("all is there", || case.tree().len() == 260);
    assert!(agent.stop().success());
    assert!(!agent.said().contains("too many open files"), "{}", agent.last_words());
    assert!(case.tree().values().all(|content| content == b"x" || content == b"x\n"));
}

#[test]
fn a_limit_of_the_process_that_is_too_low_is_reported_with_what_to_raise() {
    let case = Case::new("limits", "print \"p\" {}\n");
    for (limit, words) in [
        ("ulimit -v 1000000", "cannot allocate memory; allow 5 GiB of address space (`ulimit -v`, LimitAS=)"),
        ("ulimit -n 10", "too many open files; allow more open files"),
    ] {
        let output = limited(&case, limit, "run --once --prefix state");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(70), "{limit}: {said}");
        assert!(said.contains("the agent cannot start here: ") && said.contains(words), "{limit}: {said}");
        assert!(!said.contains("report it") && !said.contains("panicked"), "{said}");
    }
    // Small files are enough for it: none of its own is large.
    let output = limited(&case, "ulimit -f 100", "run --once --prefix state");
    assert!(output.status.success(), "{}", stderr(&output));
}

/// The stack of the brain is the agent's own, whatever the system gives the first thread of a process.
#[test]
fn a_small_stack_of_the_process_is_enough_for_deep_programs() {
    let deep = format!("$x = {}1{}\nif $x == 1 {{\n\tnoop \"x\" {{}}\n}}\n", "(".repeat(90), ")".repeat(90));
    let case = Case::new("small-stack", &deep);
    for command in ["check", "run --once --prefix state"] {
        let output = limited(&case, "ulimit -s 200", command);
        assert!(output.status.success(), "{command}: {:?}: {}", output.status, stderr(&output));
    }
}
