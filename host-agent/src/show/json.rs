//! Events as lines of JSON, for machines. Fields are only ever added.

use super::Tally;
use mclive_base::protocol::{Cause, Event, Phase, What};
use serde_json::{Value, json};

/// One event; `because` is what led to it, outermost first.
pub(crate) fn line(event: &Event) -> Value {
    let mut line = match &event.what {
        What::Refused { text } => json!({ "type": "refused", "text": text }),
        What::Stream { text } => json!({ "type": "stream", "text": text }),
        What::GraphSwitched { n_vertices, n_edges, added, removed, kinds } => {
            let kinds: serde_json::Map<String, Value> =
                kinds.iter().map(|(kind, n)| (kind.to_string(), (*n).into())).collect();
            json!({
                "type": "graph", "vertices": n_vertices, "edges": n_edges, "added": added, "removed": removed,
                "kinds": kinds,
            })
        }
        What::Resource { id, phase, text, dry } => {
            let phase = phase_word(*phase);
            json!({ "type": "resource", "resource": id.to_string(), "phase": phase, "text": text, "dry": dry })
        }
        // The chain from the outermost cause to what is done: because, resource, decision, steps.
        What::Steps { id, steps } => {
            json!({ "type": "steps", "resource": id.to_string(), "decision": "drifted", "steps": steps })
        }
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

/// The last line of a run or plan.
pub(super) fn summary(tally: Tally) -> Value {
    let Tally { in_state, changed, would_change, failed, waiting, unknown, refused } = tally;
    json!({
        "type": "summary", "in_state": in_state, "changed": changed, "would_change": would_change, "failed": failed,
        "waiting": waiting, "unknown": unknown, "refused": refused,
    })
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
