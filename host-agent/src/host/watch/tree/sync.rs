//! Looking at what stands at the nodes' paths, and asking the kernel for what is to be heard of it: each
//! watch is set before the look, so that nothing slips through in between.

use super::{MOST_LINKS, NodeId, ROOT, Seen, Tree, What};
use rustix::fs::inotify::{self, WatchFlags};
use rustix::fs::{AtFlags, CWD, FileType, statat};
use std::ffi::OsString;
use std::path::Path;

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
/// So often may a path be swapped while it is looked at; each swap sends an event as well.
const MOST_SWAPS: usize = 16;

impl Tree {
    pub(super) fn sync_way(&mut self, way: &[NodeId]) {
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

    /// Looks at one node and watches what its state asks for. Did another thing come to stand there?
    pub(super) fn sync_one(&mut self, id: NodeId) -> bool {
        let path = self.path(id);
        let mut is_other = false;
        // What stood there may have been swapped before its watch was set: then the watch is on something else.
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

    /// One look, and the watches that it asks for. Is one of them new, so that another look is due?
    fn look_and_watch(&mut self, id: NodeId, path: &Path, is_other: &mut bool) -> bool {
        let before = self.nodes[id].seen;
        let seen = look(path);
        // A number of an inode is used again at once; a link is also known by its time.
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
                // Through a link that ends the path its target is listened to.
                self.watch(id, path, if is_leaf { ALL } else { self.mask(id) }, true);
                is_new
            }
            What::Nothing => self.wait_for(id),
            What::Other => false,
        }
    }

    /// What is not there is waited for: its directory is watched for names. Was it not until now?
    fn wait_for(&mut self, id: NodeId) -> bool {
        let parent = self.nodes[id].parent;
        let may_come = id != ROOT && matches!(self.nodes[parent].seen.what, What::Dir | What::Link);
        may_come && self.watch(parent, &self.path(parent), self.mask(parent), true)
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

    /// Looks at everything below the directory that a link leads to.
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
    pub(super) fn sync_below(&mut self, id: NodeId) {
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
                let before = self.nodes[child].seen;
                if self.sync_one(child) {
                    self.fire(child);
                    self.fire_children(child);
                } else if self.polled.contains(&id) && self.nodes[child].seen != before {
                    // No event tells of it, and the next look would find nothing new.
                    self.fire(child);
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
    pub(super) fn drop_leaf(&mut self, id: NodeId) {
        self.unwatch(id);
        self.unfollow(id);
        let parent = self.nodes[id].parent;
        let name = std::mem::take(&mut self.nodes[id].name);
        self.nodes[parent].children.remove(&name);
        self.polled.remove(&id);
        self.free.push(id);
    }

    /// Asks the kernel for these events as well; `true` when it was not asked before, and tells.
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
            // It went in between, or a link leads nowhere: whoever made it so sends an event.
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
    // For directories what is in them is nothing of theirs.
    let changed = (stat.st_ctime, stat.st_ctime_nsec as i64);
    Seen { what, identity: (stat.st_dev, stat.st_ino), changed }
}

fn directories_in(path: &Path) -> Vec<OsString> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.file_name()).collect()
}
