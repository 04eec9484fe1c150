//! [`Tree`]: the watched paths as a tree of names, and the kernel's current watches for it.
//!
//! Each directory on the way to a watched path has a node. A node knows its kernel watches, and the listeners for
//! exactly its path (`here`) or for everything below it (`below`). After each event that moves entries, the affected
//! nodes are *synced*: checked again from the top down, each watch set before the check, so that no change is missed in
//! between.
//!
//! The target of a link is a separate path in the tree, which the link *follows*: changes there, including its
//! creation, count as changes of the link.
//!
//! Watches are shared: ten thousand files of one directory need one. Only files that other users may change have one
//! each, for they may have names elsewhere. A directory on the way to a path is only watched
//! for its own move or removal, so a busy `/tmp` causes no wake-ups.

mod events;
mod sync;

use super::Listener;
use rustix::fd::OwnedFd;
use rustix::fs::inotify::WatchFlags;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

type NodeId = usize;
const ROOT: NodeId = 0;

pub(super) struct Tree {
    events: Option<Arc<OwnedFd>>,
    nodes: Vec<Node>,
    free: Vec<NodeId>,
    /// The nodes of a kernel watch: several, if links lead to one directory.
    of_watch: HashMap<i32, BTreeSet<NodeId>>,
    listening: BTreeMap<Listener, Vec<NodeId>>,
    fired: BTreeMap<Listener, NodeId>,
    polled: BTreeSet<NodeId>,
    /// Former targets of links: their nodes may be unnecessary.
    left: Vec<NodeId>,
    /// The number of recursive listeners: usually none, which avoids the search for them.
    n_recursive: usize,
    /// The number of links before the current one.
    depth: usize,
    /// The mount points, when something was mounted or unmounted last.
    points: Vec<PathBuf>,
}

/// The same limit as the kernel's.
const MOST_LINKS: usize = 40;

#[derive(Default)]
struct Node {
    parent: NodeId,
    name: OsString,
    children: BTreeMap<OsString, NodeId>,
    here: Vec<Listener>,
    below: Vec<Listener>,
    watches: Vec<(i32, WatchFlags)>,
    seen: Seen,
    /// How far up the mount point of its file system is, if that may hang: when something was mounted or unmounted last.
    far: Option<usize>,
    /// The target of a link.
    follows: Option<NodeId>,
    /// The links to this node.
    followers: Vec<NodeId>,
}

/// The state of a path at the last check.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Seen {
    what: What,
    /// Device, inode and times of change, by which polling detects a change.
    identity: (u64, u64),
    changed: (i64, i64),
    /// A file that another user may change.
    is_shared: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum What {
    #[default]
    Nothing,
    Dir,
    Link,
    Other,
}

impl Tree {
    pub(super) fn new(events: Option<Arc<OwnedFd>>) -> Tree {
        Tree {
            events,
            nodes: vec![Node::default()],
            free: Vec::new(),
            of_watch: HashMap::new(),
            listening: BTreeMap::new(),
            fired: BTreeMap::new(),
            polled: BTreeSet::new(),
            left: Vec::new(),
            n_recursive: 0,
            depth: 0,
            points: Vec::new(),
        }
    }

    pub(super) fn has_polled(&self) -> bool {
        !self.polled.is_empty()
    }

    pub(super) fn add(&mut self, listener: Listener, path: &Path, recursive: bool) {
        let path =
            if path.is_absolute() { path.to_owned() } else { std::env::current_dir().unwrap_or_default().join(path) };
        let way = self.way(&path);
        let node = way.last().copied().unwrap_or(ROOT);
        match recursive {
            true => {
                self.nodes[node].below.push(listener);
                self.n_recursive += 1;
            }
            false => self.nodes[node].here.push(listener),
        }
        self.listening.entry(listener).or_default().push(node);
        let heard = self.fired.get(&listener).copied();
        self.sync_way(&way);
        if recursive {
            self.sync_target(node);
        }
        // The initial state is not a change: a new listener checks by itself.
        match heard {
            Some(node) => drop(self.fired.insert(listener, node)),
            None => drop(self.fired.remove(&listener)),
        }
        self.prune_left();
    }

    /// Checks a watched path again, and sets the watches that are missing.
    pub(super) fn renew(&mut self, path: &Path) {
        let mut way = vec![ROOT];
        for part in path.components().skip(1) {
            let last = way.last().copied().unwrap_or(ROOT);
            let Some(next) = self.nodes[last].children.get(part.as_os_str()) else { return };
            way.push(*next);
        }
        // The caller looks by itself.
        let fired = self.fired.clone();
        self.sync_way(&way);
        self.fired = fired;
        self.prune_left();
    }

    /// The nodes from the root to an absolute path.
    fn way(&mut self, path: &Path) -> Vec<NodeId> {
        let mut way = vec![ROOT];
        for part in path.components() {
            match part {
                Component::Normal(name) => {
                    let node = self.child(way.last().copied().unwrap_or(ROOT), name);
                    way.push(node);
                }
                Component::ParentDir if way.len() > 1 => drop(way.pop()),
                Component::ParentDir | Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
            }
        }
        way
    }

    fn child(&mut self, parent: NodeId, name: &OsStr) -> NodeId {
        if let Some(child) = self.nodes[parent].children.get(name) {
            return *child;
        }
        let node = Node { parent, name: name.to_owned(), ..Node::default() };
        let id = match self.free.pop() {
            Some(id) => {
                self.nodes[id] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() - 1
            }
        };
        self.nodes[parent].children.insert(name.to_owned(), id);
        id
    }

    /// Notifies a listener as if something had changed.
    pub(super) fn fire_at(&mut self, listener: Listener) {
        if let Some(node) = self.listening.get(&listener).and_then(|nodes| nodes.first()) {
            self.fired.insert(listener, *node);
        }
    }

    pub(super) fn remove(&mut self, listener: Listener) {
        self.fired.remove(&listener);
        for id in self.listening.remove(&listener).unwrap_or_default() {
            self.nodes[id].here.retain(|other| *other != listener);
            let before = self.nodes[id].below.len();
            self.nodes[id].below.retain(|other| *other != listener);
            let was_recursive = self.nodes[id].below.len() < before;
            self.n_recursive -= before - self.nodes[id].below.len();
            let mut tree = Some(id).filter(|_| was_recursive);
            for _ in 0..MOST_LINKS {
                let Some(root) = tree else { break };
                if !self.in_tree(root) {
                    self.prune_below(root);
                }
                tree = self.nodes[root].follows;
            }
            self.prune(id);
        }
        self.prune_left();
    }

    fn prune_left(&mut self) {
        while let Some(id) = self.left.pop() {
            if self.is_there(id) && !self.in_tree(id) {
                self.prune_below(id);
            }
            self.prune(id);
        }
    }

    /// Removes unnecessary nodes, from here upwards.
    fn prune(&mut self, mut id: NodeId) {
        while id != ROOT
            && self.is_there(id)
            && self.is_idle(id)
            && self.nodes[id].children.is_empty()
            && !self.in_tree(id)
        {
            let parent = self.nodes[id].parent;
            self.drop_leaf(id);
            id = parent;
        }
    }

    /// Removes the nodes that only a recursive listener needed.
    fn prune_below(&mut self, id: NodeId) {
        let mut order = vec![id];
        let mut at = 0;
        while at < order.len() {
            order.extend(self.nodes[order[at]].children.values());
            at += 1;
        }
        for below in order.into_iter().skip(1).rev() {
            if self.is_idle(below) && self.nodes[below].children.is_empty() {
                self.prune(below);
            }
        }
    }

    /// A target may be listed more than once, and be removed already.
    fn is_there(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        self.nodes[node.parent].children.get(&node.name) == Some(&id)
    }

    fn is_idle(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        node.here.is_empty() && node.below.is_empty() && node.followers.is_empty()
    }

    /// Whether there is a listener for exactly this path, possibly through links.
    fn is_heard(&self, id: NodeId, n_links: usize) -> bool {
        let node = &self.nodes[id];
        !node.here.is_empty()
            || !node.below.is_empty()
            || n_links < MOST_LINKS && node.followers.iter().any(|link| self.is_heard(*link, n_links + 1))
    }

    /// Whether there is a recursive listener for this node or a directory above it, possibly through a link.
    fn in_tree(&self, mut id: NodeId) -> bool {
        loop {
            if self.is_root_of_tree(id, 0) {
                return true;
            }
            if id == ROOT {
                return false;
            }
            id = self.nodes[id].parent;
        }
    }

    fn is_root_of_tree(&self, id: NodeId, n_links: usize) -> bool {
        let node = &self.nodes[id];
        !node.below.is_empty()
            || self.n_recursive > 0
                && n_links < MOST_LINKS
                && node.followers.iter().any(|link| self.is_root_of_tree(*link, n_links + 1))
    }

    /// The kernel watches of a path.
    #[cfg(test)]
    pub(super) fn masks(&self, path: &Path) -> Vec<WatchFlags> {
        let at = path.components().try_fold(ROOT, |node, part| match part {
            Component::Normal(name) => self.nodes[node].children.get(name).copied(),
            _ => Some(node),
        });
        at.map(|id| self.nodes[id].watches.iter().map(|(_, mask)| *mask).collect()).unwrap_or_default()
    }

    fn path(&self, mut id: NodeId) -> PathBuf {
        let mut parts = Vec::new();
        while id != ROOT {
            parts.push(&self.nodes[id].name);
            id = self.nodes[id].parent;
        }
        let mut path = PathBuf::from("/");
        path.extend(parts.into_iter().rev());
        path
    }
}
