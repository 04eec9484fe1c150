//! [`left_out`]: reports checks that a test run had to skip.

use std::io::Write;

/// Records that a check had to be skipped on this machine, and why.
///
/// The output of a passing test is not shown, so the reason goes to the file that `MCLIVE_LEFT_OUT` names; `make test`
/// prints that file at its end. With `MCLIVE_MUST_LOOK` set, as in CI, a skipped check is a failure.
pub fn left_out(why: &str) {
    assert!(std::env::var_os("MCLIVE_MUST_LOOK").is_none(), "skipped: {why}");
    eprintln!("skipped: {why}");
    let Some(path) = std::env::var_os("MCLIVE_LEFT_OUT") else { return };
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{why}"));
    written.expect("MCLIVE_LEFT_OUT names a file that can be written");
}
