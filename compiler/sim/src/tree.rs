//! [`Tree`]: a file system in memory.
//!
//! Cleaned absolute paths map to nodes; a directory's entries are the keys below it. Every change is recorded, so that
//! watches can fire. Hard links do not exist here.

mod resolve;

use super::path;
use crate::vocab::{Attributes, FileKind, FileStat, HostError, HostErrorKind};
use resolve::{bare, missing, must_be_short, not_a_dir};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) body: Body,
    /// The twelve permission bits.
    pub(super) mode: u32,
    pub(super) uid: u32,
    pub(super) gid: u32,
    pub(super) mtime_ns: i64,
    pub(super) inode: u64,
    /// The SELinux context.
    pub(super) label: Option<Vec<u8>>,
    /// The number of the last change here or below.
    last_change: u64,
}

#[derive(Clone, Debug)]
pub(super) enum Body {
    /// Copies of a host share its contents.
    File(Arc<[u8]>),
    Dir,
    Symlink(String),
}

/// A change at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Change {
    pub(super) path: String,
    /// It appeared or disappeared, so paths below may be affected.
    pub(super) structural: bool,
}

/// Tells two states of a directory apart: while it is equal, so are all paths and contents in it, at any depth.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Stamp {
    /// Where the directory really is.
    path: String,
    /// `None`: it is missing.
    last_change: Option<u64>,
    /// What its links lead to may be anywhere, so that each change counts.
    behind_links: Option<u64>,
}

/// The files of a host.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: BTreeMap<String, Node>,
    /// The paths of all directories but the root.
    folders: BTreeSet<String>,
    next_inode: u64,
    n_changes: u64,
    /// The timestamp of changes, in nanoseconds since 1970.
    pub(super) now_ns: i64,
    pub(super) changes: Vec<Change>,
    /// Whether writes fail for lack of space.
    pub is_full: bool,
}

const UMASK: u32 = 0o022;

impl Tree {
    pub(super) fn new() -> Tree {
        let mut tree = Tree {
            nodes: BTreeMap::new(),
            folders: BTreeSet::new(),
            next_inode: 2,
            n_changes: 0,
            now_ns: 0,
            changes: Vec::new(),
            is_full: false,
        };
        let root = tree.node(Body::Dir, 0o755);
        tree.nodes.insert("/".to_string(), root);
        tree
    }

    fn node(&mut self, body: Body, mode: u32) -> Node {
        self.next_inode += 1;
        Node { body, mode, uid: 0, gid: 0, mtime_ns: self.now_ns, inode: self.next_inode, label: None, last_change: 0 }
    }

    /// Every change of a node comes here when it is done.
    fn changed(&mut self, path: &str, structural: bool) {
        self.n_changes += 1;
        let mut at = Some(path);
        while let Some(here) = at {
            if let Some(node) = self.nodes.get_mut(here) {
                node.last_change = self.n_changes;
            }
            at = path::parent(here);
        }
        if structural {
            match self.nodes.get(path).map(|node| &node.body) {
                Some(Body::Dir) => self.folders.insert(path.to_string()),
                Some(Body::File(_) | Body::Symlink(_)) | None => self.folders.remove(path),
            };
        }
        self.changes.push(Change { path: path.to_string(), structural });
    }

    pub(super) fn get(&self, given: &str, follow: bool) -> Result<Option<&Node>, HostError> {
        match self.resolve(given, follow) {
            Ok(path) => Ok(self.nodes.get(&path)),
            Err(error) if error.kind == HostErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn stat(&self, given: &str, follow: bool) -> Result<Option<FileStat>, HostError> {
        Ok(self.get(given, follow)?.map(stat))
    }

    /// The content of a regular file.
    pub(super) fn read(&self, given: &str) -> Result<&[u8], HostError> {
        let path = self.resolve(given, true)?;
        match self.nodes.get(&path).map(|node| &node.body) {
            Some(Body::File(bytes)) => Ok(bytes),
            Some(Body::Dir) => {
                Err(HostError::new(HostErrorKind::IsADirectory, format!("read {given}: is a directory")))
            }
            Some(Body::Symlink(_)) | None => Err(missing(given)),
        }
    }

    /// The number of nodes, and the size of all contents. Units: bytes.
    pub(super) fn size(&self) -> (usize, usize) {
        let content = |node: &Node| match &node.body {
            Body::File(bytes) => bytes.len(),
            Body::Dir | Body::Symlink(_) => 0,
        };
        (self.nodes.len(), self.nodes.values().map(content).sum())
    }

    /// Relative path and state of each entry, sorted by path.
    pub(super) fn list(&self, given: &str, recursive: bool) -> Result<Vec<(String, FileStat)>, HostError> {
        let path = self.resolve(given, true)?;
        match self.nodes.get(&path).map(|node| &node.body) {
            Some(Body::Dir) => {}
            Some(Body::File(_) | Body::Symlink(_)) => return Err(not_a_dir(given)),
            None => return Err(missing(given)),
        }
        let prefix = path::below(&path);
        let entries = self.below(&path).filter_map(|(full, node)| {
            let relative = &full[prefix.len()..];
            (recursive || !relative.contains('/')).then(|| (relative.to_string(), stat(node)))
        });
        Ok(entries.collect())
    }

    fn below(&self, dir: &str) -> impl Iterator<Item = (&String, &Node)> {
        let prefix = path::below(dir);
        let from = prefix.clone();
        self.nodes.range(from..).take_while(move |(path, _)| path.starts_with(&prefix)).filter(|(path, _)| *path != "/")
    }

    /// The names of the directories in a directory, which is a normalised path.
    ///
    /// Cost: in proportion to the directories in it, at any depth, but not to its files.
    pub(super) fn folders_in(&self, dir: &str) -> impl Iterator<Item = &str> {
        let prefix = path::below(dir);
        let from = prefix.clone();
        let inside = self.folders.range(from..).map_while(move |path| path.strip_prefix(prefix.as_str()));
        inside.filter(|name| !name.contains('/'))
    }

    /// The present state of a directory. Links below its entries are not followed. `None`: it cannot be reached.
    ///
    /// Cost: in proportion to the paths in it.
    pub(super) fn stamp(&self, given: &str) -> Option<Stamp> {
        let path = self.resolve(given, true).ok()?;
        let prefix = path::below(&path);
        let is_link = |(full, node): (&String, &Node)| {
            matches!(node.body, Body::Symlink(_)) && !full[prefix.len()..].contains('/')
        };
        let behind_links = self.below(&path).any(is_link).then_some(self.n_changes);
        let last_change = self.nodes.get(&path).map(|node| node.last_change);
        Some(Stamp { path, last_change, behind_links })
    }

    fn must_have_parent(&self, path: &str, given: &str) -> Result<(), HostError> {
        match path::parent(path).and_then(|parent| self.nodes.get(parent)).map(|node| &node.body) {
            Some(Body::Dir) => Ok(()),
            Some(Body::File(_) | Body::Symlink(_)) => Err(not_a_dir(given)),
            None => Err(missing(given)),
        }
    }

    /// Replaces the content of a regular file, or makes one.
    pub(super) fn write(&mut self, given: &str, bytes: Vec<u8>, mode: Option<u32>) -> Result<(), HostError> {
        let mode = mode.filter(|_| !self.resolve(given, true).is_ok_and(|path| self.nodes.contains_key(&path)));
        self.put(given, bytes, &Attributes::of_mode(mode))
    }

    /// The same, with attributes.
    pub(super) fn put(&mut self, given: &str, bytes: Vec<u8>, attributes: &Attributes) -> Result<(), HostError> {
        let path = self.resolve(given, true)?;
        self.must_have_parent(&path, given)?;
        self.must_have_room("write", given)?;
        let now_ns = self.now_ns;
        match self.nodes.get_mut(&path) {
            Some(node @ Node { body: Body::File(_), .. }) => {
                (node.body, node.mtime_ns) = (Body::File(bytes.into()), now_ns);
                give(node, attributes);
                self.changed(&path, false);
            }
            Some(_) => {
                let message = format!("open {given}: is a directory");
                return Err(HostError::new(HostErrorKind::IsADirectory, message));
            }
            None => {
                let mut node = self.node(Body::File(bytes.into()), 0o666 & !UMASK);
                give(&mut node, attributes);
                self.nodes.insert(path.clone(), node);
                self.changed(&path, true);
            }
        }
        Ok(())
    }

    pub(super) fn make_dir(&mut self, given: &str, parents: bool, mode: Option<u32>) -> Result<(), HostError> {
        let mut path = self.resolve(given, true);
        if parents && path.as_ref().is_err_and(|error| error.kind == HostErrorKind::NotFound) {
            let cleaned = path::clean(given);
            let above = path::parent(&cleaned).unwrap_or("/").to_string();
            if above == "/" && self.nodes.contains_key(&cleaned) {
                return Err(missing(given));
            }
            self.make_dir(&above, true, None)?;
            path = self.resolve(given, true);
        }
        let path = path?;
        if parents
            && let Some(parent) = path::parent(&path).map(String::from)
            && !self.nodes.contains_key(&parent)
        {
            self.make_dir(&parent, true, None)?;
        }
        self.must_have_parent(&path, given)?;
        match self.nodes.get(&path).map(|node| &node.body) {
            Some(Body::Dir) => Ok(()),
            Some(Body::File(_) | Body::Symlink(_)) => {
                Err(HostError::new(HostErrorKind::Exists, format!("mkdir {given}: file exists")))
            }
            None => {
                self.must_have_room("mkdir", given)?;
                let node = self.node(Body::Dir, mode.unwrap_or(0o777 & !UMASK));
                self.nodes.insert(path.clone(), node);
                self.changed(&path, true);
                Ok(())
            }
        }
    }

    fn must_have_room(&self, verb: &str, given: &str) -> Result<(), HostError> {
        match self.is_full {
            true => Err(HostError::new(HostErrorKind::Other, format!("{verb} {given}: no space left on device"))),
            false => Ok(()),
        }
    }

    /// Makes a symbolic link, or replaces one.
    pub(super) fn symlink(&mut self, given: &str, target: &str) -> Result<(), HostError> {
        must_be_short(target)?;
        let path = self.resolve(bare(given), false)?;
        self.must_have_parent(&path, given)?;
        if let Some(Node { body: Body::File(_) | Body::Dir, .. }) = self.nodes.get(&path) {
            return Err(HostError::new(HostErrorKind::Exists, format!("symlink {given}: file exists")));
        }
        let node = self.node(Body::Symlink(target.to_string()), 0o777);
        self.nodes.insert(path.clone(), node);
        self.changed(&path, true);
        Ok(())
    }

    /// Removes a file, a link, an empty directory, or with `recursive` a tree. A missing path is not an error.
    pub(super) fn remove(&mut self, given: &str, recursive: bool) -> Result<(), HostError> {
        let path = match self.resolve(bare(given), false) {
            Ok(path) => path,
            Err(error) if error.kind == HostErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        if path == "/" {
            return Err(HostError::new(HostErrorKind::Refused, "remove /: refused"));
        }
        let inside: Vec<String> = self.below(&path).map(|(path, _)| path.clone()).collect();
        if !inside.is_empty() && !recursive {
            return Err(HostError::new(HostErrorKind::NotEmpty, format!("remove {given}: directory not empty")));
        }
        for path in inside.into_iter().rev().chain([path]) {
            if self.nodes.remove(&path).is_some() {
                self.changed(&path, true);
            }
        }
        Ok(())
    }

    /// Renames, replacing the target unless that is a non-empty directory.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), HostError> {
        let source = self.resolve(from, false)?;
        let target = self.resolve(bare(to), false)?;
        self.must_have_parent(&target, to)?;
        let moved: Vec<String> = self.below(&source).map(|(path, _)| path.clone()).chain([source.clone()]).collect();
        if !self.nodes.contains_key(&source) {
            return Err(missing(from));
        }
        if target.starts_with(&path::below(&source)) {
            return Err(HostError::new(HostErrorKind::Other, format!("rename {to}: invalid argument")));
        }
        if self.below(&target).next().is_some() {
            return Err(HostError::new(HostErrorKind::NotEmpty, format!("rename {to}: directory not empty")));
        }
        for path in moved {
            if let Some(node) = self.nodes.remove(&path) {
                self.changed(&path, true);
                let path = format!("{target}{}", &path[source.len()..]);
                self.nodes.insert(path.clone(), node);
                self.changed(&path, true);
            }
        }
        Ok(())
    }

    /// Changes the metadata of a file; follows links unless it is about the link itself.
    pub(super) fn change(
        &mut self,
        given: &str,
        follow: bool,
        change: impl FnOnce(&mut Node),
    ) -> Result<(), HostError> {
        let path = self.resolve(given, follow)?;
        let node = self.nodes.get_mut(&path).ok_or_else(|| missing(given))?;
        change(node);
        self.changed(&path, false);
        Ok(())
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Node)> {
        self.nodes.iter()
    }
}

fn give(node: &mut Node, attributes: &Attributes) {
    let Attributes { mode, uid, gid, label } = attributes;
    node.mode = mode.map_or(node.mode, |mode| mode & 0o7777);
    node.uid = uid.unwrap_or(node.uid);
    node.gid = gid.unwrap_or(node.gid);
    if label.is_some() {
        node.label.clone_from(label);
    }
}

pub(super) fn stat(node: &Node) -> FileStat {
    let (kind, size, target) = match &node.body {
        Body::File(bytes) => (FileKind::File, bytes.len() as u64, None),
        Body::Dir => (FileKind::Dir, 4096, None),
        Body::Symlink(target) => (FileKind::Symlink, target.len() as u64, Some(target.clone())),
    };
    FileStat {
        kind,
        mode: node.mode,
        uid: node.uid,
        gid: node.gid,
        size,
        mtime_ns: node.mtime_ns,
        device: 1,
        inode: node.inode,
        target,
    }
}

#[cfg(test)]
mod tests;
