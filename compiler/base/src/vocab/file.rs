//! Files, directories and links, by path.

mod state;
mod values;

pub use state::state;

use super::account;
use super::path::clean;
use super::{Change, Changes, Edit, FieldChange, Findings, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt::Write;

/// A look at a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Stat`. Without `follow`, a symbolic link itself is looked at.
    Stat { path: String, follow: bool },
    /// → `Bytes`: the content; an error if it is longer than `limit`.
    Read { path: String, limit: u64 },
    /// → `Hash`: the SHA-256 of the content, streamed.
    Hash { path: String },
    /// → `Entries`: the entries of a directory, sorted by name; with `recursive` everything below it.
    List { path: String, recursive: bool },
    /// → `Label`: the SELinux context of a file, without following links; `None` if it has none.
    Label { path: String },
    /// → `Umask`: the permission bits removed from new files.
    Umask,
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The metadata; `None`: nothing is there.
    Stat(Option<FileStat>),
    /// The content.
    Bytes(Vec<u8>),
    /// The SHA-256 of the content.
    Hash([u8; 32]),
    /// Relative path and state of each entry.
    Entries(Vec<(String, FileStat)>),
    /// The SELinux context, if there is one.
    Label(Option<Vec<u8>>),
    /// The permission bits removed from new files.
    Umask(u32),
}

/// The kind of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Dir,
    /// A symbolic link.
    Symlink,
    /// A device, socket or pipe.
    Other,
}

/// The metadata of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileStat {
    /// What it is.
    pub kind: FileKind,
    /// The twelve permission bits.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// Size in bytes.
    pub size: u64,
    /// Modification time, in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// The device; two paths with the same device and inode are one file.
    pub device: u64,
    /// The inode.
    pub inode: u64,
    /// Target of a symbolic link.
    pub target: Option<String>,
}

/// Where a file's bytes come from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// Streamed from another file of the host.
    CopyOf(String),
}

/// The attributes that a written file has from the moment its content is visible; `None` keeps or defaults.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Attributes {
    /// The twelve permission bits.
    pub mode: Option<u32>,
    /// The owner.
    pub uid: Option<u32>,
    /// The group.
    pub gid: Option<u32>,
    /// The SELinux context.
    pub label: Option<Vec<u8>>,
}

impl Attributes {
    /// Only permissions.
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
    match (uid.map(account::shown_id), gid.map(account::shown_id)) {
        (Some(uid), Some(gid)) => write!(f, "{uid}:{gid}"),
        (Some(uid), None) => write!(f, "{uid}"),
        (None, Some(gid)) => write!(f, ":{gid}"),
        (None, None) => write!(f, "its type"),
    }
}

/// A change at a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Step {
    /// Replaces or makes a file atomically, with `attributes` from the first moment. Attributes that are `None` keep
    /// the value of an existing file; a new one gets 0666 without the umask's bits. A symbolic link is followed.
    /// Anything other than a regular file is an error and stays.
    Write { path: String, content: Content, attributes: Attributes },
    /// Reads a file, edits it and replaces it, with no other step of this program in between. A missing file counts as
    /// empty; a new one gets `mode`.
    Edit { path: String, edit: Edit, mode: Option<u32> },
    /// Makes an empty file; an existing regular file is left alone.
    Create { path: String, mode: Option<u32> },
    /// Makes a directory, with `parents` also its parents; an existing directory is left alone.
    MakeDir { path: String, parents: bool, mode: Option<u32> },
    /// Removes a file, a link or an empty directory; with `recursive` a whole tree. Never `/`. A missing path is not an
    /// error.
    Remove { path: String, recursive: bool },
    /// Makes a symbolic link with exactly this text, or replaces one atomically. Anything else at the path is an error
    /// and stays.
    Symlink { path: String, target: String },
    /// Sets the twelve permission bits; follows symbolic links.
    SetMode { path: String, mode: u32 },
    /// Sets owner and group; follows symbolic links.
    SetOwner { path: String, uid: Option<u32>, gid: Option<u32> },
    /// Sets the SELinux context of a file, without following links; `None` removes it.
    SetLabel { path: String, label: Option<Vec<u8>> },
}

/// A watch of a path, by name: a missing one is watched through its nearest existing ancestor. A trailing slash marks a
/// directory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// Absolute path.
    pub path: String,
    /// Watch all directories below, including those that appear later; needs a trailing slash.
    pub recursive: bool,
}

/// A property of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Bytes`: a file's content, reported again on each change. A missing file is `NotFound` with
    /// `open PATH: no such file or directory`; a value follows when it appears.
    Content { path: String },
    /// `Struct { exists Bool, kind Bytes, mode Int, size Int }`: a file's state, following symbolic links, reported
    /// again on each change. `kind` is `file`, `dir` or `other`; all but `exists` may be empty if nothing is there. An
    /// error other than "not there" is a failure.
    State { path: String },
    /// `Bytes`: the text of a symbolic link. Sampled.
    LinkTarget { path: String },
    /// `Bytes`: the path with all symbolic links resolved. Sampled.
    RealPath { path: String },
    /// `List` of `Bytes`: the paths that a shell pattern of golang/path/filepath matches, sorted. Sampled.
    Glob { pattern: String },
    /// `Bytes`: the path of a directory, newly made in `dir` (empty: the temporary directory), named by `pattern` with
    /// random digits in place of its last `*` (or at its end). `nonce` distinguishes calls. Sampled.
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
                    Content::Bytes(bytes) => {
                        let s = if bytes.len() == 1 { "" } else { "s" };
                        write!(f, "write {path} ({} byte{s})", bytes.len())?;
                    }
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
            // The table determines what is mounted at the latest at the next boot.
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

    /// For systemd, which reads the table of mounts again after an edit.
    fn waits(&self) -> bool {
        matches!(self, Step::Edit { edit: Edit::Fstab { .. }, .. })
    }

    fn values(&self, findings: &Findings) -> Vec<FieldChange> {
        values::values(self, findings)
    }

    /// Whether a file system supports labels is known only after setting one.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_byte_is_not_several() {
        for (content, expect) in [("", "write /a (0 bytes)"), ("x", "write /a (1 byte)"), ("xy", "write /a (2 bytes)")]
        {
            let content = Content::Bytes(content.into());
            let step = Step::Write { path: "/a".into(), content, attributes: Attributes::default() };
            let mut words = String::new();
            step.words(&mut words).expect("a text takes all words");
            assert_eq!(words, expect);
        }
    }
}
