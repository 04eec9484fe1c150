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

use super::{Change, Listener};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use rustix::fs::{AtFlags, CWD, FileType, statat};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

/// Whether the directory itself is moved or goes.
const ITSELF: WatchFlags = WatchFlags::DELETE_SELF.union(WatchFlags::MOVE_SELF);
/// Which names appear in it.
const NAMES: WatchFlags = WatchFlags::CREATE.union(WatchFlags::MOVED_TO);
/// All that happens to its entries and to itself.
const ALL: WatchFlags = ITSELF
    .union(NAMES)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB);
/// Events after which other things may stand at a name.
const MOVING: ReadFlags =
    ReadFlags::CREATE.union(ReadFlags::MOVED_TO).union(ReadFlags::DELETE).union(ReadFlags::MOVED_FROM);

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
            true => self.nodes[node].below.push(listener),
            false => self.nodes[node].here.push(listener),
        }
        self.listening.entry(listener).or_default().push(node);
        self.sync_way(&way);
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

    fn sync_way(&mut self, way: &[NodeId]) {
        // What is there need not be waited for: a busy directory above it wakes nobody.
        for id in way {
            if self.nodes[*id].seen.what == What::Nothing {
                self.nodes[*id].seen = look(&self.path(*id));
            }
        }
        for id in way {
            self.sync_one(*id);
            if self.nodes[*id].seen.what == What::Nothing && *id != ROOT {
                // It is not, or is no more: now it is waited for.
                let parent = self.nodes[*id].parent;
                self.sync_one(parent);
                self.sync_one(*id);
            }
        }
        // What is below may have been looked at before through another path.
        self.sync_below(way.last().copied().unwrap_or(ROOT));
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

    pub(super) fn remove(&mut self, listener: Listener) {
        self.fired.remove(&listener);
        for id in self.listening.remove(&listener).unwrap_or_default() {
            self.nodes[id].here.retain(|other| *other != listener);
            self.nodes[id].below.retain(|other| *other != listener);
            if !self.in_tree(id) {
                self.prune_below(id);
            }
            self.prune(id);
        }
        self.prune_left();
    }

    fn prune_left(&mut self) {
        while let Some(id) = self.left.pop() {
            self.prune(id);
        }
    }

    /// Removes nodes that nobody needs, from here upwards.
    fn prune(&mut self, mut id: NodeId) {
        while id != ROOT && self.is_idle(id) && self.nodes[id].children.is_empty() && !self.in_tree(id) {
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

    /// Does somebody listen to all below a directory that this is or is in?
    fn in_tree(&self, mut id: NodeId) -> bool {
        loop {
            if !self.nodes[id].below.is_empty() {
                return true;
            }
            if id == ROOT {
                return false;
            }
            id = self.nodes[id].parent;
        }
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

    // Syncing.

    /// Looks at one node and watches what its state asks for. Did another thing come to stand there?
    fn sync_one(&mut self, id: NodeId) -> bool {
        let path = self.path(id);
        let before = self.nodes[id].seen;
        let mut seen = look(&path);
        let is_leaf = self.nodes[id].children.is_empty() && !self.in_tree(id);
        // A number of an inode is used again at once; a link is also known by its time.
        let same = seen.identity == before.identity
            && seen.what == before.what
            && (seen.what != What::Link || seen.changed == before.changed);
        if !same {
            self.unwatch(id);
            self.unfollow(id);
        }
        match seen.what {
            What::Dir => {
                if self.watch(id, &path, self.mask(id), true) {
                    // It may have been replaced, or may have gone, before the watch was set.
                    seen = look(&path);
                }
            }
            What::Link => {
                self.watch(id, &path, ITSELF | WatchFlags::ATTRIB, false);
                // Through a link that ends the path its target is listened to.
                self.watch(id, &path, if is_leaf { ALL } else { self.mask(id) }, true);
            }
            What::Nothing | What::Other => {}
        }
        self.nodes[id].seen = seen;
        if seen.what == What::Link && self.nodes[id].follows.is_none() {
            self.follow(id, &path);
        }
        !same
    }

    /// A link stands here: its target becomes a path of the tree.
    fn follow(&mut self, id: NodeId, path: &Path) {
        if self.depth >= MOST_LINKS {
            return;
        }
        let Ok(target) = std::fs::read_link(path) else { return };
        let above = path.parent().unwrap_or(Path::new("/"));
        let above = std::fs::canonicalize(above).unwrap_or_else(|_| above.to_owned());
        let way = self.way(&above.join(target));
        let end = way.last().copied().unwrap_or(ROOT);
        if end == id {
            return;
        }
        self.nodes[id].follows = Some(end);
        self.nodes[end].followers.push(id);
        self.depth += 1;
        self.sync_way(&way);
        self.depth -= 1;
    }

    fn unfollow(&mut self, id: NodeId) {
        if let Some(end) = self.nodes[id].follows.take() {
            self.nodes[end].followers.retain(|link| *link != id);
            self.left.push(end);
        }
    }

    /// What a directory is watched for.
    fn mask(&self, id: NodeId) -> WatchFlags {
        let node = &self.nodes[id];
        if self.is_heard(id, 0) || self.in_tree(id) || node.children.values().any(|child| self.is_heard(*child, 0)) {
            return ALL;
        }
        let misses = node.children.values().any(|child| self.nodes[*child].seen.what == What::Nothing);
        if misses { ITSELF | NAMES } else { ITSELF }
    }

    /// Looks at everything below a node; whoever listens where another thing stands now is told.
    fn sync_below(&mut self, id: NodeId) {
        let mut ahead = vec![id];
        while let Some(id) = ahead.pop() {
            if self.in_tree(id) && self.nodes[id].seen.what == What::Dir {
                for name in directories_in(&self.path(id)) {
                    self.child(id, &name);
                }
            }
            let children: Vec<NodeId> = self.nodes[id].children.values().copied().collect();
            for child in children {
                // A name that is missing must be waited for: its parent's mask depends on it.
                if self.sync_one(child) {
                    self.fire(child);
                    self.fire_children(child);
                }
                if self.nodes[child].seen.what == What::Nothing {
                    let path = self.path(id);
                    if matches!(self.nodes[id].seen.what, What::Dir | What::Link) {
                        self.watch(id, &path, self.mask(id), true);
                        self.sync_one(child);
                    }
                }
                let gone = self.nodes[child].seen.what == What::Nothing
                    && self.is_idle(child)
                    && self.nodes[child].children.is_empty();
                if gone {
                    self.drop_leaf(child);
                } else {
                    ahead.push(child);
                }
            }
        }
    }

    /// Forgets a node without children that nobody needs.
    fn drop_leaf(&mut self, id: NodeId) {
        self.unwatch(id);
        self.unfollow(id);
        let parent = self.nodes[id].parent;
        let name = std::mem::take(&mut self.nodes[id].name);
        self.nodes[parent].children.remove(&name);
        self.polled.remove(&id);
        self.free.push(id);
    }

    /// Asks the kernel for these events as well; `true` when it was not asked before.
    fn watch(&mut self, id: NodeId, path: &Path, mask: WatchFlags, follow: bool) -> bool {
        if self.nodes[id]
            .watches
            .iter()
            .any(|(_, has)| has.contains(mask) && (follow == !has.contains(WatchFlags::DONT_FOLLOW)))
        {
            return false;
        }
        let follows = if follow { WatchFlags::empty() } else { WatchFlags::DONT_FOLLOW };
        let added =
            self.events.as_ref().map(|events| inotify::add_watch(events, path, mask | follows | WatchFlags::MASK_ADD));
        match added {
            Some(Ok(watch)) => {
                self.polled.remove(&id);
                self.of_watch.entry(watch).or_default().insert(id);
                self.nodes[id].watches.retain(|(other, _)| *other != watch);
                self.nodes[id].watches.push((watch, mask | follows));
            }
            // It went in between, or a link leads nowhere: whoever made it so sends an event.
            Some(Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP)) => {}
            Some(Err(_)) | None => {
                self.polled.insert(id);
            }
        }
        true
    }

    fn unwatch(&mut self, id: NodeId) {
        for (watch, _) in std::mem::take(&mut self.nodes[id].watches) {
            if let Some(nodes) = self.of_watch.get_mut(&watch) {
                nodes.remove(&id);
                if nodes.is_empty() {
                    self.of_watch.remove(&watch);
                    if let Some(events) = &self.events {
                        let _ = inotify::remove_watch(events, watch);
                    }
                }
            }
        }
    }

    // Events.

    pub(super) fn event(&mut self, watch: i32, events: ReadFlags, name: Option<&CStr>) {
        if events.contains(ReadFlags::QUEUE_OVERFLOW) {
            // Events were lost: nothing that is known counts any more, not even which watches there are.
            for id in 0..self.nodes.len() {
                self.unwatch(id);
            }
            self.sync_one(ROOT);
            self.sync_below(ROOT);
            let everybody: Vec<(Listener, NodeId)> =
                self.listening.iter().map(|(who, nodes)| (*who, nodes[0])).collect();
            self.fired.extend(everybody);
            return;
        }
        let nodes: Vec<NodeId> = self.of_watch.get(&watch).into_iter().flatten().copied().collect();
        if events.contains(ReadFlags::IGNORED) {
            self.of_watch.remove(&watch);
            nodes.iter().for_each(|id| self.nodes[*id].watches.retain(|(other, _)| *other != watch));
        }
        for id in nodes {
            let itself = ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::UNMOUNT;
            if events.intersects(itself) {
                self.moved(id);
            } else if let Some(name) = name {
                self.entry(id, OsStr::from_bytes(name.to_bytes()), events);
            } else if !events.contains(ReadFlags::IGNORED) {
                self.fire(id);
            }
        }
    }

    /// A directory on the way was moved or removed: another thing, or nothing, stands there.
    fn moved(&mut self, id: NodeId) {
        self.unwatch(id);
        self.nodes[id].seen = Seen::default();
        let parent = self.nodes[id].parent;
        self.sync_one(parent);
        self.fire(id);
        self.fire_children(id);
        self.sync_below(parent);
        self.relink(id);
    }

    /// Another thing stands where links lead: what they are watched for is another thing as well.
    fn relink(&mut self, id: NodeId) {
        for link in self.nodes[id].followers.clone() {
            self.unwatch(link);
            self.sync_one(link);
            self.fire(link);
            self.fire_children(link);
            self.sync_below(link);
        }
    }

    /// Something happened to an entry of a directory.
    fn entry(&mut self, id: NodeId, name: &OsStr, events: ReadFlags) {
        self.fire(id);
        if let Some(child) = self.nodes[id].children.get(name).copied() {
            self.fire(child);
            if events.intersects(MOVING) {
                self.relink(child);
                if self.sync_one(child) {
                    self.fire_children(child);
                }
                if !self.nodes[child].children.is_empty() || self.in_tree(child) {
                    self.sync_below(child);
                }
                self.sync_one(id);
            }
        } else if events.intersects(MOVING) && self.in_tree(id) && events.contains(ReadFlags::ISDIR) {
            self.sync_below(id);
        }
    }

    /// Tells who listens to a node, to a tree that it is in, or to a link that leads to it.
    fn fire(&mut self, id: NodeId) {
        self.fire_through(id, 0);
    }

    fn fire_through(&mut self, id: NodeId, n_links: usize) {
        if n_links < MOST_LINKS {
            for at in 0..self.nodes[id].followers.len() {
                self.fire_through(self.nodes[id].followers[at], n_links + 1);
            }
        }
        for at in 0..self.nodes[id].here.len() {
            self.fired.insert(self.nodes[id].here[at], id);
        }
        let mut above = id;
        loop {
            for at in 0..self.nodes[above].below.len() {
                self.fired.insert(self.nodes[above].below[at], id);
            }
            if above == ROOT {
                return;
            }
            above = self.nodes[above].parent;
        }
    }

    /// Tells who listens directly below: their directory came, went or was exchanged.
    fn fire_children(&mut self, id: NodeId) {
        let children: Vec<NodeId> = self.nodes[id].children.values().copied().collect();
        children.into_iter().for_each(|child| self.fire(child));
    }

    pub(super) fn take_fired(&mut self) -> Vec<Change> {
        self.prune_left();
        let fired = std::mem::take(&mut self.fired);
        fired.into_iter().map(|(listener, id)| (listener, self.path(id).to_string_lossy().into_owned())).collect()
    }

    /// Looks at what the kernel does not watch.
    pub(super) fn look(&mut self) {
        for id in self.polled.clone() {
            if !self.polled.contains(&id) {
                continue;
            }
            let before = self.nodes[id].seen;
            self.sync_one(id);
            if self.nodes[id].seen != before {
                self.fire(id);
                self.fire_children(id);
            }
            let children: Vec<NodeId> = self.nodes[id].children.values().copied().collect();
            for child in children {
                let before = self.nodes[child].seen;
                self.sync_one(child);
                if self.nodes[child].seen != before {
                    self.fire(child);
                    self.fire_children(child);
                    self.sync_below(child);
                }
            }
        }
    }
}

fn look(path: &Path) -> Seen {
    let Ok(stat) = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) else { return Seen::default() };
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => What::Dir,
        FileType::Symlink => What::Link,
        _ => What::Other,
    };
    // For directories what is in them is nothing of theirs.
    let changed = (stat.st_ctime as i64, stat.st_ctime_nsec as i64);
    Seen { what, identity: (stat.st_dev, stat.st_ino), changed }
}

fn directories_in(path: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.file_name()).collect()
}
