//! The harness on a folder of three cases, as people and the gate call it: this binary runs itself with their arguments.

use mclive_cases::{Case, Trial, plain, run, trials};
use std::path::Path;
use std::process::{Command, ExitCode};

/// Set for the runs that this one looks at.
const INNER: &str = "MCLIVE_CASES_INNER";

fn play(case: &Case) -> Result<(), String> {
    match case.bytes().as_slice() {
        b"fails\n" => Err("it was to fail".into()),
        b"panics\n" => panic!("it was to panic"),
        _ => Ok(()),
    }
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/folder"))
}

fn beside() {}

mod other {
    pub(crate) fn beside() {}
}

/// Whether a run ends well, and all that it says.
fn inner(args: &[&str]) -> (bool, String) {
    let output = Command::new(std::env::current_exe().unwrap()).args(args).env(INNER, "1").output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

fn each_file_is_a_test_with_its_name() {
    let (well, said) = inner(&["--list"]);
    let listed: Vec<&str> = said.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let wanted = ["folder/b", "folder/fails", "folder/inner/c", "folder/panics", "beside", "other::beside"];
    assert!(well && listed == wanted, "{said}");
}

fn a_filter_finds_a_case() {
    let (well, said) = inner(&["inner"]);
    assert!(well && said.contains("test folder/inner/c ... ok"), "{said}");
    assert!(said.contains("test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 5 filtered out"), "{said}");
    assert!(inner(&["--exact", "beside"]).1.contains("1 passed"));
    assert!(inner(&["--skip", "fails", "--skip", "panics"]).1.contains("4 passed"));
}

fn a_failure_names_its_case() {
    let (well, said) = inner(&["folder"]);
    assert!(!well && said.contains("test result: FAILED. 2 passed; 2 failed"), "{said}");
    let marked =
        |name: &str| said.lines().any(|line| line.starts_with(&format!("test {name} ")) && line.ends_with("FAILED"));
    assert!(marked("folder/fails") && marked("folder/panics"), "{said}");
    assert!(said.contains("---- folder/fails ----\nit was to fail"), "{said}");
    assert!(said.contains("---- folder/panics ----\ntest panicked: it was to panic"), "{said}");
}

fn looked_at() -> Vec<Trial> {
    let mut all = trials(folder(), "case", play);
    all.extend(plain![beside, other::beside]);
    all
}

fn main() -> ExitCode {
    match std::env::var_os(INNER) {
        Some(_) => run(looked_at()),
        None => run(plain![each_file_is_a_test_with_its_name, a_filter_finds_a_case, a_failure_names_its_case]),
    }
}
