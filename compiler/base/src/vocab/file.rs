//! Files, directories and links, by path.

mod values;

use super::account;
use super::path::clean;
use super::{Change, Changes, Edit, FieldChange, Known, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Write;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Stat`. Without `follow`, a symbolic link itself is looked at.
    Stat { path: String, follow: bool },
    /// → `Bytes`, at most `limit` of them (more is an error).
    Read { path: String, limit: u64 },
    /// → `Hash`: SHA-256, streamed.
    Hash { path: String },
    /// → `Entries`: what is in a directory, sorted by name; with `recursive` all below it.
    List { path: String, recursive: bool },
    /// → `Label`: the SELinux context of a file, without following links; `None` when it has none.
    Label { path: String },
    /// → `Umask`: the permission bits that a new file does not get.
    Umask,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// `None`: nothing is there.
    Stat(Option<FileStat>),
    Bytes(Vec<u8>),
    Hash([u8; 32]),
    /// Relative path and state of each entry.
    Entries(Vec<(String, FileStat)>),
    Label(Option<Vec<u8>>),
    Umask(u32),
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

/// Where a file's bytes come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Content {
    Bytes(Vec<u8>),
    /// Streamed from another file of the host.
    CopyOf(String),
}

/// What a written file is to have when anybody can first see its content.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Attributes {
    /// The twelve permission bits.
    pub mode: Option<u32>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    /// The SELinux context.
    pub label: Option<Vec<u8>>,
}

impl Attributes {
    pub fn of_mode(mode: Option<u32>) -> Attributes {
        Attributes { mode, ..Attributes::default() }
    }

    /// What follows the content: `, mode 0600, owner 0:0`.
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        if let Some(mode) = self.mode {
            write!(f, ", mode {mode:04o}")?;
        }
        if self.uid.is_some() || self.gid.is_some() {
            write!(f, ", owner ")?;
            owner(f, self.uid, self.gid)?;
        }
        match &self.label {
            Some(label) => write!(f, ", label {}", String::from_utf8_lossy(label)),
            None => Ok(()),
        }
    }
}

fn owner(f: &mut dyn Write, uid: Option<u32>, gid: Option<u32>) -> std::fmt::Result {
    let id = |id: u32| if id < account::PLANNED_FROM { id.to_string() } else { "(new)".to_owned() };
    match (uid.map(id), gid.map(id)) {
        (Some(uid), Some(gid)) => write!(f, "{uid}:{gid}"),
        (Some(uid), None) => write!(f, "{uid}"),
        (None, Some(gid)) => write!(f, ":{gid}"),
        (None, None) => write!(f, "its type"),
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Replaces or makes a file atomically, with `attributes` from the first moment. What they leave out an
    /// existing file keeps; a new one gets 0666 without the umask's bits. A symbolic link in its place is
    /// followed. Anything there that is no regular file is an error and stays.
    Write { path: String, content: Content, attributes: Attributes },
    /// Reads a file, edits it and replaces it, with nobody of ours in between. A missing one is empty; a new one gets
    /// `mode`.
    Edit { path: String, edit: Edit, mode: Option<u32> },
    /// Makes an empty file; a regular file that is there is left as it is.
    Create { path: String, mode: Option<u32> },
    /// Makes a directory, with `parents` also those above; one that is there is left as it is.
    MakeDir { path: String, parents: bool, mode: Option<u32> },
    /// Removes a file, a link or an empty directory; with `recursive` a whole tree. Never `/`.
    /// Nothing there is no error.
    Remove { path: String, recursive: bool },
    /// Makes a symbolic link with exactly this text, or replaces one atomically. Anything else in
    /// its place is an error and stays.
    Symlink { path: String, target: String },
    /// The twelve permission bits; follows symbolic links.
    SetMode { path: String, mode: u32 },
    /// Follows symbolic links.
    SetOwner { path: String, uid: Option<u32>, gid: Option<u32> },
    /// The SELinux context of a file, without following links; `None` removes it.
    SetLabel { path: String, label: Option<Vec<u8>> },
}

/// A path, by name: one that is missing is watched through its nearest existing ancestor. A
/// trailing slash marks a directory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub path: String,
    /// With a trailing slash: all directories below, also those that appear later.
    pub recursive: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `Bytes`: a file's content, again on each change. A missing file is `NotFound` with
    /// `open PATH: no such file or directory`, and comes back by itself when it is made.
    Content { path: String },
    /// `Struct { exists Bool, kind Bytes, mode Int, size Int }`: a file's state behind symbolic
    /// links, again on each change. `kind` is `file`, `dir` or `other`; all but `exists` may be empty when
    /// nothing is there. An error other than "not there" is a failure.
    State { path: String },
    /// `Bytes`: the text of a symbolic link. Sampled.
    LinkTarget { path: String },
    /// `Bytes`: the path with all symbolic links resolved. Sampled.
    RealPath { path: String },
    /// `List` of `Bytes`: the paths that a shell pattern of golang/path/filepath matches, sorted. Sampled.
    Glob { pattern: String },
    /// `Bytes`: the path of a directory, newly made in `dir` (empty: the temporary directory), named
    /// by `pattern` with its last `*` (or its end) replaced by random digits. `nonce` tells askers
    /// apart. Sampled.
    TempDir { dir: String, pattern: String, nonce: u64 },
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Probe::Stat { path, .. }
            | Probe::Read { path, .. }
            | Probe::Hash { path }
            | Probe::List { path, .. }
            | Probe::Label { path } => vec![Power::Read(path)],
            Probe::Umask => Vec::new(),
        }
    }

    fn shows<'a>(&'a self, finding: &'a Finding) -> Option<(&'a str, &'a [u8])> {
        match (self, finding) {
            (Probe::Read { path, .. }, Finding::Bytes(bytes)) => Some((path, bytes)),
            (Probe::Stat { path, .. }, Finding::Stat(None)) => Some((path, &[])),
            _ => None,
        }
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Write { path, content, attributes } => {
                match content {
                    Content::Bytes(bytes) => write!(f, "write {path} ({} bytes)", bytes.len())?,
                    Content::CopyOf(source) => write!(f, "copy {source} to {path}")?,
                }
                attributes.words(f)
            }
            Step::Edit { path, edit, .. } => write!(f, "{} {path}", edit.words()),
            Step::Create { path, .. } => write!(f, "create {path}"),
            Step::MakeDir { path, .. } => write!(f, "make directory {path}"),
            Step::Remove { path, recursive: false } => write!(f, "remove {path}"),
            Step::Remove { path, recursive: true } => write!(f, "remove {path} and everything in it"),
            Step::Symlink { path, target } => write!(f, "link {path} to {target}"),
            Step::SetMode { path, mode } => write!(f, "set mode of {path} to {mode:04o}"),
            Step::SetOwner { path, uid, gid } => {
                write!(f, "set owner of {path} to ")?;
                owner(f, *uid, *gid)
            }
            Step::SetLabel { path, label: Some(label) } => {
                write!(f, "set label of {path} to {}", String::from_utf8_lossy(label))
            }
            Step::SetLabel { path, label: None } => write!(f, "remove label of {path}"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Write { path, content: Content::CopyOf(source), .. } => {
                vec![Power::Read(source), Power::Write(path)]
            }
            // What the table says is mounted at the next start, if not before.
            Step::Edit { path, edit: Edit::Fstab { target, entry }, .. } => {
                let mounts = entry.iter().flat_map(|entry| {
                    let (kind, options) = (&entry.kind, &entry.options);
                    [Power::Mount(&entry.target), Power::Mounting { kind, options }]
                });
                [Power::Write(path), Power::Mount(target)].into_iter().chain(mounts).collect()
            }
            Step::Write { path, content: Content::Bytes(_), .. }
            | Step::Edit { path, .. }
            | Step::Create { path, .. }
            | Step::MakeDir { path, .. }
            | Step::Remove { path, .. }
            | Step::Symlink { path, .. }
            | Step::SetMode { path, .. }
            | Step::SetOwner { path, .. }
            | Step::SetLabel { path, .. } => vec![Power::Write(path)],
        }
    }

    fn values(&self, known: &Known) -> Vec<FieldChange> {
        values::values(self, known)
    }

    /// Whether a file system takes labels shows only when one is set.
    fn is_foreseen(&self) -> bool {
        match self {
            Step::Write { attributes, .. } => attributes.label.is_none(),
            Step::SetLabel { .. } => false,
            Step::Edit { .. }
            | Step::Create { .. }
            | Step::MakeDir { .. }
            | Step::Remove { .. }
            | Step::Symlink { .. }
            | Step::SetMode { .. }
            | Step::SetOwner { .. } => true,
        }
    }

    fn rewrites(&self) -> Option<&str> {
        match self {
            Step::Write { path, .. } | Step::Edit { path, .. } => Some(path),
            _ => None,
        }
    }

    fn rewritten(&self, old: &[u8]) -> Option<Cow<'_, [u8]>> {
        match self {
            Step::Write { content: Content::Bytes(bytes), .. } => Some(Cow::Borrowed(bytes)),
            Step::Edit { edit, .. } => edit.apply(old).map(Cow::Owned),
            _ => None,
        }
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(&self.path)
    }

    fn overlaps(&self, other: &Watch) -> bool {
        let is_in = |watch: &Watch, tree: &Watch| {
            let (path, root) = (clean(&watch.path), clean(&tree.path));
            let below = || path.strip_prefix(root.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'));
            path == root || tree.recursive && below()
        };
        is_in(self, other) || is_in(other, self)
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Fact::Content { path } => write!(f, "the content of {path}"),
            Fact::State { path } => write!(f, "the state of {path}"),
            Fact::LinkTarget { path } => write!(f, "the target of {path}"),
            Fact::RealPath { path } => write!(f, "the real path of {path}"),
            Fact::Glob { pattern } => write!(f, "the files that match {pattern}"),
            Fact::TempDir { .. } => write!(f, "a temporary directory"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Fact::Content { path } | Fact::State { path } | Fact::LinkTarget { path } | Fact::RealPath { path } => {
                vec![Power::Read(path)]
            }
            Fact::Glob { pattern } => vec![Power::Read(pattern)],
            Fact::TempDir { .. } => Vec::new(),
        }
    }

    fn changes(&self) -> Changes {
        match self {
            Fact::Content { path } | Fact::State { path } => {
                Changes::With(vec![Watch { path: path.clone(), recursive: false }.into()])
            }
            Fact::LinkTarget { .. } | Fact::RealPath { .. } | Fact::Glob { .. } | Fact::TempDir { .. } => {
                Changes::Never
            }
        }
    }
}
