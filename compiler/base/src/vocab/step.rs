//! [`Step`]: ways to change a host; [`Outcome`]: how it went.

use super::path::shown;
use super::{CommandOutcome, CommandSpec, Datum, HostError, KeyStore};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Where a file's bytes come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Content {
    Bytes(Vec<u8>),
    /// Streamed from another file of the host.
    CopyOf(String),
}

/// One change. The steps of a list are carried out in order; the first that fails ends it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Replaces or makes a file atomically; an existing one keeps its owner, mode and attributes.
    /// A new one gets `mode`, or 0666 without the umask's bits. A symbolic link in its place is
    /// followed. Anything there that is no regular file is an error and stays.
    WriteFile {
        path: String,
        content: Content,
        mode: Option<u32>,
    },
    /// Makes an empty file; a regular file that is there is left as it is.
    CreateFile {
        path: String,
        mode: Option<u32>,
    },
    /// Makes a directory, with `parents` also those above; one that is there is left as it is.
    MakeDir {
        path: String,
        parents: bool,
        mode: Option<u32>,
    },
    /// Removes a file, a link or an empty directory; with `recursive` a whole tree. Never `/`.
    /// Nothing there is no error.
    Remove {
        path: String,
        recursive: bool,
    },
    /// Makes a symbolic link with exactly this text, or replaces one atomically. Anything else in
    /// its place is an error and stays.
    Symlink {
        path: String,
        target: String,
    },
    /// The twelve permission bits; follows symbolic links.
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
    /// The SELinux context of a file, without following links; `None` removes it.
    SetLabel {
        path: String,
        label: Option<Vec<u8>>,
    },
    /// Puts a value into a store, or removes it. An equal value is no change and fires no watch.
    SetKey {
        store: KeyStore,
        key: String,
        value: Option<Datum>,
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

/// In words, for logs and plans.
impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut words = String::new();
        self.words(&mut words)?;
        f.write_str(&shown(&words))
    }
}

impl Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::WriteFile { path, content: Content::Bytes(bytes), .. } => {
                write!(f, "write {path} ({} bytes)", bytes.len())
            }
            Step::WriteFile { path, content: Content::CopyOf(source), .. } => write!(f, "copy {source} to {path}"),
            Step::CreateFile { path, .. } => write!(f, "create {path}"),
            Step::MakeDir { path, .. } => write!(f, "make directory {path}"),
            Step::Remove { path, recursive: false } => write!(f, "remove {path}"),
            Step::Remove { path, recursive: true } => write!(f, "remove {path} with all that is in it"),
            Step::Symlink { path, target } => write!(f, "link {path} to {target}"),
            Step::SetMode { path, mode } => write!(f, "set mode of {path} to {mode:04o}"),
            Step::SetOwner { path, uid, gid } => {
                write!(f, "set owner of {path} to")?;
                match (uid, gid) {
                    (Some(uid), Some(gid)) => write!(f, " {uid}:{gid}"),
                    (Some(uid), None) => write!(f, " {uid}"),
                    (None, Some(gid)) => write!(f, " :{gid}"),
                    (None, None) => write!(f, " what it is"),
                }
            }
            Step::Run(command) => write!(f, "run {}", command.argv.join(" ")),
            Step::WriteState { name, .. } => write!(f, "keep {name}"),
            Step::RemoveState { name } => write!(f, "forget {name}"),
            Step::SetLabel { path, label: Some(label) } => {
                write!(f, "set label of {path} to {}", String::from_utf8_lossy(label))
            }
            Step::SetLabel { path, label: None } => write!(f, "remove label of {path}"),
            Step::SetKey { key, value: Some(_), .. } => write!(f, "set {key}"),
            Step::SetKey { key, value: None, .. } => write!(f, "remove {key}"),
            Step::Print { text } => write!(f, "print {text}"),
        }
    }
}
