//! `exec`: guards, outputs, times.

use crate::Run;
use mclive_compiler::sim::{Command, Scripted, World};

#[test]
fn a_newer_file_forces_a_run_past_all_guards() {
    let program = r#"
exec "e" {
	cmd => "echo x >> /t/runs",
	shell => "/bin/sh",
	nifcmd => "/bin/true",
	mtimes => ["/t/in"],
}
"#;
    let mut run = Run::new(|world| world.write("/t/in", "1").unwrap(), program);
    assert_eq!(run.read("/t/runs"), "x\n");
    run.pass(2000);
    run.change(|world| world.write("/t/in", "2").unwrap());
    assert_eq!(run.read("/t/runs"), "x\nx\n");
    let again = Run::on(run.stop(), program, Default::default());
    assert_eq!(again.read("/t/runs"), "x\nx\n", "the stamp outlives a restart");
}

#[test]
fn a_missing_file_of_mtimes_is_an_error() {
    let run = Run::new(|_| {}, r#"exec "/bin/true" { mtimes => ["/t/in"], }"#);
    assert_eq!(run.failure(), "stat /t/in: no such file or directory");
}

#[test]
fn creates_skips_and_is_watched() {
    let program = r#"exec "touch /t/made; echo x >> /t/runs" { shell => "/bin/sh", creates => "/t/made", }"#;
    let mut run = Run::new(|_| {}, program);
    assert_eq!(run.read("/t/runs"), "x\n");
    run.change(|world| world.remove("/t/made").unwrap());
    assert_eq!(run.read("/t/runs"), "x\nx\n");
}

#[test]
fn words_are_split_at_blanks_and_args_replace_them() {
    let program = r#"
exec "a" { cmd => "/bin/echo  one   'two", }
exec "b" { cmd => "/bin/echo", args => ["one two", "$HOME"], }
exec "c" { cmd => "echo $X", shell => "/bin/sh", env => {"X" => "y"}, }
file ["/t/a", "/t/b", "/t/c"] { state => "exists", }
Exec["a"].stdout -> File["/t/a"].content
Exec["b"].stdout -> File["/t/b"].content
Exec["c"].output -> File["/t/c"].content
"#;
    let run = Run::new(|_| {}, program);
    assert_eq!(run.read("/t/a"), "one 'two\n");
    assert_eq!(run.read("/t/b"), "one two $HOME\n");
    assert_eq!(run.read("/t/c"), "y\n");
}

#[test]
fn each_line_of_a_watch_command_is_an_event() {
    let program = r#"
exec "e" {
	cmd => "echo x >> /t/runs",
	shell => "/bin/sh",
	watchcmd => "sleep 1; echo a; echo; sleep 1; echo b; sleep 1000",
	watchshell => "/bin/sh",
}
"#;
    let run = Run::new(|_| {}, program);
    assert_eq!(run.read("/t/runs"), "x\nx\nx\n");
}

fn check_failure(program: &str, expect: &str) {
    assert_eq!(Run::new(|_| {}, program).failure(), expect, "{program}");
}

#[test]
fn failures_say_what_happened() {
    check_failure(r#"exec "/bin/false" {}"#, "cmd error: exit status 1");
    check_failure(
        r#"exec "e" { cmd => "echo because; exit 4", shell => "/bin/sh", }"#,
        "cmd error: exit status 4 (last output: because)",
    );
    check_failure(
        r#"exec "e" { cmd => "echo why >&2; echo work; exit 4", shell => "/bin/sh", }"#,
        "cmd error: exit status 4 (last output: why)",
    );
    check_failure(r#"exec "e" { cmd => "/bin/true", donecmd => "/bin/false", }"#, "donecmd error: exit status 1");
    check_failure(r#"exec "/usr/bin/nonsense" {}"#, "exec: \"/usr/bin/nonsense\": executable file not found in $PATH");
    check_failure("exec \" \" {}", "the cmd is empty");
}

#[test]
fn a_guard_that_was_stopped_is_no_answer() {
    let slow = |world: &mut World| {
        let runs = vec![Scripted { duration_ms: 60_000, ..Scripted::default() }];
        world.set_command(Command { line: "slow".into(), runs });
    };
    let program = r#"exec "e" { cmd => "/bin/true", nifcmd => "slow", Meta:timeout => 300, }"#;
    let run = Run::new(slow, program);
    assert!(run.failure().starts_with("timeout after 0.30"), "{}", run.failure());
}
