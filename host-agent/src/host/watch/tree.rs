//! [`Tree`]: the watched paths as a tree of names, and what the kernel watches for it now.
//!
//! Each directory on the way to a watched path has a node. A node knows which of the kernel's watches
//! stand for it, and who listens to exactly its path (`here`) or to all below it (`below`). After
//! each event that moves things the nodes concerned are *synced*: looked at again from the top down, each
//! watch set before the look, so that nothing slips through in between.
//!
//! A link's target is a path of its own in the tree, which the link *follows*: what happens there, also that
//! it comes to be, happened at the link.
//!
//! Watches are shared: ten thousand files of one directory need one. On the way to a path a directory is
//! only watched for being moved or removed itself, so a busy `/tmp` wakes nobody.

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
    /// Which nodes a watch of the kernel stands for: several, where links lead to one directory.
    of_watch: HashMap<i32, BTreeSet<NodeId>>,
    listening: BTreeMap<Listener, Vec<NodeId>>,
    fired: BTreeMap<Listener, NodeId>,
    polled: BTreeSet<NodeId>,
    /// Targets that a link led to and leads to no more: perhaps nobody needs their nodes.
    left: Vec<NodeId>,
    /// How many listen to all below something: mostly none, and then nobody need look for them.
    n_recursive: usize,
    /// How many links the one that is being followed is away from its first.
    depth: usize,
}

/// As many links as the kernel follows.
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
    /// Where a link leads.
    follows: Option<NodeId>,
    /// The links that lead here.
    followers: Vec<NodeId>,
}

/// What stood at a path when it was last looked at.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Seen {
    what: What,
    /// Device, inode, and times of change, with which a poll sees a change.
    identity: (u64, u64),
    changed: (i64, i64),
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
        // What it finds there is no change: whoever begins to listen looks by itself.
        match heard {
            Some(node) => drop(self.fired.insert(listener, node)),
            None => drop(self.fired.remove(&listener)),
        }
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

    /// A listener is told, as if something had happened.
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

    /// Removes nodes that nobody needs, from here upwards.
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

    /// Removes what only a recursive listener needed.
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

    /// A target may have been left more than once, and be gone by now.
    fn is_there(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        self.nodes[node.parent].children.get(&node.name) == Some(&id)
    }

    fn is_idle(&self, id: NodeId) -> bool {
        let node = &self.nodes[id];
        node.here.is_empty() && node.below.is_empty() && node.followers.is_empty()
    }

    /// Does somebody want to know what happens to exactly this, perhaps through links?
    fn is_heard(&self, id: NodeId, n_links: usize) -> bool {
        let node = &self.nodes[id];
        !node.here.is_empty()
            || !node.below.is_empty()
            || n_links < MOST_LINKS && node.followers.iter().any(|link| self.is_heard(*link, n_links + 1))
    }

    /// Does somebody listen to all below a directory that this is or is in, perhaps through a link to it?
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

    /// What the kernel is asked to tell of a path.
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
