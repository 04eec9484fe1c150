//! Limits between agents, and between an agent and its own process.

use crate::case::{Case, ONE_FILE, stderr};
use std::process::{Command, Output};

#[test]
fn an_agent_without_its_lock_file_still_has_the_directory() {
    let case = Case::new("unlinked-lock", ONE_FILE);
    // It keeps its program, although the file changes.
    let mut agent = case.start_with(&["--no-watch"]);
    case.holds("out/a", "hello\n");
    std::fs::remove_file(case.path("state/lock")).unwrap();
    case.program(&ONE_FILE.replace("hello", "other"));
    let second = case.once();
    let said = stderr(&second) + &String::from_utf8_lossy(&second.stdout);
    assert!(said.contains("another agent is using"), "{said}");
    assert_ne!(second.status.code(), Some(0), "{said}");
    case.holds("out/a", "hello\n");
    // Also if a file of the same name exists.
    case.write("state/lock", "");
    assert_ne!(case.once().status.code(), Some(0));
    assert!(agent.stop().success());
    assert!(case.once().status.success());
    case.holds("out/a", "other\n");
}

/// A run to its end in a process that may write files of so many bytes.
fn once_where_files_are_small(case: &Case, limit: u64) -> Output {
    let agent = case.command(&["run", "--once", "--prefix", "state", "main.mcl"]);
    let mut limited = Command::new("prlimit");
    limited.arg(format!("--fsize={limit}")).arg(agent.get_program()).args(agent.get_args());
    limited.current_dir(&case.root).env("STATE_DIRECTORY", case.path("home")).output().unwrap()
}

/// The compiled compiler is part of the program and its memory is no file, so a small limit of files is enough.
#[test]
fn an_agent_starts_where_files_may_be_small() {
    let case = Case::new("fsize", &format!("{ONE_FILE}exec \"said\" {{ cmd => \"echo hello\", }}\n"));
    for limit in [1_048_576, 65_536] {
        let _ = std::fs::remove_file(case.path("out/a"));
        let agent = once_where_files_are_small(&case, limit);
        assert!(agent.status.success(), "{limit}: {agent:?}");
        case.holds("out/a", "hello\n");
    }
    // A file larger than the limit is an error of its resource.
    case.program(&format!("file \"@OUT@/b\" {{\n\tstate => \"exists\",\n\tsource => \"@OUT@/large\",\n}}\n{ONE_FILE}"));
    case.write("out/large", &"x".repeat(100_000));
    let agent = once_where_files_are_small(&case, 65_536);
    let said = String::from_utf8_lossy(&agent.stdout).into_owned();
    assert!(agent.status.code().is_some_and(|code| code != 0) && said.contains("too large"), "{agent:?}");
    assert!(!case.path("out/b").exists());
}
