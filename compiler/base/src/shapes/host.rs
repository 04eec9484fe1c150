//! What a player's window onto a simulated host shows, and what a player can do to the host: plain
//! data.

pub use crate::protocol::Phase;

use crate::protocol::Moment;
use serde::{Deserialize, Serialize};

/// What someone does to the host while the program runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostAction {
    /// Writes a file, and the directories above it.
    Write {
        path: String,
        text: String,
    },
    /// Removes a file, a link, or a directory with all below.
    Remove {
        path: String,
    },
    /// Puts an empty directory where a file was.
    ReplaceByDir {
        path: String,
    },
    SetMode {
        path: String,
        mode: u32,
    },
    /// Makes an empty directory, and those above it.
    MakeDir {
        path: String,
    },
    /// Makes a symbolic link.
    Link {
        path: String,
        to: String,
    },
    /// What each run of a command line comes to from now on.
    Command {
        line: String,
        prints: String,
        status: i32,
        takes_ms: u64,
    },
    Environment {
        name: String,
        value: String,
    },
    /// How busy the host is. Units: percent of one processor.
    Load {
        percent: u32,
    },
    /// Changes what the host is called.
    Rename {
        hostname: String,
    },
    /// Changes something that a [`Holding`] shows.
    Alter {
        subject: String,
        thing: String,
        how: Alteration,
    },
}

/// A change of one thing of a host by hand.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Alteration {
    /// Gives a field another value.
    Set { field: String, value: String },
    /// One of the thing's own verbs, such as `stop`.
    Do { verb: String },
}

/// What a host has of one subject of the vocabulary.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Holding {
    /// The subject's name in the vocabulary.
    pub subject: String,
    pub title: String,
    pub things: Vec<Thing>,
}

/// One thing of a host, such as a user or a unit.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Thing {
    pub name: String,
    pub fields: Vec<ThingField>,
    /// What can be done to it.
    pub verbs: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ThingField {
    pub name: String,
    pub value: String,
    pub is_fixed: bool,
}

impl Thing {
    pub fn new(name: impl Into<String>) -> Thing {
        Thing { name: name.into(), ..Thing::default() }
    }

    /// With a field that can be changed.
    pub fn field(self, name: &str, value: impl Into<String>) -> Thing {
        self.with(name, value.into(), false)
    }

    /// With a field that follows from something else.
    pub fn fixed(self, name: &str, value: impl Into<String>) -> Thing {
        self.with(name, value.into(), true)
    }

    pub fn verbs(mut self, verbs: &[&str]) -> Thing {
        self.verbs.extend(verbs.iter().map(|verb| (*verb).to_owned()));
        self
    }

    fn with(mut self, name: &str, value: String, is_fixed: bool) -> Thing {
        self.fields.push(ThingField { name: name.to_owned(), value, is_fixed });
        self
    }
}

/// The host and the program on it at one moment.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Simulated time since the start. Units: milliseconds.
    pub now_ms: u64,
    /// Seconds since 1970 on the host's clock.
    pub clock_s: i64,
    pub hostname: String,
    /// When the program next does something by itself, if at all.
    pub wake_ms: Option<u64>,
    pub converged: bool,
    /// Why the program does not run, if so: a run-time error, or an end.
    pub stopped: Option<String>,
    /// A recorded run: how far it is.
    pub replay: Option<Replayed>,
    /// Rises with each new resource graph.
    pub generation: u64,
    /// In the order of the resource graph.
    pub resources: Vec<ResourceState>,
    /// The values of the function graph's vertices in their order; `None`: none yet.
    pub values: Vec<Option<String>>,
    /// Sorted by path.
    pub files: Vec<HostFile>,
    /// Everything else that programs read or manage there, in the order of the vocabulary.
    pub holdings: Vec<Holding>,
    /// What was reported since the last snapshot, oldest first.
    pub log: Vec<LogLine>,
    /// Lines that were left out because there were too many.
    pub n_log_dropped: u64,
}

/// How far a recorded run is.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Replayed {
    /// Inputs so far, and in all.
    pub done: usize,
    pub all: usize,
    /// Of all that the brain answered so far; at the end it is what `mclive replay --show digest`
    /// prints.
    pub digest: String,
}

/// Where one resource is in its life.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResourceState {
    /// `kind[name]`.
    pub id: String,
    pub phase: Phase,
    /// A few words more: the step, the reason.
    pub text: String,
}

/// A file of the simulated host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostFile {
    pub path: String,
    pub kind: HostFileKind,
    /// The twelve permission bits.
    pub mode: u32,
    pub owner: String,
    pub group: String,
    /// Bytes.
    pub size: u64,
    /// The content as text, shortened when long; a link's target.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostFileKind {
    File,
    Dir,
    Link,
}

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    pub at_ms: u64,
    /// Counts what had happened in the simulation by then; 0 outside of one.
    pub step: u64,
    pub tone: Tone,
    /// The resource it is about, as `kind[name]`.
    pub resource: Option<String>,
    pub text: String,
    /// A unified difference of a file's content.
    pub diff: Option<String>,
    /// Why it happened, outermost first.
    pub because: Vec<String>,
}

impl LogLine {
    /// A line that says just this.
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

/// What a line looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Tone {
    Quiet,
    Info,
    Good,
    Change,
    Warn,
    Bad,
    /// Done by a person behind the program's back.
    Player,
}

/// A moment that mattered, on the line of all of them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Mark {
    /// Counts what had happened by then: the way back to it.
    pub step: u64,
    pub at_ms: u64,
    pub tone: Tone,
    pub host: String,
    /// What happened, in a few words.
    pub text: String,
}

/// Where in the course of events the simulated hosts are.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Position {
    /// Counts what has happened.
    pub step: u64,
    /// As far as it ever went; beyond `step` after going back.
    pub end: u64,
    /// What was asked for takes more than one answer: ask again.
    pub is_on_the_way: bool,
    /// What was asked for does not come.
    pub is_in_vain: bool,
    /// Marks behind this step are void: the course of events branched off.
    pub kept: Option<u64>,
    /// Those that the page does not have.
    pub marks: Vec<Mark>,
}

/// Until when the simulated time runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Goal {
    /// Something happens that is worth a mark.
    Mark,
    /// All hosts are converged.
    Converged,
    /// Something fails.
    Failure,
    /// The scenario that is shown has ended.
    Staged,
}

/// What is done to the fleet of simulated hosts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FleetAction {
    /// One more host, which gets the program.
    Add {
        host: String,
    },
    Remove {
        host: String,
    },
    /// Nothing happens there, and nobody hears of it.
    Pause {
        host: String,
    },
    Resume {
        host: String,
    },
}

/// How one host of a fleet does.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostCard {
    /// The name that it was started with.
    pub host: String,
    pub health: HostHealth,
    pub n_resources: usize,
    /// Those that are up to date.
    pub n_good: usize,
    /// The load average. Units: percent of one processor.
    pub load: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostHealth {
    Paused,
    Working,
    UpToDate,
    Converged,
    Failed(usize),
    /// No program runs, and why.
    Stopped(String),
}
