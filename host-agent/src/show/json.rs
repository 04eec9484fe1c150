//! Events as lines of JSON, for programs. Fields are only ever added.

use super::Tally;
use crate::embed::contract::Report;
use mclive_base::protocol::{Cause, Event, Moment, Phase, ResourceId, StepReport, What};
use mclive_base::shapes::{Diagnostic, RunEvent, RunLine, RunStep};
use serde_json::Value;

/// One event; `because` is its causes, outermost first.
pub(crate) fn line(event: &Event) -> Value {
    line_with(event, None)
}

/// An event with the compiler's report, if it is about errors in the program.
pub(super) fn line_with(event: &Event, report: Option<&Report>) -> Value {
    let said = |text: String| match report {
        Some(report) => (report.rendered.clone(), super::report::diagnostics(report)),
        None => (text, Vec::new()),
    };
    let what = match event.what.clone() {
        What::Refused { text } => {
            let (text, diagnostics) = said(text);
            RunEvent::Refused { text, diagnostics }
        }
        What::Stream { text } => {
            let (text, diagnostics) = said(text);
            RunEvent::Stream { text, diagnostics }
        }
        What::GraphSwitched { n_vertices, n_edges, added, removed, kinds } => {
            let kinds = kinds.iter().map(|(kind, n)| (kind.to_string(), *n)).collect();
            RunEvent::Graph { vertices: n_vertices, edges: n_edges, added, removed, kinds }
        }
        What::Resource { id, phase, text, dry } => {
            RunEvent::Resource { resource: id.to_string(), phase: phase.into(), text, dry }
        }
        // The chain from the outermost cause to the action: because, resource, decision, steps.
        What::Steps { id, steps } => {
            let steps = steps.into_iter().map(step).collect();
            RunEvent::Steps { resource: id.to_string(), decision: "drifted".to_owned(), steps }
        }
        What::Grouped { id, members } => {
            let members = members.iter().map(ResourceId::to_string).collect();
            RunEvent::Grouped { resource: id.to_string(), members }
        }
        What::Converged { seconds } => RunEvent::Converged { seconds },
        What::Unconverged => RunEvent::Unconverged,
        What::Log { text } => RunEvent::Log { text },
    };
    let because = event.because.iter().map(cause_words).collect();
    value(RunLine { what, at_ns: Some(event.at.0), because, time: None })
}

fn step(report: StepReport) -> RunStep {
    let StepReport { summary, diff, changes } = report;
    RunStep { summary, diff, changes: changes.iter().map(Into::into).collect() }
}

/// The program was refused before it ran.
pub(super) fn refused(text: String, diagnostics: Vec<Diagnostic>) -> Value {
    bare(RunEvent::Refused { text, diagnostics })
}

/// A changed program was refused.
pub(super) fn rejected(at: Moment, text: String, diagnostics: Vec<Diagnostic>) -> Value {
    value(RunLine { what: RunEvent::Refused { text, diagnostics }, at_ns: Some(at.0), because: Vec::new(), time: None })
}

/// Where the program describes a resource.
pub(crate) fn origin(resource: &str, lines: Vec<String>) -> Value {
    bare(RunEvent::Origin { resource: resource.to_owned(), lines })
}

/// A line printed by a resource.
pub(super) fn printed(of: &ResourceId, text: &str) -> Value {
    bare(RunEvent::Print { resource: of.to_string(), text: text.to_owned() })
}

/// The last line of a run or plan.
pub(super) fn summary(tally: Tally) -> Value {
    let Tally { in_state, changed, would_change, failed, waiting, unknown, refused } = tally;
    bare(RunEvent::Summary { in_state, changed, would_change, failed, waiting, unknown, refused })
}

fn bare(what: RunEvent) -> Value {
    value(RunLine { what, at_ns: None, because: Vec::new(), time: None })
}

fn value(line: RunLine) -> Value {
    // It contains only texts, numbers and lists, which can always be serialized.
    serde_json::to_value(line).expect("a line is plain data")
}

/// The same for people.
pub(super) fn shown(phase: Phase) -> &'static str {
    if phase == Phase::InState { "up to date" } else { phase_word(phase) }
}

pub(crate) fn phase_word(phase: Phase) -> &'static str {
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
        Phase::Unknown => "unknown",
        Phase::Removed => "removed",
    }
}

pub(crate) fn cause_words(cause: &Cause) -> String {
    match cause {
        Cause::Deployed => "deployed".into(),
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
