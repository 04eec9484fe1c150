//! What page and worker say to each other: a request, then its answer.
//!
//! Both cross as plain objects (serde-wasm-bindgen). The page sends the next request when the answer to the last one
//! has come, so an answer needs no number.

use crate::graphs::layout::Drawing;
use mclive_base::shapes::host::{HostAction, HostFile, ResourceState, Snapshot};
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
    /// Give the simulated host this program: a new host, which is prepared first, or the one that is there.
    Deploy { files: Vec<ProgramFile>, hostname: String, fresh: bool, prepare: Vec<HostAction> },
    /// Show another one of the simulated hosts.
    Look { hostname: String },
    /// Let the simulated time go on by so much, at most until something happens if `to_next`.
    Advance { by_ms: u64, to_next: bool },
    /// Show a recorded run instead of the simulated host.
    Replay { trace: Vec<u8> },
    /// Do something behind the program's back.
    Act { action: HostAction },
    /// The canonical layout of one file.
    Format { text: String },
    /// A code's page.
    Explain { code: String },
    /// Play a lesson's check, a scenario, with this program.
    Judge { files: Vec<ProgramFile>, check: String },
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
}

/// The simulated host after something happened.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Simulated {
    /// Without what `parts` has.
    pub snapshot: Snapshot,
    pub parts: Parts,
    /// The resource graph in force, when it is another one than in the last answer.
    pub resources: Option<Picture<shapes::ResourceGraph>>,
    /// The text of a recorded run's program, as the run is opened.
    pub program: Option<String>,
}

/// The large parts of a snapshot: each only where it is another one than in the last answer, since most
/// of the time a host just goes on.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Parts {
    pub resources: Option<Vec<ResourceState>>,
    pub values: Option<Vec<Option<String>>>,
    pub files: Option<Vec<HostFile>>,
}

impl Parts {
    /// Takes the parts out of a snapshot.
    pub fn of(snapshot: &mut Snapshot) -> Parts {
        Parts {
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
        }
    }
}
