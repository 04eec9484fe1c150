//! A user's view of a simulated host, and the actions on it, as plain data.

mod fleet;
mod holding;
mod timeline;

pub use crate::protocol::Phase;
pub use fleet::{FleetAction, HostCard, HostHealth};
pub use holding::{ADD, Addition, Holding, Thing, ThingField};
pub use timeline::{Goal, Mark, Position};

use crate::protocol::Moment;
use serde::{Deserialize, Serialize};

/// A change of one thing of a host by hand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Alteration {
    /// Sets a field.
    Set { field: String, value: String },
    /// One of the thing's own verbs, such as `stop`.
    Do { verb: String },
}

/// A change made by hand to the host while the program runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostAction {
    /// Writes a file, and the directories above it.
    Write {
        /// Absolute path.
        path: String,
        /// The new content.
        text: String,
    },
    /// Removes a file, a link, or a directory with everything below it.
    Remove {
        /// Absolute path.
        path: String,
    },
    /// Replaces a file with an empty directory.
    ReplaceByDir {
        /// Absolute path.
        path: String,
    },
    /// Sets the permissions.
    SetMode {
        /// Absolute path.
        path: String,
        /// The twelve permission bits.
        mode: u32,
    },
    /// Makes an empty directory and its parents.
    MakeDir {
        /// Absolute path.
        path: String,
    },
    /// Makes a symbolic link.
    Link {
        /// Absolute path.
        path: String,
        /// The target.
        to: String,
    },
    /// Sets the result of a command line for every later run.
    Command {
        /// The command line.
        line: String,
        /// Its output.
        prints: String,
        /// Its exit status.
        status: i32,
        /// How long it runs. Units: milliseconds.
        takes_ms: u64,
    },
    /// Sets an environment variable of the agent.
    Environment {
        /// Name of the variable.
        name: String,
        /// Its value.
        value: String,
    },
    /// Sets the load. Units: percent of one processor.
    Load {
        /// The load in percent.
        percent: u32,
    },
    /// Renames the host.
    Rename {
        /// The new host name.
        hostname: String,
    },
    /// Changes something that a [`Holding`] shows.
    Alter {
        /// The subject's name in the vocabulary.
        subject: String,
        /// The thing's name.
        thing: String,
        /// The change.
        how: Alteration,
    },
}

/// The host and the program on it at one moment.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Simulated time since the start. Units: milliseconds.
    pub now_ms: u64,
    /// The host's clock, in seconds since 1970.
    pub clock_s: i64,
    /// The host name.
    pub hostname: String,
    /// When the program will next act on its own, if ever.
    pub wake_ms: Option<u64>,
    /// Whether the host has converged.
    pub converged: bool,
    /// Why the program does not run: a run-time error, or an exit.
    pub stopped: Option<String>,
    /// Progress of a replayed run.
    pub replay: Option<Replayed>,
    /// Incremented with each new resource graph.
    pub generation: u64,
    /// In the order of the resource graph.
    pub resources: Vec<ResourceState>,
    /// The value of each vertex of the function graph; `None` if it has none yet.
    pub values: Vec<Option<String>>,
    /// Sorted by path.
    pub files: Vec<HostFile>,
    /// Everything else that programs read or manage, in the order of the vocabulary.
    pub holdings: Vec<Holding>,
    /// Lines reported since the last snapshot, oldest first.
    pub log: Vec<LogLine>,
    /// Number of lines dropped because there were too many.
    pub n_log_dropped: u64,
}

/// Progress of a replayed run.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Replayed {
    /// Inputs replayed so far.
    pub done: usize,
    /// All inputs of the run.
    pub all: usize,
}

/// The state of one resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResourceState {
    /// `kind[name]`.
    pub id: String,
    /// Its phase.
    pub phase: Phase,
    /// Details: the step, the reason.
    pub text: String,
}

/// A file of the simulated host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostFile {
    /// Absolute path.
    pub path: String,
    /// What it is.
    pub kind: HostFileKind,
    /// The twelve permission bits.
    pub mode: u32,
    /// Owner name.
    pub owner: String,
    /// Group name.
    pub group: String,
    /// Size in bytes.
    pub size: u64,
    /// The content as text, shortened if long; for a link, its target.
    pub text: String,
    /// The checksum of a content that `text` is not all of.
    pub checksum: Option<u32>,
}

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostFileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Link,
}

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    /// Simulated time. Units: milliseconds.
    pub at_ms: u64,
    /// The number of simulation steps before it; 0 outside a simulation.
    pub step: u64,
    /// How it is shown.
    pub tone: Tone,
    /// The resource it is about, as `kind[name]`.
    pub resource: Option<String>,
    /// The message.
    pub text: String,
    /// A unified difference of a file's content.
    pub diff: Option<String>,
    /// Why it happened, outermost first.
    pub because: Vec<String>,
}

impl LogLine {
    /// A line with only a text.
    pub fn at(at: Moment, text: impl Into<String>) -> LogLine {
        LogLine {
            at_ms: at.0 / 1_000_000,
            step: 0,
            tone: Tone::Info,
            resource: None,
            text: text.into(),
            diff: None,
            because: Vec::new(),
        }
    }
}

/// The style of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Tone {
    /// Of little interest.
    Quiet,
    /// Plain information.
    Info,
    /// Success.
    Good,
    /// A change to the host.
    Change,
    /// A warning.
    Warn,
    /// A failure.
    Bad,
    /// A change made by hand.
    Player,
}
