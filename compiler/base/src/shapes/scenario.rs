//! Results of playing scenarios.

use crate::protocol::Moment;
use crate::scenario::Event;
use serde::{Deserialize, Serialize};

/// The result of one scenario.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Tested {
    /// Its file name without the extension.
    pub name: String,
    /// Its first comment; may be empty.
    pub title: String,
    /// Lines that are not steps; if there are any, nothing is played.
    pub faults: Vec<Fault>,
    /// Why it was skipped on a real host; otherwise empty.
    pub left_out: String,
    /// Where it failed. It passed if this is `None`, there are no faults and it was not skipped.
    pub failure: Option<Failure>,
    /// Elapsed time on the host's clock.
    pub virtual_ms: u64,
    /// Number of changes made to the host.
    pub n_steps: usize,
    /// The statements that can be observed at work, by file and line.
    pub covered: Vec<Covered>,
}

impl Tested {
    /// Whether it was played and passed.
    pub fn passed(&self) -> bool {
        !self.failed() && self.left_out.is_empty()
    }

    /// Whether it has faults or failed.
    pub fn failed(&self) -> bool {
        !self.faults.is_empty() || self.failure.is_some()
    }
}

/// A line that is not a step.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// From 1.
    pub line: u32,
    /// The line as written.
    pub text: String,
    /// What is wrong with it.
    pub why: String,
}

/// Where a scenario failed, and why.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The line of the step, from 1.
    pub line: u32,
    /// The line as it was written.
    pub step: String,
    /// For a claim that must hold all the time: the line during which it did not.
    pub during: Option<u32>,
    /// What was found instead.
    pub why: String,
    /// The scenario's hint for this failure; may be empty.
    pub hint: String,
    /// Log lines up to the failure, newest last.
    pub log: Vec<String>,
}

/// A statement, and whether a scenario exercised it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Covered {
    /// The program file.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// The kind of the resource, or which branch.
    pub what: String,
    /// Whether it was exercised.
    pub seen: bool,
}

/// One entry on the timeline of a played scenario.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cue {
    /// When.
    pub at: Moment,
    /// The line of its step, from 1.
    pub line: u32,
    /// The line as it was written.
    pub text: String,
    /// The host it applies to; `None`: every host.
    pub host: Option<String>,
    /// What happened.
    pub what: CueWhat,
}

/// The content of a timeline entry.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum CueWhat {
    /// An event was carried out.
    Happens(Event),
    /// An expectation was met.
    Held,
    /// An expectation was not met.
    Broke {
        /// What was found instead.
        why: String,
        /// The scenario's hint; may be empty.
        hint: String,
    },
    /// The scenario ends.
    Ends,
}

impl Cue {
    /// Encodes cues as bytes, for passing through the page unread.
    pub fn pack(cues: &[Cue]) -> Vec<u8> {
        postcard::to_stdvec(cues).expect("moments are plain data")
    }

    /// Decodes cues. Errors: the bytes are something else.
    pub fn unpack(bytes: &[u8]) -> Result<Vec<Cue>, String> {
        postcard::from_bytes(bytes).map_err(|error| format!("the moments of the scenario cannot be read: {error}"))
    }
}
