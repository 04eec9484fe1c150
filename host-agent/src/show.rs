//! [`Show`]: what a run says: lines for people on a terminal, JSON lines for machines.
//!
//! Lines of several threads do not mix; they are flushed whenever the driver has nothing more to do.

use mclive_compiler::protocol::{Cause, Event, Phase, ResourceId, StepReport, What};
use serde_json::{Value, json};
use std::io::{BufWriter, Stdout, Write};
use std::path::PathBuf;
use std::sync::Mutex;

/// Whom the output is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reader {
    Person { colour: bool },
    Machine,
}

pub(crate) struct Show {
    reader: Reader,
    out: Mutex<Out>,
    /// Gets a line `true` or `false` with each change of whether the host is converged.
    status_file: Option<PathBuf>,
}

struct Out {
    to: BufWriter<Stdout>,
    tally: Tally,
}

/// How often what happened, for the summary.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) in_state: usize,
    pub(crate) changed: usize,
    pub(crate) would_change: usize,
    pub(crate) failed: usize,
    pub(crate) refused: bool,
}

impl Show {
    pub(crate) fn new(reader: Reader, status_file: Option<PathBuf>) -> Show {
        let out = Mutex::new(Out { to: BufWriter::new(std::io::stdout()), tally: Tally::default() });
        Show { reader, out, status_file }
    }

    pub(crate) fn flush(&self) {
        let _ = self.out.lock().expect("no holder panics").to.flush();
    }

    pub(crate) fn tally(&self) -> Tally {
        self.out.lock().expect("no holder panics").tally
    }

    /// A line that a resource prints.
    pub(crate) fn line(&self, of: &ResourceId, text: &str) {
        let line = match self.reader {
            Reader::Person { .. } => format!("{of}: {}", visible(text)),
            Reader::Machine => json!({ "type": "print", "resource": of.to_string(), "text": text }).to_string(),
        };
        self.write(&line);
    }

    /// A closing remark, for people alone.
    pub(crate) fn remark(&self, text: &str) {
        if let Reader::Person { .. } = self.reader {
            self.write(text);
        }
    }

    pub(crate) fn event(&self, event: &Event) {
        self.count(&event.what);
        if let (Some(file), What::Converged { .. } | What::Unconverged) = (&self.status_file, &event.what) {
            let text = if matches!(event.what, What::Unconverged) { "false\n" } else { "true\n" };
            if let Err(error) = append(file, text) {
                eprintln!("mclive: warning: cannot write {}: {error}", file.display());
            }
        }
        match self.reader {
            Reader::Machine => self.write(&machine(event).to_string()),
            Reader::Person { colour } => {
                if let Some(line) = person(event, colour) {
                    self.write(&line);
                }
            }
        }
    }

    fn count(&self, what: &What) {
        let tally = &mut self.out.lock().expect("no holder panics").tally;
        match what {
            What::Resource { phase, .. } => match phase {
                Phase::InState => tally.in_state += 1,
                Phase::Changed => tally.changed += 1,
                Phase::WouldChange => tally.would_change += 1,
                Phase::Failed => tally.failed += 1,
                Phase::Waiting
                | Phase::Checking
                | Phase::Applying
                | Phase::Retrying
                | Phase::Limited
                | Phase::Removed => {}
            },
            What::Refused { .. } => tally.refused = true,
            What::Stream { .. }
            | What::GraphSwitched { .. }
            | What::Steps { .. }
            | What::Converged { .. }
            | What::Unconverged
            | What::Log { .. } => {}
        }
    }

    fn write(&self, line: &str) {
        // Nobody reads any more: that is no reason to stop keeping the host in its state.
        let _ = writeln!(self.out.lock().expect("no holder panics").to, "{line}");
    }
}

/// Adds a line to a file that is for its owner alone.
fn append(file: &std::path::Path, line: &str) -> std::io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt;
    std::fs::File::options().append(true).create(true).mode(0o600).open(file)?.write_all(line.as_bytes())
}

/// One line of JSON; fields are only ever added.
fn machine(event: &Event) -> Value {
    let mut line = match &event.what {
        What::Refused { text } => json!({ "type": "refused", "text": text }),
        What::Stream { text } => json!({ "type": "stream", "text": text }),
        What::GraphSwitched { n_vertices, n_edges, added, removed } => {
            json!({ "type": "graph", "vertices": n_vertices, "edges": n_edges, "added": added, "removed": removed })
        }
        What::Resource { id, phase, text } => {
            json!({ "type": "resource", "resource": id.to_string(), "phase": phase_word(*phase), "text": text })
        }
        What::Steps { id, steps } => json!({ "type": "steps", "resource": id.to_string(), "steps": steps }),
        What::Converged { seconds } => json!({ "type": "converged", "seconds": seconds }),
        What::Unconverged => json!({ "type": "unconverged" }),
        What::Log { text } => json!({ "type": "log", "text": text }),
    };
    line["at_ns"] = event.at.0.into();
    if !event.because.is_empty() {
        line["because"] = event.because.iter().map(cause_words).collect();
    }
    line
}

fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::Waiting => "waiting",
        Phase::Checking => "checking",
        Phase::Applying => "applying",
        Phase::InState => "in state",
        Phase::Changed => "changed",
        Phase::WouldChange => "would change",
        Phase::Retrying => "retrying",
        Phase::Limited => "limited",
        Phase::Failed => "failed",
        Phase::Removed => "removed",
    }
}

fn cause_words(cause: &Cause) -> String {
    match cause {
        Cause::Started => "started".into(),
        Cause::Fact { name } => format!("fact {name}"),
        Cause::Fired { path } => format!("changed {path}"),
        Cause::Timer { reason } => format!("timer {reason}"),
        Cause::Poked { by } => format!("poked by {by}"),
        Cause::Notified { by } => format!("notified by {by}"),
        Cause::Received { from, field } => format!("received {field} from {from}"),
        Cause::Vertex { label } => format!("vertex {label}"),
    }
}

/// A line for people; `None` for what they need not see.
fn person(event: &Event, colour: bool) -> Option<String> {
    let paint = |code: &str, text: &str| if colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() };
    let at = paint("2", &format!("{:9.3}", event.at.0 as f64 / 1e9));
    let said = match &event.what {
        What::Refused { text } => return Some(visible_lines(text)),
        What::Stream { text } => paint("31", &visible_lines(text)),
        What::GraphSwitched { n_vertices, added, removed, .. } => {
            paint("2", &format!("{n_vertices} resources (+{added} -{removed})"))
        }
        What::Resource { id, phase, text } => {
            let word = match phase {
                Phase::Waiting | Phase::Checking | Phase::Applying | Phase::InState => return None,
                Phase::Changed => paint("32", "changed"),
                Phase::WouldChange => paint("33", "would change"),
                Phase::Retrying => paint("33", "retrying"),
                Phase::Limited => paint("2", "limited"),
                Phase::Failed => paint("1;31", "failed"),
                Phase::Removed => paint("2", "removed"),
            };
            let text = if text.is_empty() { String::new() } else { format!(": {}", visible(text)) };
            format!("{} {word}{text}", paint("1", &visible(&id.to_string())))
        }
        What::Steps { id, steps } => return steps_shown(&at, id, steps, &paint),
        What::Converged { seconds } => paint("32", &format!("converged ({seconds} s of quiet)")),
        What::Unconverged => return None,
        What::Log { text } => visible(text),
    };
    Some(format!("{at} {said}"))
}

fn steps_shown(
    at: &str,
    id: &ResourceId,
    steps: &[StepReport],
    paint: &dyn Fn(&str, &str) -> String,
) -> Option<String> {
    let mut lines = Vec::new();
    for step in steps {
        lines.push(format!("{at} {} {}", paint("1", &visible(&id.to_string())), visible(&step.summary)));
        for line in step.diff.as_deref().unwrap_or_default().lines() {
            let code = match line.as_bytes().first() {
                Some(b'+') => "32",
                Some(b'-') => "31",
                Some(b'@') => "36",
                _ => "0",
            };
            lines.push(format!("          {}", paint(code, &visible(line))));
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// One line of text in which nothing steers the terminal.
fn visible(text: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.chars()
        .map(|c| if c.is_control() && c != '\t' { c.escape_default().to_string() } else { c.to_string() })
        .collect()
}

/// Rendered diagnostics: their lines and colours are ours.
fn visible_lines(text: &str) -> String {
    text.trim_end().to_owned()
}
