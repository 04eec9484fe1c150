//! What came of playing scenarios.

use serde::{Deserialize, Serialize};

/// What came of one scenario.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tested {
    /// Of its file, without the ending.
    pub name: String,
    /// Its first comment; may be empty.
    pub title: String,
    /// Lines that are no steps; nothing was played then.
    pub faults: Vec<Fault>,
    /// `None`, and no faults: it passed.
    pub failure: Option<Failure>,
    /// How long it took on the host's clock.
    pub virtual_ms: u64,
    /// Changes that were made to the host.
    pub n_steps: usize,
    /// The statements that can be seen at work, by file and line.
    pub covered: Vec<Covered>,
}

impl Tested {
    pub fn passed(&self) -> bool {
        self.faults.is_empty() && self.failure.is_none()
    }
}

/// A line that is no step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// From 1.
    pub line: u32,
    pub text: String,
    pub why: String,
}

/// Where a scenario failed, and why.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The line of the step, from 1.
    pub line: u32,
    /// The line as it was written.
    pub step: String,
    /// For a claim that was to hold all the time: the line at which it did not.
    pub during: Option<u32>,
    /// What was so instead.
    pub why: String,
    /// What the scenario says to whoever fails here; may be empty.
    pub hint: String,
    /// What had been said up to then, the newest last.
    pub log: Vec<String>,
}

/// A statement, and whether a scenario saw it at work.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Covered {
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The kind of a resource, or which branch.
    pub what: String,
    pub seen: bool,
}
