//! What we keep about a resource: files of a directory of its own.

use super::subject::never;
use super::{Change, Effect, FileStat, Look};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Watch, Fact }

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Bytes`.
    Read { name: String },
    /// → `Stat`.
    Stat { name: String },
    /// → `All`: the files of this name of every state directory below the prefix, also of
    /// resources that are in no graph. One that is too damaged to read is left out, with a line in
    /// the log.
    List { name: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Bytes(Vec<u8>),
    /// `None`: nothing is kept under this name.
    Stat(Option<FileStat>),
    /// Contents, sorted by the path they were found at.
    All(Vec<Vec<u8>>),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Written atomically.
    Write {
        name: String,
        content: Vec<u8>,
    },
    Remove {
        name: String,
    },
}

impl Step {
    /// The file that it is about.
    pub fn name(&self) -> &str {
        match self {
            Step::Write { name, .. } | Step::Remove { name } => name,
        }
    }
}

impl Look for Probe {
    type Finding = Finding;
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Write { name, .. } => write!(f, "keep {name}"),
            Step::Remove { name } => write!(f, "forget {name}"),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Bookkeeping
    }
}
