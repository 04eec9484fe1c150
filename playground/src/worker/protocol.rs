//! What page and worker say to each other: a request, then its answer.
//!
//! Both cross as plain objects (serde-wasm-bindgen). The page sends the next request when the answer to the last one
//! has come, so an answer needs no number.

use crate::graphs::layout::Drawing;
use mclive_base::shapes::host::{
    FleetAction, Goal, Holding, HostAction, HostCard, HostFile, Position, ResourceState, Snapshot,
};
use mclive_base::shapes::{self, editor};
use serde::{Deserialize, Serialize};

/// One file of the program, by its path in the program's own tree: `/main.mcl`, `/main.cf`. It tells the language.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramFile {
    pub path: String,
    pub text: String,
}

/// What the page asks for.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Compile, and say what there is to say.
    Check { files: Vec<ProgramFile> },
    /// Draw what was compiled last; the resources are those of this host, if the program tells of several.
    Draw { hostname: String },
    /// What the editor asks about a place.
    Ask { files: Vec<ProgramFile>, query: editor::Query },
    /// Give the simulated hosts this program: new ones, which are prepared first, or those that are there. The answer tells
    /// of the host `hostname`.
    Deploy { files: Vec<ProgramFile>, hosts: Vec<String>, hostname: String, fresh: bool, prepare: Vec<HostAction> },
    /// Show another one of the simulated hosts.
    Look { hostname: String },
    /// Let the simulated time go on by so much.
    Advance { by_ms: u64 },
    /// Let it go on until something is so, at most up to a moment.
    Run { goal: Goal, until_ms: u64 },
    /// Go to a moment, back or ahead, by the step that it came after.
    Seek { step: u64 },
    /// Add, remove, pause or resume a host.
    Arrange { action: FleetAction },
    /// Show a recorded run instead of the simulated host.
    Replay { trace: Vec<u8> },
    /// Do something behind the program's back.
    Act { action: HostAction },
    /// The canonical layout of one file, by its path below the program's directory.
    Format { file: String, text: String },
    /// A code's page.
    Explain { code: String },
    /// Play a lesson's check, a scenario, with this program.
    Judge { files: Vec<ProgramFile>, check: String },
    /// Play a scenario with this program, and tell its moments.
    Rehearse { files: Vec<ProgramFile>, scenario: String },
    /// Show a scenario that was played, by its moments ([`shapes::scenario::Cue`], packed).
    Stage { files: Vec<ProgramFile>, cues: Vec<u8> },
    /// Make a scenario of what was done up to the moment that is shown.
    Save,
    /// Print a graph, as `mclive graph` does. Resources are those in force on the host that is shown, or those that are foreseen
    /// for `hostname`.
    Print { graph: Graph, form: Form, hostname: String, in_force: bool },
}

/// A graph that the page shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Graph {
    Functions,
    /// In the place of functions, where the program is a model.
    Model,
    Resources,
}

impl Graph {
    /// What a file with it is called, up to the dot.
    pub fn name(self) -> &'static str {
        match self {
            Graph::Functions => "functions",
            Graph::Model => "model",
            Graph::Resources => "resources",
        }
    }
}

/// A graph for other programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Form {
    Dot,
    Json,
}

impl Form {
    /// How a file's name ends.
    pub fn suffix(self) -> &'static str {
        match self {
            Form::Dot => "dot",
            Form::Json => "json",
        }
    }
}

/// What the worker answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The outcome of a compilation.
    Checked(Vec<shapes::Diagnostic>),
    Drawn(Drawn),
    Told(editor::Answer),
    Simulated(Box<Simulated>),
    /// `None`: it does not parse, so it stays as it is.
    Formatted {
        text: Option<String>,
    },
    /// Markdown.
    Explained {
        code: String,
        page: String,
    },
    /// What came of a lesson's check.
    Judged(Box<shapes::scenario::Tested>),
    /// What came of a scenario, and its moments, packed.
    Rehearsed {
        tested: Box<shapes::scenario::Tested>,
        cues: Vec<u8>,
    },
    /// A text archive with programs and a scenario.
    Saved {
        text: String,
    },
    /// A graph as text.
    Printed {
        text: String,
    },
    /// It cannot be done, and why: a sentence for people.
    Declined {
        why: String,
    },
}

/// The graphs of the last compilation.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Drawn {
    /// The hosts that the program tells of; none, where it is for whichever host it runs on.
    pub hosts: Vec<String>,
    /// Both are `None` when errors keep them from being made.
    pub functions: Option<Picture<shapes::FunctionGraph>>,
    pub resources: Option<Picture<shapes::ResourceGraph>>,
}

/// A graph with the places where it is drawn.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Picture<G> {
    pub graph: G,
    /// `None`: too large for a picture that helps.
    pub drawing: Option<Drawing>,
    /// How many edges the graph has beyond those that are here.
    pub n_left_out: usize,
}

/// The simulated host after something happened.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Simulated {
    /// Without what `parts` has.
    pub snapshot: Snapshot,
    pub parts: Parts,
    /// The resource graph in force, when it is another one than in the last answer.
    pub resources: Option<Picture<shapes::ResourceGraph>>,
    /// The files of a recorded run's program, as the run is opened: those that are text.
    pub program: Vec<ProgramFile>,
    /// The host that this is about.
    pub host: String,
    pub position: Position,
    /// The log begins anew with the lines of the snapshot.
    pub is_log_whole: bool,
    /// The hosts run another program than the last one that they were given: it is an earlier moment.
    pub is_earlier_program: bool,
}

/// The large parts of a snapshot: each only where it is another one than in the last answer, since most
/// of the time a host just goes on.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Parts {
    pub resources: Option<Vec<ResourceState>>,
    pub values: Option<Vec<Option<String>>>,
    pub files: Option<Vec<HostFile>>,
    pub cards: Option<Vec<HostCard>>,
    pub holdings: Option<Vec<Holding>>,
}

impl Parts {
    /// Takes the parts out of a snapshot.
    pub fn of(snapshot: &mut Snapshot, cards: Vec<HostCard>) -> Parts {
        Parts {
            cards: Some(cards),
            holdings: Some(std::mem::take(&mut snapshot.holdings)),
            resources: Some(std::mem::take(&mut snapshot.resources)),
            values: Some(std::mem::take(&mut snapshot.values)),
            files: Some(std::mem::take(&mut snapshot.files)),
        }
    }

    /// Those that are not among the earlier ones.
    pub fn news(&self, earlier: &Parts) -> Parts {
        fn news<T: Clone + PartialEq>(now: &Option<T>, earlier: &Option<T>) -> Option<T> {
            now.as_ref().filter(|_| now != earlier).cloned()
        }
        Parts {
            resources: news(&self.resources, &earlier.resources),
            values: news(&self.values, &earlier.values),
            files: news(&self.files, &earlier.files),
            cards: news(&self.cards, &earlier.cards),
            holdings: news(&self.holdings, &earlier.holdings),
        }
    }
}
