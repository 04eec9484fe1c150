//! Checks the entries at the nodes' paths, and sets the kernel watches they need: each watch is set before the check,
//! so that no change is missed in between.

use super::{MOST_LINKS, NodeId, ROOT, Seen, Tree, What};
use rustix::fs::inotify::{self, WatchFlags};
use rustix::fs::{AtFlags, CWD, FileType, statat};
use std::ffi::OsString;
use std::path::Path;

/// Moves and removals of the directory itself.
const ITSELF: WatchFlags = WatchFlags::DELETE_SELF.union(WatchFlags::MOVE_SELF);
/// New names in it.
const NAMES: WatchFlags = WatchFlags::CREATE.union(WatchFlags::MOVED_TO);
/// All changes of its entries and of itself.
const ALL: WatchFlags = ITSELF
    .union(NAMES)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVED_FROM)
    .union(WatchFlags::MODIFY)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::ATTRIB);
/// All changes of a file, by whatever name: a directory reports only those by the names in it.
const FILE: WatchFlags = WatchFlags::MODIFY.union(WatchFlags::CLOSE_WRITE).union(WatchFlags::ATTRIB);
/// How often a path may be swapped during a check; each swap causes an event as well.
const MOST_SWAPS: usize = 16;

impl Tree {
    pub(super) fn sync_way(&mut self, way: &[NodeId]) {
        // An existing path needs no watch of names: a busy directory above it causes no wake-ups.
        for id in way {
            if self.nodes[*id].seen.what == What::Nothing {
                self.nodes[*id].seen = look(&self.path(*id));
            }
        }
        for id in way {
            self.sync_one(*id);
            if self.nodes[*id].seen.what == What::Nothing && *id != ROOT {
                // It does not exist (any more): watch for its creation.
                let parent = self.nodes[*id].parent;
                self.sync_one(parent);
                self.sync_one(*id);
            }
        }
        // Entries below may have been checked before through another path.
        self.sync_below(way.last().copied().unwrap_or(ROOT));
    }

    /// Checks one node and sets the watches it needs. Returns whether another entry is there now.
    pub(super) fn sync_one(&mut self, id: NodeId) -> bool {
        let path = self.path(id);
        let mut is_other = false;
        // The entry may have been swapped before its watch was set: then the watch is for another one.
        for _ in 0..MOST_SWAPS {
            let is_new = self.look_and_watch(id, &path, &mut is_other);
            if !is_new {
                break;
            }
        }
        if self.nodes[id].seen.what == What::Link && self.nodes[id].follows.is_none() {
            self.follow(id, &path);
        }
        is_other
    }

    /// One check, with the watches it needs. Returns whether one is new, so that another check is due.
    fn look_and_watch(&mut self, id: NodeId, path: &Path, is_other: &mut bool) -> bool {
        let before = self.nodes[id].seen;
        let seen = look(path);
        // Inode numbers are reused at once; a link is also identified by its time.
        let same = seen.identity == before.identity
            && seen.what == before.what
            && (seen.what != What::Link || seen.changed == before.changed);
        if !same {
            self.unwatch(id);
            self.unfollow(id);
            *is_other = true;
        }
        self.nodes[id].seen = seen;
        match seen.what {
            What::Dir => self.watch(id, path, self.mask(id), true),
            What::Link => {
                let is_leaf = self.nodes[id].children.is_empty() && !self.in_tree(id);
                let is_new = self.watch(id, path, ITSELF | WatchFlags::ATTRIB, false);
                // A link at the end of the path is followed: its target is watched.
                self.watch(id, path, if is_leaf { ALL } else { self.mask(id) }, true);
                is_new
            }
            What::Nothing => self.wait_for(id),
            What::Other if seen.is_shared && self.is_heard(id, 0) => self.watch_file(id, path),
            What::Other => false,
        }
    }

    /// Watches a file itself, if that is possible: others may give it another name, and change it by that one. Its
    /// directory is watched in any case.
    fn watch_file(&mut self, id: NodeId, path: &Path) -> bool {
        let is_new = self.watch(id, path, FILE, false);
        self.polled.remove(&id);
        is_new
    }

    /// Waits for a missing entry: watches the names in its directory. Returns whether that is new.
    fn wait_for(&mut self, id: NodeId) -> bool {
        let parent = self.nodes[id].parent;
        let may_come = id != ROOT && matches!(self.nodes[parent].seen.what, What::Dir | What::Link);
        may_come && self.watch(parent, &self.path(parent), self.mask(parent), true)
    }

    /// A link is here: adds its target to the tree.
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

    /// Checks everything below the directory that a link leads to.
    pub(super) fn sync_target(&mut self, mut id: NodeId) {
        for _ in 0..MOST_LINKS {
            let Some(end) = self.nodes[id].follows else { return };
            self.sync_one(end);
            self.sync_below(end);
            id = end;
        }
    }

    pub(super) fn unfollow(&mut self, id: NodeId) {
        if let Some(end) = self.nodes[id].follows.take() {
            self.nodes[end].followers.retain(|link| *link != id);
            self.left.push(end);
        }
    }

    /// The events to watch in a directory.
    fn mask(&self, id: NodeId) -> WatchFlags {
        let node = &self.nodes[id];
        if self.is_heard(id, 0) || self.in_tree(id) || node.children.values().any(|child| self.is_heard(*child, 0)) {
            return ALL;
        }
        let misses = node.children.values().any(|child| self.nodes[*child].seen.what == What::Nothing);
        if misses { ITSELF | NAMES } else { ITSELF }
    }

    /// Checks everything below a node, and notifies the listeners of replaced entries.
    pub(super) fn sync_below(&mut self, id: NodeId) {
        let mut ahead = vec![id];
        while let Some(id) = ahead.pop() {
            if self.in_tree(id) && self.nodes[id].seen.what == What::Dir {
                for name in directories_in(&self.path(id)) {
                    self.child(id, &name);
                }
            }
            let children: Vec<NodeId> = self.nodes[id].children.values().copied().collect();
            ahead.extend(children.into_iter().filter(|child| self.sync_child(id, *child)));
        }
    }

    /// Checks a node directly below another one, and notifies its listeners if it was replaced. Returns whether it is
    /// still needed.
    pub(super) fn sync_child(&mut self, id: NodeId, child: NodeId) -> bool {
        // A missing name must be watched for: its parent's mask depends on it.
        let before = self.nodes[child].seen;
        if self.sync_one(child) {
            self.fire(child);
            self.fire_children(child);
        } else if self.polled.contains(&id) && self.nodes[child].seen != before {
            // There is no event for it, and the next check would find nothing new.
            self.fire(child);
        }
        let gone = self.nodes[child].seen.what == What::Nothing
            && self.is_idle(child)
            && self.nodes[child].children.is_empty();
        if gone {
            self.drop_leaf(child);
        }
        !gone
    }

    /// Removes an unnecessary node without children.
    pub(super) fn drop_leaf(&mut self, id: NodeId) {
        self.unwatch(id);
        self.unfollow(id);
        let parent = self.nodes[id].parent;
        let name = std::mem::take(&mut self.nodes[id].name);
        self.nodes[parent].children.remove(&name);
        self.polled.remove(&id);
        self.free.push(id);
    }

    /// Adds these events to a kernel watch; returns `true` if it is new and works.
    pub(super) fn watch(&mut self, id: NodeId, path: &Path, mask: WatchFlags, follow: bool) -> bool {
        if self.nodes[id]
            .watches
            .iter()
            .any(|(_, has)| has.contains(mask) && follow != has.contains(WatchFlags::DONT_FOLLOW))
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
            // It was removed in between, or a link is dangling: that change causes an event.
            Some(Err(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR | rustix::io::Errno::LOOP)) => {}
            Some(Err(_)) | None => {
                self.polled.insert(id);
                return false;
            }
        }
        true
    }

    pub(super) fn unwatch(&mut self, id: NodeId) {
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
}

pub(super) fn look(path: &Path) -> Seen {
    let Ok(stat) = statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) else { return Seen::default() };
    let what = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => What::Dir,
        FileType::Symlink => What::Link,
        _ => What::Other,
    };
    // For a directory, changes of its entries do not count.
    let changed = (stat.st_ctime, stat.st_ctime_nsec as i64);
    let is_ours = stat.st_uid == 0 || stat.st_uid == rustix::process::geteuid().as_raw();
    let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    let is_shared = is_file && (!is_ours || stat.st_mode & 0o022 != 0);
    Seen { what, identity: (stat.st_dev, stat.st_ino), changed, is_shared }
}

fn directories_in(path: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.file_name()).collect()
}
