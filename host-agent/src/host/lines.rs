//! Commands that are followed line by line: each line is a change of a watch, or the next value of a fact.

use super::Host;
use super::exec::{Stream, follow};
use super::running::Running;
use mclive_compiler::protocol::{Input, Ticket};
use mclive_compiler::vocab::{CommandSpec, Datum, HostError, HostErrorKind};
use std::sync::Arc;

/// What a line says.
pub(super) type Say = fn(String) -> Result<Datum, HostError>;

impl Host {
    /// Each line of a watch's command is a change; its end ends the watch.
    pub(super) fn follow_watch(&mut self, ticket: Ticket, spec: CommandSpec) {
        let running = Arc::new(Running::default());
        self.followed.entry(ticket).or_default().push(running.clone());
        let shared = self.shared.clone();
        let listens = self.pool.run_apart(move || {
            let mut lines = Lines::default();
            let line = |line: String| shared.tell(Input::Fired(ticket, Some(line)));
            let ended = shared
                .may_run(&spec)
                .and_then(|()| follow(&spec, &running, |stream, bytes| lines.add(stream, bytes, &line)));
            lines.end(&line);
            if !running.is_stopped() {
                let error = match ended {
                    Err(error) => error,
                    Ok(status) if status.success() => HostError::new(HostErrorKind::Other, "reached EOF"),
                    Ok(status) => {
                        HostError::new(HostErrorKind::Other, format!("watchcmd errored: {}", status_words(status)))
                    }
                };
                shared.tell(Input::WatchFailed(ticket, error));
            }
        });
        if !listens {
            self.shared.tell(Input::WatchFailed(ticket, no_thread()));
        }
    }

    /// The latest line of a command is the fact.
    pub(super) fn follow_lines(&mut self, ticket: Ticket, command: String, say: Say) {
        let running = Arc::new(Running::default());
        self.followed.entry(ticket).or_default().push(running.clone());
        let shared = self.shared.clone();
        let listens = self.pool.run_apart(move || {
            let env = std::env::vars().collect();
            let argv = ["sh".into(), "-c".into(), command].to_vec();
            let spec = CommandSpec {
                argv,
                env,
                cwd: String::new(),
                user: String::new(),
                group: String::new(),
                signal: "SIGKILL".into(),
            };
            let mut lines = Lines { keeps_empty: true, ..Lines::default() };
            let line = |line: String| shared.tell(Input::Fact(ticket, say(line)));
            let ended = shared.may_run(&spec).and_then(|()| {
                follow(&spec, &running, |stream, bytes| {
                    if let Stream::Stdout = stream {
                        lines.add(stream, bytes, &line);
                    }
                })
            });
            lines.end(&line);
            if let Err(error) = ended {
                shared.tell(Input::Fact(ticket, Err(error)));
            }
        });
        if !listens {
            self.shared.tell(Input::Fact(ticket, Err(no_thread())));
        }
    }
}

fn no_thread() -> HostError {
    HostError::new(HostErrorKind::Unavailable, "the system starts no further thread")
}

/// Lines of two streams, each complete before it is handed on.
#[derive(Default)]
struct Lines {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    /// Does a line without anything count?
    keeps_empty: bool,
}

/// A line may be this long; what is longer is handed on in parts.
const LINE: usize = 1 << 20;

impl Lines {
    fn add(&mut self, stream: Stream, bytes: &[u8], line: &dyn Fn(String)) {
        let rest = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        for byte in bytes {
            match byte {
                b'\n' if rest.is_empty() && self.keeps_empty => line(String::new()),
                b'\n' => emit(rest, line),
                _ => rest.push(*byte),
            }
            if rest.len() >= LINE {
                emit(rest, line);
            }
        }
    }

    fn end(&mut self, line: &dyn Fn(String)) {
        emit(&mut self.stdout, line);
        emit(&mut self.stderr, line);
    }
}

/// Hands on what is not empty.
fn emit(bytes: &mut Vec<u8>, line: &dyn Fn(String)) {
    if !bytes.is_empty() {
        line(String::from_utf8_lossy(bytes).into_owned());
        bytes.clear();
    }
}

fn status_words(status: std::process::ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => "ended by a signal".into(),
    }
}
