//! The gate runs tests that do what no test should: each is ended and named, and the others are run anyway.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ODD: &str = r##"
    #[test] fn a_good_one() {}
    #[test] #[should_panic] fn one_that_panics_as_it_should() { panic!() }
    #[test] fn one_that_fails() { println!("said before"); panic!("this is why") }
    #[test] fn one_that_hangs() { loop { std::thread::park() } }
    #[test] fn one_that_ends_it_all() { std::process::abort() }
    #[test] fn z_the_last() {}
"##;

const LEAVES: &str = r##"
    #[test] fn leaves_a_process() { std::process::Command::new("sleep").arg("1111").spawn().unwrap(); }
"##;

/// Compiles tests with the real harness.
fn compile(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(name).with_extension("rs"), folder.join(name));
    std::fs::write(&source, text).unwrap();
    let made = Command::new("rustc").args(["--edition=2024", "--test", "-o"]).arg(&program).arg(&source).status();
    assert!(made.unwrap().success());
    program
}

fn gate(program: &Path) -> (Output, String) {
    let mut gate = Command::new(env!("CARGO_BIN_EXE_gate"));
    gate.arg("program").arg(program).env("MCLIVE_SILENCE", "10").current_dir(env!("CARGO_MANIFEST_DIR"));
    // Its logs are not those of a gate that runs this test.
    gate.env("CARGO_TARGET_DIR", program.with_extension("target"));
    let output = gate.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output, said)
}

/// The lines that say of a test why it failed.
fn failure<'a>(said: &'a str, name: &str) -> &'a str {
    let (_, rest) =
        said.split_once(&format!("✖ odd: {name}\n")).unwrap_or_else(|| panic!("{name} is not told: {said}"));
    rest.split("\n✖").next().unwrap_or_default().split("\nfailing tests").next().unwrap_or_default()
}

#[test]
fn what_fails_hangs_or_ends_the_program_is_named_and_the_others_are_run() {
    let (output, said) = gate(&compile("odd", ODD));
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.ends_with("\n3 passed, 3 failed\n"), "{said}");
    let why = failure(&said, "one_that_fails");
    assert!(why.contains("said before") && why.contains("this is why"), "{why}");
    assert!(failure(&said, "one_that_hangs").contains("hangs: terminated after 10 s"), "{said}");
    let why = failure(&said, "one_that_ends_it_all");
    assert!(why.contains("terminated by signal 6"), "{why}");
    assert!(said.contains("\nfailing tests: 3\n"), "{said}");
}

#[test]
fn what_a_suite_leaves_running_is_ended_and_told() {
    let (output, said) = gate(&compile("leaves", LEAVES));
    assert_eq!(output.status.code(), Some(1), "{said}");
    let (_, told) = said.split_once("✖ leaves: leaves processes running\nprocess ").expect("it is told");
    let (pid, words) = told.split_once(": ").unwrap();
    assert!(words.starts_with("sleep 1111\n"), "{said}");
    let line = std::fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    assert!(!line.contains("1111"), "it goes on");
}

const GROWS: &str = r##"
    #[test] fn starts_a_process_that_starts_one() {
        let script = "setsid sleep 1112 & echo $! >$MCLIVE_STARTED.new; mv $MCLIVE_STARTED.new $MCLIVE_STARTED; sleep 1112";
        std::process::Command::new("sh").args(["-c", script]).status().unwrap();
    }
"##;

/// What a suite has started ends with the gate, whatever its parents are, even if the gate is killed.
#[test]
fn a_gate_that_is_killed_leaves_nothing_behind() {
    let program = compile("grows", GROWS);
    let started = program.with_extension("started");
    let _ = std::fs::remove_file(&started);
    let mut gate = Command::new(env!("CARGO_BIN_EXE_gate"));
    gate.arg("program").arg(&program).current_dir(env!("CARGO_MANIFEST_DIR")).env("MCLIVE_STARTED", &started);
    gate.env("CARGO_TARGET_DIR", program.with_extension("target")).stdout(std::process::Stdio::null());
    let mut gate = gate.spawn().unwrap();
    let wait = |what: &str, met: &dyn Fn() -> bool| {
        let began = std::time::Instant::now();
        while !met() {
            assert!(began.elapsed().as_secs() < 120, "timed out: {what}");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    wait("the process is started", &|| started.exists());
    let pid = std::fs::read_to_string(&started).unwrap();
    let process = Path::new("/proc").join(pid.trim()).join("cmdline");
    let runs = || std::fs::read_to_string(&process).is_ok_and(|line| line.contains("1112"));
    // While a process becomes another program, its command line is empty.
    wait("the process runs", &runs);
    gate.kill().unwrap();
    gate.wait().unwrap();
    wait("the process ends", &|| !runs());
}
