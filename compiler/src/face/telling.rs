//! Reports of the brain, as log lines for users.

use crate::protocol::{Cause, Event, Phase, What};
use mclive_base::shapes::host::{ADD, Alteration, HostAction, LogLine, Tone};

/// The longest value of a field that a line of the log repeats. Units: bytes.
const LONGEST_VALUE: usize = 120;

pub(super) fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

/// The lines of an event. Very frequent events are left out: the views show them.
pub(super) fn lines(event: &Event) -> Vec<LogLine> {
    let because: Vec<String> = event.because.iter().map(cause).collect();
    let line = |tone, text: &str| LogLine { tone, because: because.clone(), ..LogLine::at(event.at, text) };
    match &event.what {
        What::Refused { text } => vec![line(Tone::Bad, text)],
        What::Stream { text } => vec![line(Tone::Warn, text)],
        What::GraphSwitched { n_vertices, n_edges, added, removed, .. } => {
            let count = |n: u64, word: &str| format!("{n} {word}{}", if n == 1 { "" } else { "s" });
            let (resources, edges) = (count(*n_vertices as u64, "resource"), count(*n_edges as u64, "edge"));
            let text = format!("new graph: {resources}, {edges} ({added} added, {removed} removed)");
            vec![line(Tone::Info, &text)]
        }
        What::Resource { id, phase, text, .. } => {
            let tone = match phase {
                Phase::Failed => Tone::Bad,
                Phase::Retrying | Phase::Limited | Phase::WouldChange | Phase::Unknown => Tone::Warn,
                Phase::Changed => Tone::Good,
                Phase::Removed => Tone::Quiet,
                Phase::Waiting | Phase::Checking | Phase::Applying | Phase::InState => return Vec::new(),
            };
            let text = match (phase, text.is_empty()) {
                (Phase::Changed, true) => "changed",
                (Phase::Removed, true) => "removed from the graph",
                (Phase::Failed, true) => "failed",
                (_, _) => text,
            };
            vec![LogLine { resource: Some(id.to_string()), ..line(tone, text) }]
        }
        What::Steps { id, steps } => steps
            .iter()
            .map(|step| LogLine {
                resource: Some(id.to_string()),
                diff: step.diff.clone(),
                ..line(Tone::Change, &step.summary)
            })
            .collect(),
        What::Converged { .. } => vec![line(Tone::Good, "converged: everything is up to date")],
        What::Grouped { .. } | What::Unconverged => Vec::new(),
        What::Log { text } => vec![line(Tone::Info, text)],
    }
}

fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Deployed => "the program was started".into(),
        Cause::Started => "started".into(),
        Cause::Fact { name } => format!("{name} changed"),
        Cause::Fired { path } => format!("{path} changed"),
        Cause::Timer { reason } => reason.clone(),
        Cause::Poked { by } => format!("{by} is up to date"),
        Cause::Notified { by } => format!("{by} notified it"),
        Cause::Received { from, field } => format!("{from} sent {field}"),
        Cause::Vertex { label } => label.clone(),
    }
}

/// The action in words, to follow "someone".
pub(super) fn in_words(action: &HostAction) -> String {
    match action {
        HostAction::Write { path, .. } => format!("wrote {path}"),
        HostAction::Remove { path } => format!("removed {path}"),
        HostAction::ReplaceByDir { path } => format!("created directory {path}"),
        HostAction::SetMode { path, mode } => format!("set the mode of {path} to {mode:04o}"),
        HostAction::MakeDir { path } => format!("created directory {path}"),
        HostAction::Link { path, to } => format!("linked {path} to {to}"),
        HostAction::Command { line, .. } => format!("changed the command {line}"),
        HostAction::Environment { name, .. } => format!("set the environment variable {name}"),
        HostAction::Load { percent } => format!("set the load to {percent} %"),
        HostAction::Rename { hostname } => format!("renamed the host to {hostname}"),
        // A page or an output is too long for a line.
        HostAction::Alter { thing, how: Alteration::Set { field, value }, .. }
            if value.contains('\n') || value.len() > LONGEST_VALUE =>
        {
            format!("set {field} of {thing}")
        }
        HostAction::Alter { thing, how: Alteration::Set { field, value }, .. } => {
            format!("set {field} of {thing} to {value}")
        }
        HostAction::Alter { thing, how: Alteration::Do { verb }, .. } if verb == ADD => format!("added {thing}"),
        HostAction::Alter { thing, how: Alteration::Do { verb }, .. } => format!("{verb}: {thing}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_not_repeated_by_the_log() {
        let told = |value: &str| {
            let how = Alteration::Set { field: "content".to_owned(), value: value.to_owned() };
            in_words(&HostAction::Alter { subject: "Request".to_owned(), thing: "http://a/b".to_owned(), how })
        };
        assert_eq!(told("short"), "set content of http://a/b to short");
        assert_eq!(told("two\nlines"), "set content of http://a/b");
        assert_eq!(told(&"x".repeat(LONGEST_VALUE + 1)), "set content of http://a/b");
    }
}
