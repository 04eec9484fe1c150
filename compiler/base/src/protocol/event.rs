//! [`Event`]: what the brain reports for people, logs and pictures. Nothing depends on it.

use super::{Moment, ResourceId};
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
