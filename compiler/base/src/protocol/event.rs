//! [`Event`]: what the brain reports for people, logs and pictures. Nothing depends on it.

use super::{Moment, ResourceId};
use crate::excerpt::{LONGEST_TOLD, excerpt};
use crate::vocab::FieldChange;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// One line of the log, as data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Event {
    pub at: Moment,
    pub what: What,
    /// Why it happened, outermost first: a fact or event, the vertices, the resource.
    pub because: Vec<Cause>,
}

impl Event {
    /// Values from outside stand in texts: what was posted to a server, what a command wrote, what a file holds. Of each text
    /// that may hold one the beginning is told, with its length. Diagnostics and differences have bounds of their own.
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
    /// The program was refused or stopped: rendered diagnostics.
    Refused {
        text: String,
    },
    /// A run-time error ended the stream of graphs, or good values came back after one.
    Stream {
        text: String,
    },
    /// A new resource graph is in force.
    GraphSwitched {
        n_vertices: usize,
        n_edges: usize,
        added: usize,
        removed: usize,
        /// How many there are of each kind, members of groups included; sorted.
        kinds: Vec<(Arc<str>, usize)>,
    },
    /// A resource changed its phase.
    Resource {
        id: ResourceId,
        phase: Phase,
        text: String,
        /// It is only looked at: nothing of it is changed.
        dry: bool,
    },
    /// Steps that are about to be carried out.
    Steps {
        id: ResourceId,
        steps: Vec<StepReport>,
    },
    /// The resources that are applied within another one from here on; none: it stands for itself again.
    Grouped {
        id: ResourceId,
        members: Vec<ResourceId>,
    },
    Converged {
        seconds: i64,
    },
    Unconverged,
    /// A line from a `print` resource, or a message of the engine.
    Log {
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

/// Where a resource is in its life.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Phase {
    Waiting,
    Checking,
    Applying,
    InState,
    Changed,
    WouldChange,
    Retrying,
    Limited,
    Failed,
    /// A plan cannot tell what would become of it.
    Unknown,
    Removed,
}

/// A step in words and, for files, as a difference.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct StepReport {
    pub summary: String,
    /// A unified difference of contents, when both are text and small.
    pub diff: Option<String>,
    /// Each field, with its old and its new value; empty where the summary tells, or where they are secret.
    pub changes: Vec<FieldChange>,
}

/// One link of the chain that leads to an event.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Cause {
    /// The program was given.
    Deployed,
    Started,
    Fact {
        name: String,
    },
    Fired {
        path: String,
    },
    Timer {
        reason: String,
    },
    Poked {
        by: ResourceId,
    },
    Notified {
        by: ResourceId,
    },
    Received {
        from: ResourceId,
        field: String,
    },
    Vertex {
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
