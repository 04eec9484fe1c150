//! What came of playing scenarios.

use crate::protocol::Moment;
use crate::scenario::Event;
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
    /// Why it was not played on a real host, where it was to be; else empty.
    pub left_out: String,
    /// `None`, no faults, and not left out: it passed.
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
        !self.failed() && self.left_out.is_empty()
    }

    pub fn failed(&self) -> bool {
        !self.faults.is_empty() || self.failure.is_some()
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

/// A scenario as it went: what there is on a line of time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cue {
    pub at: Moment,
    /// The line of its step, from 1.
    pub line: u32,
    /// The line as it was written.
    pub text: String,
    /// The host that it is about; `None` is every host that is there.
    pub host: Option<String>,
    pub what: CueWhat,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum CueWhat {
    Happens(Event),
    /// An expectation was met.
    Held,
    /// An expectation was not met; what was so instead.
    Broke {
        why: String,
        hint: String,
    },
    /// The scenario ends.
    Ends,
}

impl Cue {
    /// Moments as bytes: they cross the page, which needs none of them.
    pub fn pack(cues: &[Cue]) -> Vec<u8> {
        postcard::to_stdvec(cues).expect("moments are plain data")
    }

    /// Errors: the bytes are something else.
    pub fn unpack(bytes: &[u8]) -> Result<Vec<Cue>, String> {
        postcard::from_bytes(bytes).map_err(|error| format!("the moments of the scenario cannot be read: {error}"))
    }
}
