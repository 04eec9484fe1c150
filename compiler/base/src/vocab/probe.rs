//! [`Probe`]: ways to look at a host; [`Finding`]: what was seen.

use super::{Datum, HostError, KeyStore};
use serde::{Deserialize, Serialize};

/// One look. A host answers a list of probes with as many findings, in the same order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Stat`. Without `follow`, a symbolic link itself is looked at.
    Stat { path: String, follow: bool },
    /// → `Bytes`, at most `limit` of them (more is an error).
    ReadFile { path: String, limit: u64 },
    /// → `Hash`: SHA-256, streamed.
    HashFile { path: String },
    /// → `Entries`: what is in a directory, sorted by name; with `recursive` all below it.
    ListDir { path: String, recursive: bool },
    /// → `Command`: a command that only checks.
    Run(CommandSpec),
    /// → `Bytes`: a file of the resource's own state directory.
    ReadState { name: String },
    /// → `Stat`: the same, looked at.
    StatState { name: String },
    /// → `States`: the files of this name of every state directory below the prefix, also of
    /// resources that are in no graph. One that is too damaged to read is left out, with a line in
    /// the log.
    ListStates { name: String },
    /// → `Datum`: what a store holds under a key; `None` when nothing.
    Key { store: KeyStore, key: String },
    /// → `Label`: the SELinux context of a file, without following links; `None` when it has none.
    Label { path: String },
    /// → `Id`: the user id of a name, or of a number that is in the account database.
    User { name: String },
    /// → `Id`: the group id, likewise.
    Group { name: String },
    /// → `Datum`: the forms that were posted last to the server at an address, a `Map` from the
    /// path of the route to a `List` of `List`s of key and value; `None` when there is no server.
    Posted { address: String },
    /// → `Id`: the permission bits that a new file does not get.
    Umask,
}

/// A command to run in a process group of its own. One that the brain had stopped
/// (`Output::Cancel`) before it ended by itself has no outcome: the answer is a failure with
/// [`HostErrorKind::Cancelled`](super::HostErrorKind::Cancelled), whatever its exit status. Capturing
/// its outputs does not wait for descendants that outlive it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandSpec {
    /// The program and its arguments; not empty. A program without a slash is looked up in the
    /// host program's own `PATH`.
    pub argv: Vec<String>,
    /// The whole environment: nothing else is passed on.
    pub env: Vec<(String, String)>,
    /// Working directory; empty: the host program's own.
    pub cwd: String,
    /// User and group to run as; empty: as the host program.
    pub user: String,
    pub group: String,
    /// Sent to the process group to stop it softly, such as `SIGTERM`; a hard stop is `SIGKILL`.
    pub signal: String,
}

/// How a command ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CommandOutcome {
    /// The exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// The signal that ended it, such as `SIGKILL`.
    pub signal: Option<String>,
    /// Both outputs as they came, and each alone; `None` when nothing was ever written to it.
    pub output: Option<Vec<u8>>,
    pub stdout: Option<Vec<u8>>,
    pub stderr: Option<Vec<u8>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FileKind {
    File,
    Dir,
    Symlink,
    Other,
}

/// What there is about a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileStat {
    pub kind: FileKind,
    /// The twelve permission bits.
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Identity: two paths with the same numbers are one file.
    pub device: u64,
    pub inode: u64,
    /// The text of a symbolic link.
    pub target: Option<String>,
}

/// What a probe saw.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// `None`: nothing is there.
    Stat(Option<FileStat>),
    Bytes(Vec<u8>),
    Hash([u8; 32]),
    /// Relative path and state of each entry.
    Entries(Vec<(String, FileStat)>),
    Command(CommandOutcome),
    Id(u32),
    /// Contents, sorted by the path they were found at.
    States(Vec<Vec<u8>>),
    Datum(Option<Datum>),
    Label(Option<Vec<u8>>),
    /// Could not look. This is never "nothing to do".
    Failed(HostError),
}
