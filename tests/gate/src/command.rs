//! Runs one program to its end, or kills it after too much time without output.

use crate::stage::{Stage, log_name};
use crate::{left, within};
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How often a silent program is checked for its end.
const TICK: Duration = Duration::from_millis(200);

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Good,
    /// It failed, by a code or by a signal.
    Code(i32),
    Signal(i32),
    /// It was killed: it had no output for this long.
    Silent(Duration),
}

impl End {
    pub(crate) fn words(self) -> String {
        match self {
            End::Good => "ended well".into(),
            End::Code(code) => format!("ended with {code}"),
            End::Signal(signal) => format!("was terminated by signal {signal}"),
            End::Silent(silence) => format!("hangs: terminated after {} s without output", silence.as_secs()),
        }
    }

    fn of(status: ExitStatus) -> End {
        match (status.code(), status.signal()) {
            (Some(0), _) => End::Good,
            (Some(code), _) => End::Code(code),
            (None, signal) => End::Signal(signal.unwrap_or_default()),
        }
    }
}

/// A run: how it ended, its output, and the processes it left behind.
pub(crate) struct Run {
    pub(crate) end: End,
    pub(crate) said: String,
    pub(crate) left: Vec<String>,
}

/// The niceness of a suite. The browser tests, the longest of all, wait for the site, which only computes, and would
/// otherwise have to share the processors with each session of the booted machines.
fn nice(suite: &str) -> &'static str {
    if suite == "site" { "-8" } else { "0" }
}

/// Runs tests in a folder of the workspace. Both of their streams go to the suite's log, in order.
pub(crate) fn run(stage: &Stage, suite: &str, dir: &Path, argv: &[String]) -> Run {
    run_for(stage, suite, dir, argv, &[], stage.silence)
}

/// Runs a program that may be silent for so long.
pub(crate) fn run_for(
    stage: &Stage,
    suite: &str,
    dir: &Path,
    argv: &[String],
    variables: &[(&str, String)],
    silence: Duration,
) -> Run {
    let failed = |why: String| Run { end: End::Code(127), said: why, left: Vec::new() };
    let (mut reader, writer) = match std::io::pipe() {
        Ok(pipe) => pipe,
        Err(error) => return failed(format!("cannot create a pipe: {error}")),
    };
    let Ok(for_errors) = writer.try_clone() else { return failed("no pipe".into()) };
    // This process's own file: the path has another one after the workspace was built.
    let gate = format!("/proc/{}/exe", std::process::id());
    let ended = log_name(&stage.logs, suite).with_extension("ended");
    let _ = std::fs::remove_file(&ended);
    let mut command = Command::new(gate);
    command.arg(within::NAME).arg(std::process::id().to_string()).arg(&ended).arg(nice(suite)).args(argv);
    command.current_dir(dir).stdin(Stdio::null());
    // Variables that cargo sets for this program do not apply to others.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_") || name.to_string_lossy().starts_with("CARGO_BIN_") {
            command.env_remove(name);
        }
    }
    command.env("CARGO_MANIFEST_DIR", dir);
    command.stdout(writer).stderr(for_errors).envs(stage.variables()).envs(variables.iter().cloned());
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return failed(format!("cannot run {}: {error}", argv.join(" "))),
    };
    // The write ends held by this process.
    drop(command);
    let (sender, heard) = channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 1 << 16];
        while let Ok(n @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..n].to_vec()).is_err() {
                return;
            }
        }
    });
    let mut log = File::options().create(true).append(true).open(log_name(&stage.logs, suite)).ok();
    let mut said = Vec::new();
    let mut heard_last = Instant::now();
    let mut end = None;
    let status = loop {
        let has_ended = child.try_wait();
        match heard.recv_timeout(TICK) {
            Ok(bytes) => {
                heard_last = Instant::now();
                said.extend_from_slice(&bytes);
                if let Some(log) = &mut log {
                    let _ = log.write_all(&bytes);
                }
            }
            Err(RecvTimeoutError::Disconnected) => break child.wait(),
            // A leftover process may hold the pipe forever; the program's own end counts.
            Err(RecvTimeoutError::Timeout) if !matches!(has_ended, Ok(None)) => break child.wait(),
            Err(RecvTimeoutError::Timeout) if heard_last.elapsed() > silence && !ended.exists() => {
                left::kill_all(child.id());
                end = Some(End::Silent(silence));
                break child.wait();
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let (status, left) = match within::told(&ended) {
        Some(told) => (Ok(told.status), told.left),
        None => (status, Vec::new()),
    };
    // A hanging program was killed with everything it had started.
    let left = if end.is_none() { left } else { Vec::new() };
    let end = end.unwrap_or_else(|| status.map_or(End::Code(127), End::of));
    Run { end, said: String::from_utf8_lossy(&said).into_owned(), left }
}
