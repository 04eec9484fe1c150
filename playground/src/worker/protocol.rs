//! The messages between page and worker: a request, then its answer.
//!
//! A request is a plain object (serde-wasm-bindgen), an answer is bytes ([`Answer::to_bytes`]). The page sends the next
//! request after the answer to the previous one, so answers need no number.

mod bytes;
mod program_file;

pub use program_file::ProgramFile;

use crate::graphs::layout::Drawing;
use mclive_base::shapes::host::{
    FleetAction, Goal, Holding, HostAction, HostCard, HostFile, Position, ResourceState, Snapshot,
};
use mclive_base::shapes::{self, editor};
use serde::{Deserialize, Serialize};

/// A request of the page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Request {
    /// Compile, and return the diagnostics.
    Check { files: Vec<ProgramFile> },
    /// Draw a program; with the resources of this host, if the program declares several.
    Draw {
        /// The program. Queries may have made the worker compile a different text since it was checked.
        files: Vec<ProgramFile>,
        /// The host.
        hostname: String,
        /// Whether the function graph uses the engine's names of all vertices instead of the program's words.
        in_full: bool,
    },
    /// A query of the editor.
    Ask { files: Vec<ProgramFile>, query: editor::Query },
    /// Deploy the program to new simulated hosts, which are prepared first, or to existing ones. The answer is about
    /// the host `hostname`.
    Deploy { files: Vec<ProgramFile>, hosts: Vec<String>, hostname: String, fresh: bool, prepare: Vec<HostAction> },
    /// Show another simulated host.
    Look { hostname: String },
    /// Advance the simulated time.
    Advance { by_ms: u64 },
    /// Run until a goal is reached, at most up to a moment.
    Run { goal: Goal, until_ms: u64 },
    /// Go to a moment, back or ahead, by its step.
    Seek { step: u64 },
    /// Move an action of the user, by the step of its mark, to an earlier or later moment.
    Shift { step: u64, by_ms: i64 },
    /// Add, remove, pause or resume a host.
    Arrange { action: FleetAction },
    /// Show a recorded run in place of the simulated host.
    Replay { trace: Vec<u8> },
    /// Return the run of a host up to the displayed moment as a recording.
    Record {
        /// The host.
        hostname: String,
        /// It is for a link, not for a file.
        for_link: bool,
    },
    /// Change a host by hand.
    Act { action: HostAction },
    /// Format one file, by path relative to the program's directory.
    Format { file: String, text: String },
    /// Return the page of a code.
    Explain { code: String },
    /// Play the check of a lesson, a scenario, with this program.
    Judge { files: Vec<ProgramFile>, check: String },
    /// Play a scenario with this program, and return its cues.
    Rehearse { files: Vec<ProgramFile>, scenario: String },
    /// Show a played scenario by its cues ([`shapes::scenario::Cue`], packed).
    Stage { files: Vec<ProgramFile>, cues: Vec<u8> },
    /// Make a scenario of the actions up to the displayed moment.
    Save,
    /// Print a graph, like `mclive graph`; functions in the program's words unless `in_full`. Resources are the current
    /// ones on the displayed host, or those predicted for `hostname`.
    Print { files: Vec<ProgramFile>, graph: Graph, form: Form, hostname: String, in_force: bool, in_full: bool },
    /// Take an action of the user back, by the step of its mark, and go to the latest moment.
    TakeBack { step: u64 },
    /// Repeat what the user did up to the displayed moment with another program, on hosts that are not shown.
    Rerun { files: Vec<ProgramFile>, hostname: String },
    /// Continue with what follows from an action that was moved or taken back.
    Repeat,
    /// Stop that: the hosts are as they were before the action was moved or taken back.
    StopRepeating,
}

/// What a request is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum About {
    /// The program's text.
    Text,
    /// Hosts that replace the existing ones.
    NewHosts,
    /// The existing hosts: without them it means nothing.
    Hosts,
    /// Something else that the user requested.
    Wish,
}

impl Request {
    /// What it is about.
    pub fn about(&self) -> About {
        match self {
            Request::Check { .. } | Request::Draw { .. } | Request::Ask { .. } => About::Text,
            Request::Deploy { .. } | Request::Stage { .. } | Request::Replay { .. } => About::NewHosts,
            Request::Look { .. }
            | Request::Advance { .. }
            | Request::Run { .. }
            | Request::Seek { .. }
            | Request::Shift { .. }
            | Request::TakeBack { .. }
            | Request::Repeat
            | Request::StopRepeating
            | Request::Arrange { .. }
            | Request::Act { .. } => About::Hosts,
            Request::Format { .. }
            | Request::Explain { .. }
            | Request::Judge { .. }
            | Request::Rehearse { .. }
            | Request::Print { .. }
            | Request::Record { .. }
            | Request::Rerun { .. }
            | Request::Save => About::Wish,
        }
    }

    /// Whether it is about the existing hosts.
    pub fn is_of_hosts(&self) -> bool {
        self.about() == About::Hosts
    }
}

/// A graph of the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Graph {
    /// The function graph.
    Functions,
    /// The model, in place of functions.
    Model,
    /// The resource graph.
    Resources,
}

impl Graph {
    /// The base name of its file.
    pub fn name(self) -> &'static str {
        match self {
            Graph::Functions => "functions",
            Graph::Model => "model",
            Graph::Resources => "resources",
        }
    }
}

/// A format for other programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Form {
    /// DOT, for Graphviz.
    Dot,
    /// JSON.
    Json,
}

impl Form {
    /// The file extension.
    pub fn suffix(self) -> &'static str {
        match self {
            Form::Dot => "dot",
            Form::Json => "json",
        }
    }
}

/// An answer of the worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The diagnostics of a compilation.
    Checked(Vec<shapes::Diagnostic>),
    /// The graphs.
    Drawn(Box<Drawn>),
    /// The state of the simulation.
    Simulated(Box<Simulated>),
    /// The formatted file.
    Formatted {
        /// The text; `None`: it does not parse.
        text: Option<String>,
    },
    /// The page of a code, in Markdown.
    Explained {
        /// The code.
        code: String,
        /// The page.
        page: String,
    },
    /// The result of a lesson's check.
    Judged(Box<shapes::scenario::Tested>),
    /// The result of a scenario, and its cues.
    Rehearsed {
        /// The result.
        tested: Box<shapes::scenario::Tested>,
        /// The cues, packed.
        cues: Vec<u8>,
    },
    /// A text archive with programs and a scenario.
    Saved {
        /// The text.
        text: String,
    },
    /// A recorded run.
    Recorded {
        /// Its bytes.
        trace: Vec<u8>,
    },
    /// The recorded run is of a program in another language: another worker can replay it.
    OtherLanguage {
        /// The files of the program, the main one first.
        program: Vec<ProgramFile>,
    },
    /// A graph as text.
    Printed {
        /// The text.
        text: String,
    },
    /// The request is impossible.
    Declined {
        /// Why: a sentence, with or without its capital letter and its full stop.
        why: String,
    },
    /// A host after a repetition with another program.
    Reran(Box<Simulated>),
    /// The simulation has not yet reached the requested moment. The page gets the state once it has.
    OnTheWay {
        /// The moment that was reached. Units: milliseconds.
        now_ms: u64,
        /// The last moment that is repeated, if something is. Units: milliseconds.
        until_ms: Option<u64>,
        /// The position on the timeline.
        position: Position,
    },
    /// The answer to an editor query. It is passed as an object for the editor, and comes last here, since it has no number.
    #[serde(skip)]
    Told(editor::Answer),
}

/// The graphs of the last compilation.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Drawn {
    /// The hosts declared by the program; empty if it runs on any host.
    pub hosts: Vec<String>,
    /// The function graph; `None` if errors prevent it.
    pub functions: Option<Picture<shapes::FunctionGraph>>,
    /// For each of its vertices, the index of its value; empty if they are the same.
    pub value_of: Vec<u32>,
    /// What the statements for resources read.
    pub reads: Vec<shapes::Reads>,
    /// The resource graph; `None` if errors prevent it.
    pub resources: Option<Picture<shapes::ResourceGraph>>,
}

/// A graph with its layout.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Picture<G> {
    /// The graph.
    pub graph: G,
    /// The layout; `None`: too large to draw.
    pub drawing: Option<Drawing>,
    /// The number of edges left out.
    pub n_left_out: usize,
    /// What is around the vertices; empty if the graph is drawn.
    pub around: Around,
}

/// The innermost blocks around the declarations of vertices: for each vertex a name, or an empty text.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Around {
    /// The classes.
    pub classes: Vec<String>,
    /// The loops.
    pub loops: Vec<String>,
}

/// The state of the simulation after a request.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Simulated {
    /// The snapshot without the `parts`.
    pub snapshot: Snapshot,
    /// The large parts that changed.
    pub parts: Parts,
    /// The resource graph in effect, if it has changed.
    pub resources: Option<Picture<shapes::ResourceGraph>>,
    /// The files of a recorded run's program, when the run is opened.
    pub program: Vec<ProgramFile>,
    /// The host of the snapshot.
    pub host: String,
    /// The position on the timeline.
    pub position: Position,
    /// Whether the snapshot's lines replace the whole log.
    pub is_log_whole: bool,
    /// Whether the hosts run an earlier program than the last deployed one, at an earlier moment.
    pub is_earlier_program: bool,
}

/// The large parts of a snapshot, each only if it has changed since the last answer, since usually only time passes.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Parts {
    /// The states of resources.
    pub resources: Option<Vec<ResourceState>>,
    /// The values of vertices.
    pub values: Option<Vec<Option<String>>>,
    /// The files.
    pub files: Option<Vec<HostFile>>,
    /// The cards of all hosts.
    pub cards: Option<Vec<HostCard>>,
    /// Everything except files.
    pub holdings: Option<Vec<Holding>>,
}

impl Parts {
    /// Moves the parts out of a snapshot.
    pub fn of(snapshot: &mut Snapshot, cards: Vec<HostCard>) -> Parts {
        Parts {
            cards: Some(cards),
            holdings: Some(std::mem::take(&mut snapshot.holdings)),
            resources: Some(std::mem::take(&mut snapshot.resources)),
            values: Some(std::mem::take(&mut snapshot.values)),
            files: Some(std::mem::take(&mut snapshot.files)),
        }
    }

    /// The parts that differ from the earlier ones.
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
