//! Events of the kernel and results of polling: which listeners to notify.

use super::sync::look;
use super::{MOST_LINKS, NodeId, ROOT, Seen, Tree, What};
use crate::host::fs::may_be_own;
use crate::host::watch::{Change, Listener};
use rustix::fs::inotify::ReadFlags;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Events after which a name may refer to another entry.
const MOVING: ReadFlags =
    ReadFlags::CREATE.union(ReadFlags::MOVED_TO).union(ReadFlags::DELETE).union(ReadFlags::MOVED_FROM);

impl Tree {
    pub(in crate::host::watch) fn event(&mut self, watch: i32, events: ReadFlags, name: Option<&CStr>) {
        if events.contains(ReadFlags::QUEUE_OVERFLOW) {
            return self.lost();
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

    /// Events were lost: nothing that is known is reliable, not even the watches.
    pub(in crate::host::watch) fn lost(&mut self) {
        for id in 0..self.nodes.len() {
            self.unwatch(id);
        }
        self.sync_one(ROOT);
        self.sync_below(ROOT);
        let everybody: Vec<(Listener, NodeId)> = self.listening.iter().map(|(who, nodes)| (*who, nodes[0])).collect();
        self.fired.extend(everybody);
    }

    /// The table of mounts has changed. What is mounted over an entry, or no longer is, is another entry at its path,
    /// which the watches of the former one do not report.
    ///
    /// Called when mounts have changed. `mounted`: the mount points, and whether their file system may hang. The
    /// watches on one that may hang are only checked when it is mounted itself.
    pub(in crate::host::watch) fn remounted(&mut self, mounted: &BTreeMap<PathBuf, bool>) {
        let points = mounted.keys().cloned().collect();
        let before = std::mem::replace(&mut self.points, points);
        let points = self.points.iter().chain(&before);
        let names: BTreeSet<OsString> = points.filter_map(|point| point.file_name().map(OsStr::to_owned)).collect();
        for id in 0..self.nodes.len() {
            let may_differ = match self.nodes[id].seen.what {
                What::Dir => id != ROOT,
                // There may be thousands of files: only those with the name of a present or former mount point are looked
                // at. A link may lead there, so the paths differ.
                What::Other => names.contains(&self.nodes[id].name),
                What::Nothing | What::Link => false,
            };
            if !may_differ || !self.is_there(id) {
                continue;
            }
            let path = self.path(id);
            let nearest = path.ancestors().enumerate().find_map(|(n_above, at)| Some((n_above, *mounted.get(at)?)));
            let far = nearest.and_then(|(n_above, may_hang)| may_hang.then_some(n_above));
            let before = std::mem::replace(&mut self.nodes[id].far, far);
            let stays = far.is_some() && far == before;
            if !stays && look(&path).identity != self.nodes[id].seen.identity {
                self.moved(id);
            }
        }
    }

    /// An entry on the path was moved, removed or covered: its name refers to another entry, or to none.
    fn moved(&mut self, id: NodeId) {
        self.unwatch(id);
        self.nodes[id].seen = Seen::default();
        let parent = self.nodes[id].parent;
        let is_below_another = self.sync_one(parent);
        self.fire(id);
        self.fire_children(id);
        if is_below_another {
            // The watch that would report this is gone.
            self.fire(parent);
            self.sync_below(parent);
        } else if self.sync_child(parent, id) {
            // Not what is beside it, which may be on a file system that hangs.
            self.sync_below(id);
        }
        self.relink(id);
    }

    /// The target of links has changed: they need other watches.
    fn relink(&mut self, id: NodeId) {
        for link in self.nodes[id].followers.clone() {
            self.unwatch(link);
            self.sync_one(link);
            self.fire(link);
            self.fire_children(link);
            self.sync_below(link);
        }
    }

    /// Whether this is about a temporary file of the agent, which by now is in its place or removed. A file without a
    /// name is never created or removed; another program's file of such a name is.
    fn is_own(&self, id: NodeId, name: &OsStr, events: ReadFlags) -> bool {
        may_be_own(name, events.intersects(MOVING))
            && !self.nodes[id].children.contains_key(name)
            && look(&self.path(id).join(name)).what == What::Nothing
    }

    /// An event of a directory entry.
    fn entry(&mut self, id: NodeId, name: &OsStr, events: ReadFlags) {
        if self.is_own(id, name, events) {
            return;
        }
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
                if self.sync_one(id) {
                    self.fire(id);
                    self.fire_children(id);
                }
            } else if events.contains(ReadFlags::ATTRIB) {
                // Others may change it from now on.
                self.sync_one(child);
            }
        } else if events.intersects(MOVING) && self.in_tree(id) && events.contains(ReadFlags::ISDIR) {
            self.sync_below(id);
        }
    }

    /// Notifies the listeners of a node, of a tree that contains it, and of links to it.
    pub(super) fn fire(&mut self, id: NodeId) {
        self.fire_through(id, None, 0);
    }

    /// `dir`: only this directory is known to have changed, in which the node lies.
    fn fire_through(&mut self, id: NodeId, dir: Option<NodeId>, n_links: usize) {
        if n_links < MOST_LINKS {
            for at in 0..self.nodes[id].followers.len() {
                self.fire_through(self.nodes[id].followers[at], None, n_links + 1);
            }
        }
        for at in 0..self.nodes[id].here.len() {
            self.note(self.nodes[id].here[at], id, dir);
        }
        let mut above = id;
        loop {
            self.fire_tree(above, id, dir, n_links);
            if above == ROOT {
                return;
            }
            above = self.nodes[above].parent;
        }
    }

    /// Notifies the recursive listeners of a directory, also through links to it.
    fn fire_tree(&mut self, root: NodeId, id: NodeId, dir: Option<NodeId>, n_links: usize) {
        for at in 0..self.nodes[root].below.len() {
            self.note(self.nodes[root].below[at], id, dir);
        }
        if n_links < MOST_LINKS {
            for at in 0..self.nodes[root].followers.len() {
                self.fire_tree(self.nodes[root].followers[at], id, dir, n_links + 1);
            }
        }
    }

    /// Notes the change that a listener gets: the entry itself if that is known, otherwise its directory.
    fn note(&mut self, listener: Listener, id: NodeId, dir: Option<NodeId>) {
        match dir {
            None => {
                self.fired.insert(listener, id);
            }
            Some(dir) => {
                self.fired.entry(listener).or_insert(dir);
            }
        }
    }

    /// Notifies the listeners directly below, because their directory was created, removed or replaced. They receive
    /// the directory, since their own path may still be missing.
    pub(super) fn fire_children(&mut self, id: NodeId) {
        let children: Vec<NodeId> = self.nodes[id].children.values().copied().collect();
        children.into_iter().for_each(|child| self.fire_through(child, Some(id), 0));
    }

    pub(in crate::host::watch) fn take_fired(&mut self) -> Vec<Change> {
        self.prune_left();
        let fired = std::mem::take(&mut self.fired);
        fired.into_iter().map(|(listener, id)| (listener, self.path(id).to_string_lossy().into_owned())).collect()
    }

    /// Polls the paths that the kernel does not watch.
    pub(in crate::host::watch) fn look(&mut self) {
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
