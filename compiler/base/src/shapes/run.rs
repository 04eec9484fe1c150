//! The lines of `run --json`, `plan --json` and `--log`: one JSON object per event.

use super::Diagnostic;
use crate::protocol::Phase;
use crate::vocab::FieldChange;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One line. Later versions may add fields and variants, but do not change or remove any.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunLine {
    /// The event.
    #[serde(flatten)]
    pub what: RunEvent,
    /// Nanoseconds since the agent started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_ns: Option<u64>,
    /// Its causes, outermost first: `deployed`, `fact the content of /t/in`, `vertex os.readfile`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// Wall clock time in UTC, in RFC 3339 format.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
}

/// What happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RunEvent {
    /// The program was refused before any graph was applied, or a changed program was refused and the previous one
    /// keeps running.
    Refused {
        /// The same text that `mclive check` prints.
        text: String,
        /// The same diagnostics as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<Diagnostic>,
    },
    /// The values of the program are not valid, so the last graph is still applied; or they are valid again.
    Stream {
        /// Rendered diagnostics.
        text: String,
        /// The same diagnostics as data.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        diagnostics: Vec<Diagnostic>,
    },
    /// A new resource graph takes effect.
    Graph {
        /// Number of resources.
        vertices: usize,
        /// Number of edges.
        edges: usize,
        /// Resources that are new in this graph.
        added: usize,
        /// Resources that are gone.
        removed: usize,
        /// Number of resources of each kind.
        kinds: BTreeMap<String, usize>,
    },
    /// A resource entered a phase.
    Resource {
        /// `kind[name]`.
        resource: String,
        /// The phase.
        phase: RunPhase,
        /// Why, or the result: `created`, `repaired after /etc/motd changed`, an error.
        text: String,
        /// The resource runs with `noop`: nothing will be changed.
        dry: bool,
    },
    /// Steps about to be carried out, or that would be.
    Steps {
        /// The resource, as `kind[name]`.
        resource: String,
        /// Always `drifted`.
        decision: String,
        /// The steps in order.
        steps: Vec<RunStep>,
    },
    /// The resources that are applied as part of this one from now on; every line about it covers them too. Empty if it
    /// is ungrouped again.
    Grouped {
        /// The resource, as `kind[name]`.
        resource: String,
        /// The members, as `kind[name]`.
        members: Vec<String>,
    },
    /// Where the program describes a resource; only in answers of `mclive why`.
    Origin {
        /// The resource, as `kind[name]`.
        resource: String,
        /// Innermost first, each line with its place.
        lines: Vec<String>,
    },
    /// Nothing has changed for the settle time.
    Converged {
        /// The settle time.
        seconds: i64,
    },
    /// The host is no longer converged.
    Unconverged,
    /// A message of the engine.
    Log {
        /// The line.
        text: String,
    },
    /// A line printed by a resource.
    Print {
        /// The resource, as `kind[name]`.
        resource: String,
        /// The line.
        text: String,
    },
    /// The last line, with totals. Each resource is counted once, even if checked or repaired repeatedly; failed,
    /// waiting and unknown resources are counted as of the end.
    Summary {
        /// Resources that were always up to date.
        in_state: usize,
        /// Resources that changed.
        changed: usize,
        /// Resources that `noop` or a plan kept from changing.
        would_change: usize,
        /// Resources that have failed.
        failed: usize,
        /// Resources that are still waiting.
        waiting: usize,
        /// Resources whose outcome a plan cannot predict.
        unknown: usize,
        /// Whether the program was refused.
        refused: bool,
    },
}

/// State of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RunPhase {
    /// Waits for its dependencies.
    Waiting,
    /// Its check is running.
    Checking,
    /// Its steps are running.
    Applying,
    /// Up to date; nothing was changed.
    #[serde(rename = "in state")]
    InState,
    /// Up to date after a change.
    Changed,
    /// Drifted, but `noop` forbids the change.
    #[serde(rename = "would change")]
    WouldChange,
    /// Failed; will be retried after a delay.
    Retrying,
    /// Delayed by its rate limit.
    Limited,
    /// Failed, with no retries left.
    Failed,
    /// A plan cannot predict the outcome.
    Unknown,
    /// Removed from the graph.
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
    /// A summary of one line.
    pub summary: String,
    /// A unified diff of the contents, if both are text and small.
    pub diff: Option<String>,
    /// Each changed field with its old and new value; empty if the summary contains it, or if they are secret.
    pub changes: Vec<RunChange>,
}

/// A field before and after; `null` if the value is unknown or absent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunChange {
    /// The name: `state`, `mode`, `owner`, `size`, `sha256`, `target`, `label`.
    pub field: String,
    /// The old value.
    pub old: Option<String>,
    /// The new value.
    pub new: Option<String>,
}

impl From<&FieldChange> for RunChange {
    fn from(change: &FieldChange) -> RunChange {
        let FieldChange { field, old, new } = change.clone();
        RunChange { field, old, new }
    }
}
