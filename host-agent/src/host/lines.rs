//! Commands that are followed line by line: each line is a change of a watch, or the next value of a fact.

use super::Host;
use super::exec::follow;
use super::program::Asker;
use super::running::Running;
use crate::process::Stream;
use mclive_base::protocol::{Input, Ticket};
use mclive_base::vocab::command::ended_silently;
use mclive_base::vocab::{CommandSpec, Datum, HostError, HostErrorKind};
use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

/// Interprets a line.
pub(super) type Say = fn(Vec<u8>) -> Result<Datum, HostError>;

impl Host {
    /// Each line of a watch's command is a change; when the command ends, so does the watch.
    pub(super) fn follow_watch(&mut self, ticket: Ticket, spec: CommandSpec) {
        let running = Arc::new(Running::look());
        self.followed.entry(ticket).or_default().push(running.clone());
        let shared = self.shared.clone();
        let started = self.pool.run_apart(move || {
            let mut lines = Lines::default();
            let line = |line: Line| shared.tell(Input::Fired(ticket, Some(line.shown())));
            let ended = shared
                .may_run(Asker::Watch, &spec)
                .and_then(|program| follow(&spec, &program, &running, |stream, bytes| lines.add(stream, bytes, &line)));
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
        if let Err(error) = started {
            self.shared.tell(Input::WatchFailed(ticket, error));
        }
    }

    /// The latest line of a command is the fact.
    pub(super) fn follow_lines(&mut self, ticket: Ticket, command: &str, say: Say) {
        let spec = CommandSpec { env: self.shared.inherited(), ..CommandSpec::shell(command) };
        let running = Arc::new(Running::look());
        self.followed.entry(ticket).or_default().push(running.clone());
        let shared = self.shared.clone();
        let started = self.pool.run_apart(move || {
            let mut lines = Lines { keeps_empty: true, ..Lines::default() };
            let is_silent = Cell::new(true);
            let line = |line: Line| {
                is_silent.set(false);
                shared.tell(Input::Fact(ticket, line.whole().and_then(say)));
            };
            let ended = shared.may_run(Asker::Function, &spec).and_then(|program| {
                follow(&spec, &program, &running, |stream, bytes| {
                    if let Stream::Stdout = stream {
                        lines.add(stream, bytes, &line);
                    }
                })
            });
            lines.end(&line);
            match ended {
                Err(error) => shared.tell(Input::Fact(ticket, Err(error))),
                Ok(_) if is_silent.get() && !running.is_stopped() => {
                    shared.tell(Input::Fact(ticket, Err(ended_silently())));
                }
                Ok(_) => {}
            }
        });
        if let Err(error) = started {
            self.shared.tell(Input::Fact(ticket, Err(error)));
        }
    }
}

/// The maximum length of a line; the rest is read and dropped. Units: bytes.
const LONGEST: usize = 1 << 20;
/// How much of a line is shown.
const SHOWN: usize = 256;
/// The pause at each read from a pipe that is always full.
const PAUSE: Duration = Duration::from_millis(10);
const FLOOD: usize = 32 << 10;

/// A line, up to [`LONGEST`] bytes.
struct Line {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Line {
    fn whole(self) -> Result<Vec<u8>, HostError> {
        match self.is_cut {
            false => Ok(self.bytes),
            true => Err(HostError::new(
                HostErrorKind::Other,
                format!("the command wrote a line of more than {LONGEST} bytes, the maximum size of a value"),
            )),
        }
    }

    fn shown(&self) -> String {
        let is_long = self.bytes.len() > SHOWN;
        let text = String::from_utf8_lossy(&self.bytes[..self.bytes.len().min(SHOWN)]).into_owned();
        if is_long { text + "..." } else { text }
    }
}

/// The lines of two streams, passed on when complete. Of several at once the latest is used.
#[derive(Default)]
struct Lines {
    stdout: Partial,
    stderr: Partial,
    /// Whether empty lines count.
    keeps_empty: bool,
}

/// An incomplete line.
#[derive(Default)]
struct Partial {
    bytes: Vec<u8>,
    is_cut: bool,
}

impl Partial {
    fn add(&mut self, bytes: &[u8]) {
        let room = LONGEST - self.bytes.len();
        self.bytes.extend_from_slice(&bytes[..room.min(bytes.len())]);
        self.is_cut |= bytes.len() > room;
    }

    fn take(&mut self) -> Line {
        let Partial { bytes, is_cut } = std::mem::take(self);
        Line { bytes, is_cut }
    }
}

impl Lines {
    fn add(&mut self, stream: Stream, bytes: &[u8], line: &dyn Fn(Line)) {
        let partial = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let mut latest = None;
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let (text, ends) = piece.strip_suffix(b"\n").map_or((piece, false), |text| (text, true));
            partial.add(text);
            if ends {
                let line = partial.take();
                latest = if line.bytes.is_empty() && !self.keeps_empty { latest } else { Some(line) };
            }
        }
        if let Some(latest) = latest {
            line(latest);
        }
        if bytes.len() >= FLOOD {
            std::thread::sleep(PAUSE);
        }
    }

    fn end(&mut self, line: &dyn Fn(Line)) {
        for partial in [&mut self.stdout, &mut self.stderr] {
            let last = partial.take();
            if !last.bytes.is_empty() {
                line(last);
            }
        }
    }
}

fn status_words(status: std::process::ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("exit status {code}"),
        None => "terminated by a signal".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    /// The lines from these pieces of a stream; a truncated line is shown by its length.
    fn check(pieces: &[&[u8]], keeps_empty: bool, expect: &[&str]) {
        let said = RefCell::new(Vec::new());
        let line = |line: Line| {
            said.borrow_mut().push(if line.is_cut {
                format!("cut {}", line.bytes.len())
            } else {
                String::from_utf8(line.bytes).unwrap()
            });
        };
        let mut lines = Lines { keeps_empty, ..Lines::default() };
        pieces.iter().for_each(|piece| lines.add(Stream::Stdout, piece, &line));
        lines.end(&line);
        assert_eq!(*said.borrow(), expect);
    }

    #[test]
    fn lines_are_whole_and_of_many_the_latest_counts() {
        check(&[b"a", b"b\nc", b"\n"], false, &["ab", "c"]);
        check(&[b"a\nb\nc\n\n"], false, &["c"]);
        check(&[b"a\n\n", b"end"], true, &["", "end"]);
        check(&[b"\n\n"], false, &[]);
    }

    #[test]
    fn a_line_without_an_end_takes_no_more_than_its_bound() {
        let piece = vec![b'x'; 30_000];
        let mut pieces: Vec<&[u8]> = vec![&piece; 100];
        pieces.push(b"\nnext\n");
        pieces.push(b"\n");
        check(&pieces[..100], false, &[&format!("cut {LONGEST}")]);
        check(&pieces, false, &["next"]);
    }

    #[test]
    fn a_line_keeps_its_bytes() {
        let line = Line { bytes: b"a\xff".to_vec(), is_cut: false };
        assert_eq!(line.whole().unwrap(), b"a\xff");
    }

    #[test]
    fn what_was_cut_is_no_value() {
        let line = || Line { bytes: vec![b'x'; LONGEST], is_cut: true };
        assert!(line().whole().unwrap_err().message.contains(&LONGEST.to_string()));
        assert_eq!(line().shown().len(), SHOWN + 3);
    }
}
