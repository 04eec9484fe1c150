//! The common timeline of the simulated hosts: its notable moments, and where the simulation is on it.

use super::Tone;
use serde::{Deserialize, Serialize};

/// A notable moment on the common timeline.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// The number of simulation steps before it; jump here to see it again.
    pub step: u64,
    /// Simulated time. Units: milliseconds.
    pub at_ms: u64,
    /// How it is shown.
    pub tone: Tone,
    /// The host.
    pub host: String,
    /// What happened, in a few words.
    pub text: String,
    /// The resource it is about, as `kind[name]`.
    pub resource: Option<String>,
}

/// The position of the simulation on its timeline.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Position {
    /// The number of steps so far.
    pub step: u64,
    /// The last step ever reached; greater than `step` after going back.
    pub end: u64,
    /// The request needs another call to finish: ask again.
    pub is_on_the_way: bool,
    /// The request cannot be fulfilled.
    pub is_in_vain: bool,
    /// Marks after this step are void: history branched here.
    pub kept: Option<u64>,
    /// Marks that the page does not have yet.
    pub marks: Vec<Mark>,
}

/// When to stop simulating.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Goal {
    /// At the next mark.
    Mark,
    /// When all hosts have converged.
    Converged,
    /// At the next failure.
    Failure,
    /// At the end of the scenario being shown.
    Staged,
}
