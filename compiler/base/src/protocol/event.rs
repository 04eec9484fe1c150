//! [`Event`]: what the brain reports to users, logs and the graph views. Nothing depends on it.

use super::{Moment, ResourceId};
use crate::excerpt::{LONGEST_TOLD, excerpt};
use crate::vocab::FieldChange;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One line of the log, as data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    /// When it happened.
    pub at: Moment,
    /// What happened.
    pub what: What,
    /// Its causes, outermost first: a fact or event, the vertices, the resource.
    pub because: Vec<Cause>,
}

impl Event {
    /// Creates an event. Texts may contain values from outside: what was posted to a server, printed by a command or
    /// read from a file. If such a text is long, only its beginning and its length are kept. Diagnostics and
    /// differences have their own limits.
    pub fn new(at: Moment, mut what: What, mut because: Vec<Cause>) -> Event {
        what.texts(&mut shorten);
        because.iter_mut().filter_map(Cause::text).for_each(shorten);
        Event { at, what, because }
    }
}

fn shorten(text: &mut String) {
    if text.len() > LONGEST_TOLD {
        *text = excerpt(std::mem::take(text), LONGEST_TOLD);
    }
}

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum What {
    /// The program was refused or stopped.
    Refused {
        /// Rendered diagnostics.
        text: String,
    },
    /// A run-time error ended the stream of graphs, or valid values resumed after one.
    Stream {
        /// Rendered diagnostics.
        text: String,
    },
    /// A new resource graph is in effect.
    GraphSwitched {
        /// Number of resources.
        n_vertices: usize,
        /// Number of edges.
        n_edges: usize,
        /// Resources that are new in this graph.
        added: usize,
        /// Resources that are gone.
        removed: usize,
        /// Number of resources of each kind, including members of groups; sorted.
        kinds: Vec<(Arc<str>, usize)>,
    },
    /// A resource changed phase.
    Resource {
        /// The resource.
        id: ResourceId,
        /// Its new phase.
        phase: Phase,
        /// Details: the step, the reason or the error.
        text: String,
        /// The resource runs with `noop`: nothing will be changed.
        dry: bool,
    },
    /// Steps about to be carried out.
    Steps {
        /// The resource.
        id: ResourceId,
        /// The steps in order.
        steps: Vec<StepReport>,
    },
    /// The resources that are applied as part of another one from now on.
    Grouped {
        /// The resource.
        id: ResourceId,
        /// The members; empty if the resource is ungrouped again.
        members: Vec<ResourceId>,
    },
    /// The host has converged.
    Converged {
        /// The settle time in seconds.
        seconds: i64,
    },
    /// The host is no longer converged.
    Unconverged,
    /// A line of a `print` resource, or a message of the engine.
    Log {
        /// The line.
        text: String,
    },
}

impl What {
    fn texts(&mut self, each: &mut dyn FnMut(&mut String)) {
        match self {
            What::Resource { text, .. } | What::Log { text } => each(text),
            What::Steps { steps, .. } => {
                for StepReport { summary, changes, diff: _ } in steps {
                    each(summary);
                    for FieldChange { old, new, field: _ } in changes {
                        [old, new].into_iter().flatten().for_each(&mut *each);
                    }
                }
            }
            What::Refused { .. }
            | What::Stream { .. }
            | What::GraphSwitched { .. }
            | What::Grouped { .. }
            | What::Converged { .. }
            | What::Unconverged => {}
        }
    }
}

/// State of a resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Phase {
    /// Waits for its dependencies.
    Waiting,
    /// Its check is running.
    Checking,
    /// Its steps are running.
    Applying,
    /// Up to date; nothing was changed.
    InState,
    /// Up to date after a change.
    Changed,
    /// Drifted, but `noop` forbids the change.
    WouldChange,
    /// Failed; will be retried after a delay.
    Retrying,
    /// Held back by its rate limit.
    Limited,
    /// Failed permanently.
    Failed,
    /// A plan cannot predict the outcome.
    Unknown,
    /// Left the graph.
    Removed,
}

/// A step in words and, for files, as a diff.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepReport {
    /// One line in words.
    pub summary: String,
    /// A unified diff of the contents, if both are text and small.
    pub diff: Option<String>,
    /// Each changed field with its old and new value; empty if the summary contains it, or if they are secret.
    pub changes: Vec<FieldChange>,
}

/// One link in the chain of causes of an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Cause {
    /// The program was deployed.
    Deployed,
    /// A watch is in place; the resource is looked at for the first time.
    Started,
    /// A fact changed.
    Fact {
        /// The fact, in words.
        name: String,
    },
    /// A watch fired.
    Fired {
        /// What it watches, in words.
        path: String,
    },
    /// A timer expired.
    Timer {
        /// What the timer was for.
        reason: String,
    },
    /// Another resource finished, so this one could proceed.
    Poked {
        /// The other resource.
        by: ResourceId,
    },
    /// Another resource changed and notifies this one.
    Notified {
        /// The other resource.
        by: ResourceId,
    },
    /// A value was received over an edge.
    Received {
        /// The sending resource.
        from: ResourceId,
        /// The field that received the value.
        field: String,
    },
    /// A function vertex was evaluated.
    Vertex {
        /// The label of the vertex.
        label: String,
    },
}

impl Cause {
    fn text(&mut self) -> Option<&mut String> {
        match self {
            Cause::Fact { name: text }
            | Cause::Fired { path: text }
            | Cause::Timer { reason: text }
            | Cause::Received { field: text, .. }
            | Cause::Vertex { label: text } => Some(text),
            Cause::Deployed | Cause::Started | Cause::Poked { .. } | Cause::Notified { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_holds_the_beginning_of_what_is_long() {
        let long = "x".repeat(2 << 20);
        let change = FieldChange { field: "value".into(), old: None, new: Some(long.clone()) };
        let step = StepReport { summary: format!("print Msg: {long}"), diff: None, changes: vec![change] };
        let id = ResourceId::new("print", "p");
        let steps = What::Steps { id: id.clone(), steps: vec![step] };
        let failed = What::Resource { id, phase: Phase::Failed, text: long.clone(), dry: false };
        for what in [steps, failed, What::Log { text: long.clone() }] {
            let event = Event::new(Moment(0), what, vec![Cause::Fired { path: long.clone() }]);
            let told = format!("{event:?}");
            assert!(told.len() < 4 * LONGEST_TOLD && told.contains("bytes in all)"), "{} bytes", told.len());
        }
        let short = What::Log { text: "short".into() };
        assert_eq!(Event::new(Moment(0), short.clone(), Vec::new()).what, short);
    }
}
