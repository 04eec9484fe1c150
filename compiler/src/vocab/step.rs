//! [`Step`]: ways to change a host; [`Outcome`]: how it went.

use super::{CommandOutcome, CommandSpec, HostError};
use serde::{Deserialize, Serialize};

/// Where a file's bytes come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Content {
    Bytes(Vec<u8>),
    /// Streamed from another file of the host.
    CopyOf(String),
}

/// One change. The steps of a list are carried out in order; the first that fails ends it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Replaces or makes a file atomically; an existing one keeps its owner, mode and attributes.
    /// A new one gets `mode`, or 0666 without the umask's bits.
    WriteFile {
        path: String,
        content: Content,
        mode: Option<u32>,
    },
    MakeDir {
        path: String,
        parents: bool,
        mode: Option<u32>,
    },
    /// Removes a file, a link or an empty directory; with `recursive` a whole tree. Never `/`.
    Remove {
        path: String,
        recursive: bool,
    },
    Symlink {
        path: String,
        target: String,
    },
    SetMode {
        path: String,
        mode: u32,
    },
    /// Follows symbolic links.
    SetOwner {
        path: String,
        uid: Option<u32>,
        gid: Option<u32>,
    },
    Run(CommandSpec),
    /// A file of the resource's own state directory, written atomically.
    WriteState {
        name: String,
        content: Vec<u8>,
    },
    RemoveState {
        name: String,
    },
    /// A line for people.
    Print {
        text: String,
    },
}

/// How one step went.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Outcome {
    Done,
    Command(CommandOutcome),
    Failed(HostError),
}
