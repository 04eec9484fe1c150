//! Running another program as one step of the build.

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

/// Runs a program to its end; its output is the user's to see.
pub(crate) fn run(program: &str, args: &[&str], dir: &Path, env: &[(&str, &str)]) -> Result<(), String> {
    let status = Command::new(program)
        .args(args)
        .current_dir(dir)
        .envs(env.iter().copied())
        .status()
        .map_err(|error| format!("cannot run `{program}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{program} {}` failed: {status}", args.join(" "))) }
}

/// Says what happens now.
pub(crate) fn say(text: &str) {
    eprintln!("www: {text}");
}

/// What cargo is asked to show: its progress where somebody looks on, else errors alone.
pub(crate) fn progress() -> &'static [&'static str] {
    if std::io::stderr().is_terminal() { &[] } else { &["--quiet"] }
}
