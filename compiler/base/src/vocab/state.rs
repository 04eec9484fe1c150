//! The state kept about a resource: files in its own directory.

use super::subject::never;
use super::{Change, Effect, FileStat, Look};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Watch, Fact }

/// A look at the state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Bytes`.
    Read { name: String },
    /// → `Stat`.
    Stat { name: String },
    /// → `All`: the files of this name in every state directory below the prefix, including those of resources that are
    /// in no graph. Files too damaged to read are skipped and logged.
    List { name: String },
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The content.
    Bytes(Vec<u8>),
    /// The metadata; `None`: there is no such file.
    Stat(Option<FileStat>),
    /// Contents, sorted by path.
    All(Vec<Vec<u8>>),
}

/// A change of the state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Writes a file atomically.
    Write {
        /// Name of the file.
        name: String,
        /// Its content.
        content: Vec<u8>,
    },
    /// Removes a file.
    Remove {
        /// Name of the file.
        name: String,
    },
}

impl Step {
    /// The file it changes.
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
            Step::Write { name, .. } => write!(f, "store {name}"),
            Step::Remove { name } => write!(f, "forget {name}"),
        }
    }

    fn effect(&self) -> Effect {
        Effect::Bookkeeping
    }
}
