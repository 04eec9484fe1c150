//! [`Shared`]: the tree, shared between the listening thread and the threads that add and remove watches.
//!
//! The thread holds the lock while it waits in the kernel, for example if a file system hangs under a watched path. The
//! driver must not wait for it, or no signal would end the agent. So a thread that cannot get the lock soon leaves its
//! request here. The listening thread handles requests first when it returns, and notifies the listeners of new watches
//! to check, since earlier changes were not seen.

use super::Listener;
use super::tree::Tree;
use crate::lock::Mutex;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// How long to wait for the lock. A batch of events on a local disk takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);

pub(super) enum Ask {
    Add { listener: Listener, path: PathBuf, recursive: bool },
    Remove(Listener),
}

pub(super) struct Shared {
    tree: Mutex<Tree>,
    late: Mutex<VecDeque<Ask>>,
}

impl Shared {
    pub(super) fn new(tree: Tree) -> Shared {
        Shared { tree: Mutex::new(tree), late: Mutex::default() }
    }

    /// The tree, for the listening thread, after all pending requests.
    pub(super) fn lock(&self) -> MutexGuard<'_, Tree> {
        let mut tree = self.tree.lock();
        // One by one: a panic in one loses no other.
        while let Some(ask) = self.late.lock().pop_front() {
            match ask {
                Ask::Add { listener, path, recursive } => {
                    tree.add(listener, &path, recursive);
                    tree.fire_at(listener);
                }
                Ask::Remove(listener) => tree.remove(listener),
            }
        }
        tree
    }

    /// The tree, for threads that must not block. `None`: it is locked, and the request is to be left.
    pub(super) fn reach(&self) -> Option<MutexGuard<'_, Tree>> {
        self.reach_within(PATIENCE)
    }

    fn reach_within(&self, patience: Duration) -> Option<MutexGuard<'_, Tree>> {
        let began = Instant::now();
        // Earlier requests come first.
        while self.late.lock().is_empty() {
            if let Some(tree) = self.tree.try_lock() {
                return Some(tree);
            }
            if began.elapsed() > patience {
                return None;
            }
            std::thread::sleep(PAUSE);
        }
        None
    }

    pub(super) fn leave(&self, ask: Ask) {
        self.late.lock().push_back(ask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    #[test]
    fn who_cannot_have_the_tree_is_not_kept_and_is_told_later() {
        let dir = Scratch::new("watch-shared");
        let shared = Shared::new(Tree::new(None));
        let busy = shared.lock();
        assert!(shared.reach().is_none());
        shared.leave(Ask::Add { listener: Listener(1), path: dir.join("a"), recursive: false });
        shared.leave(Ask::Add { listener: Listener(2), path: dir.join("b"), recursive: false });
        // From then on no thread waits, or this one would wait for itself forever.
        assert!(shared.reach_within(Duration::MAX).is_none());
        shared.leave(Ask::Remove(Listener(2)));
        drop(busy);
        let told: Vec<Listener> = shared.lock().take_fired().into_iter().map(|(listener, _)| listener).collect();
        assert_eq!(told, [Listener(1)]);
        assert!(shared.reach().is_some());
    }
}
