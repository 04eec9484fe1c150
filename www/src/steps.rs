//! Running another program as one step of the build.

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

/// Runs a program to completion; its output goes to the user.
pub(crate) fn run(program: &str, args: &[&str], dir: &Path, env: &[(&str, &str)]) -> Result<(), String> {
    let status = Command::new(program)
        .args(args)
        .current_dir(dir)
        .envs(env.iter().copied())
        .status()
        .map_err(|error| format!("cannot run `{program}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program} {}` failed: {status}", args.join(" "))) }
}

/// Prints the current step.
pub(crate) fn say(text: &str) {
    eprintln!("www: {text}");
}

/// Cargo's verbosity: progress on a terminal, otherwise only errors.
pub(crate) fn progress() -> &'static [&'static str] {
    if std::io::stderr().is_terminal() { &[] } else { &["--quiet"] }
}
