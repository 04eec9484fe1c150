//! What `run --json`, `plan --json` and `--log` say: one line of JSON for each event.

use super::Diagnostic;
use crate::protocol::Phase;
use crate::vocab::FieldChange;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line. Fields and types of lines are only added.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunLine {
    #[serde(flatten)]
    pub what: RunEvent,
    /// Nanoseconds since the agent started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ns: Option<u64>,
    /// What led to it, outermost first: `deployed`, `fact the content of /t/in`, `vertex os.readfile`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// Wall clock time in UTC, as RFC 3339 writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// The program was refused: no graph of it was ever in force.
    Refused {
        /// What `check` shows.
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<Diagnostic>,
    },
    /// The values of the program make no graph, so that the last one stays in force; or good values came back.
    Stream {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<Diagnostic>,
    },
    /// A new resource graph is in force.
    Graph {
        vertices: usize,
        edges: usize,
        added: usize,
        removed: usize,
        /// How many resources there are of each kind.
        kinds: BTreeMap<String, usize>,
    },
    /// A resource entered a phase.
    Resource {
        /// `kind[name]`.
        resource: String,
        phase: RunPhase,
        /// Why, or what became of it: `created`, `repaired after /etc/motd changed`, an error.
        text: String,
        /// It is only looked at: nothing of it is changed.
        dry: bool,
    },
    /// Steps that are about to be carried out, or would be.
    Steps {
        resource: String,
        /// Always `drifted`.
        decision: String,
        steps: Vec<RunStep>,
    },
    /// Which resources are applied within this one from here on: each line about it speaks of them as well.
    /// None: it stands for itself again.
    Grouped {
        resource: String,
        members: Vec<String>,
    },
    /// Nothing has changed for so long.
    Converged {
        seconds: i64,
    },
    Unconverged,
    /// A message of the engine.
    Log {
        text: String,
    },
    /// A line that a resource prints.
    Print {
        resource: String,
        text: String,
    },
    /// The last line: how often what happened. What stands as failed, waits or is unknown is counted at the end.
    Summary {
        in_state: usize,
        changed: usize,
        would_change: usize,
        failed: usize,
        waiting: usize,
        unknown: usize,
        refused: bool,
    },
}

/// Where a resource is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    Waiting,
    Checking,
    Applying,
    #[serde(rename = "in state")]
    InState,
    Changed,
    #[serde(rename = "would change")]
    WouldChange,
    Retrying,
    /// Held back by its rate limit.
    Limited,
    Failed,
    /// A plan cannot tell.
    Unknown,
    /// It left the graph.
    Removed,
}

impl From<Phase> for RunPhase {
    fn from(phase: Phase) -> RunPhase {
        match phase {
            Phase::Waiting => RunPhase::Waiting,
            Phase::Checking => RunPhase::Checking,
            Phase::Applying => RunPhase::Applying,
            Phase::InState => RunPhase::InState,
            Phase::Changed => RunPhase::Changed,
            Phase::WouldChange => RunPhase::WouldChange,
            Phase::Retrying => RunPhase::Retrying,
            Phase::Limited => RunPhase::Limited,
            Phase::Failed => RunPhase::Failed,
            Phase::Unknown => RunPhase::Unknown,
            Phase::Removed => RunPhase::Removed,
        }
    }
}

/// One step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunStep {
    /// In words.
    pub summary: String,
    /// A unified diff of contents, when both are text and small.
    pub diff: Option<String>,
    /// Each field with its old and its new value; empty where the summary tells, or where they are secret.
    pub changes: Vec<RunChange>,
}

/// A field of something, before and after; `null`: it is not known, or there is none.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunChange {
    /// `state`, `mode`, `owner`, `size`, `sha256`, `target`, `label`.
    pub field: String,
    pub old: Option<String>,
    pub new: Option<String>,
}

impl From<&FieldChange> for RunChange {
    fn from(change: &FieldChange) -> RunChange {
        let FieldChange { field, old, new } = change.clone();
        RunChange { field, old, new }
    }
}
