//! [`Found`]: what a host has at a path, and whether a claim about it holds. Simulated and real hosts are judged alike.

use super::claim::{Has, PathKind};
use crate::vocab::FileKind;

/// What a host has at a path: a link itself, but the content of its target.
pub struct Found<'a> {
    /// What it is.
    pub kind: FileKind,
    /// The twelve permission bits.
    pub mode: u32,
    /// The name of the owner; its number if it has none.
    pub owner: String,
    /// The name of the group; its number if it has none.
    pub group: String,
    /// The target of a symbolic link.
    pub target: Option<String>,
    /// Reads the content. Errors: why it cannot be read.
    pub content: &'a dyn Fn() -> Result<String, String>,
}

impl PathKind {
    /// Whether it includes files of this kind.
    pub fn holds(self, found: FileKind) -> bool {
        match self {
            PathKind::Anything => true,
            PathKind::File => found == FileKind::File,
            PathKind::Folder => found == FileKind::Dir,
            PathKind::Link => found == FileKind::Symlink,
        }
    }
}

/// What a path is, by the kind of its file, if there is one: `is a folder`.
pub fn kind_name(found: Option<FileKind>) -> &'static str {
    match found {
        None => "does not exist",
        Some(FileKind::File) => "is a file",
        Some(FileKind::Dir) => "is a folder",
        Some(FileKind::Symlink) => "is a link",
        Some(FileKind::Other) => "is something else",
    }
}

impl Has {
    /// Whether what is at a path has this property. Errors: what it has instead.
    pub fn judge(&self, path: &str, found: &Found<'_>) -> Result<(), String> {
        let truth = |holds: bool, instead: String| if holds { Ok(()) } else { Err(instead) };
        match self {
            Has::Content(text) => {
                let held = (found.content)()?;
                truth(held == *text, format!("{path} holds {held:?}"))
            }
            Has::Part(text) => {
                let held = (found.content)()?;
                truth(held.contains(text), format!("{path} holds {held:?}"))
            }
            Has::NoPart(text) => {
                let held = (found.content)()?;
                truth(!held.contains(text), format!("{path} holds {held:?}"))
            }
            Has::Mode(mode) => truth(found.mode == *mode, format!("{path} has the mode {:04o}", found.mode)),
            Has::Owner(name) => truth(found.owner == *name, format!("{path} belongs to {}", found.owner)),
            Has::Group(name) => truth(found.group == *name, format!("{path} belongs to the group {}", found.group)),
            Has::Lines(count) => {
                let n = (found.content)()?.lines().count();
                truth(count.holds(n), format!("{path} has {n} lines, not {count}"))
            }
            Has::Target(target) => match &found.target {
                Some(held) => truth(held == target, format!("{path} leads to {held}")),
                None => Err(format!("{path} {}", kind_name(Some(found.kind)))),
            },
        }
    }
}
