//! Watching paths: one inotify instance for everything, its events carried to whoever listens.
//!
//! ```text
//! kernel events --thread--> Tree (which path, who listens, what to watch now) --> listeners
//! ```
//!
//! A path is watched by its name, whether it exists or not, also when directories above it come, go or
//! are renamed. What the kernel cannot watch (its limit is reached, no permission) is looked at every
//! second instead, which is said once.

mod breath;
mod far;
mod shared;
mod tree;

pub(crate) use far::Far;

use super::sound_of_mind;
use breath::Breath;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, Reader};
use rustix::io::Errno;
use shared::{Ask, Shared};
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tree::Tree;

/// After a fault of ours nobody listens for so long, lest one that stays takes a processor.
const PAUSE: Duration = Duration::from_secs(1);

/// Whom to tell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Listener(pub(crate) u64);

/// What changed: a listener, and a path for people.
pub(crate) type Change = (Listener, String);

pub(crate) struct Watcher {
    tree: Arc<Shared>,
    /// Woken to begin to look at what cannot be watched.
    wake: Arc<OwnedFd>,
}

impl Watcher {
    /// Starts the thread; `tell` is called on it with each batch of changes.
    pub(crate) fn start(tell: impl Fn(Vec<Change>) + Send + 'static) -> std::io::Result<Watcher> {
        Watcher::start_on(inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok(), tell)
    }

    /// Without an instance (the system has a limit for them) everything is looked at every second.
    fn start_on(events: Option<OwnedFd>, tell: impl Fn(Vec<Change>) + Send + 'static) -> std::io::Result<Watcher> {
        let events = events.map(Arc::new);
        if events.is_none() {
            warn_limit();
        }
        let tree = Arc::new(Shared::new(Tree::new(events.clone())));
        let wake = Arc::new(rustix::event::eventfd(
            0,
            rustix::event::EventfdFlags::CLOEXEC | rustix::event::EventfdFlags::NONBLOCK,
        )?);
        let (of_thread, woken) = (tree.clone(), wake.clone());
        let listen = move || {
            let mut is_lost = false;
            while let Err(error) = sound_of_mind(|| listen(&of_thread, events.as_deref(), &woken, &tell, is_lost)) {
                crate::output::tell(&format!(
                    "mclive: warning: {}; everything that is watched is looked at",
                    error.message
                ));
                std::thread::sleep(PAUSE);
                is_lost = true;
            }
        };
        std::thread::Builder::new().name("watch".into()).stack_size(512 << 10).spawn(listen)?;
        Ok(Watcher { tree, wake })
    }

    /// Listens from now on; when this returns the watch is in place, or the listener is told to look once it is.
    pub(crate) fn add(&self, listener: Listener, path: &str, recursive: bool) {
        let (path, recursive) = (Path::new(path), recursive && path.ends_with('/'));
        let Some(mut tree) = self.tree.reach() else {
            return self.leave(Ask::Add { listener, path: path.to_owned(), recursive });
        };
        let polled_before = tree.has_polled();
        tree.add(listener, path, recursive);
        if tree.has_polled() && !polled_before {
            warn_limit();
            self.wake();
        }
    }

    pub(crate) fn remove(&self, listener: Listener) {
        match self.tree.reach() {
            Some(mut tree) => tree.remove(listener),
            None => self.leave(Ask::Remove(listener)),
        }
    }

    fn leave(&self, ask: Ask) {
        self.tree.leave(ask);
        self.wake();
    }

    fn wake(&self) {
        let _ = rustix::io::write(&self.wake, &1u64.to_ne_bytes());
    }
}

fn warn_limit() {
    crate::output::tell(
        "mclive: warning: some paths cannot be watched (out of inotify watches, or no permission); \
         they are looked at every second instead; see fs.inotify.max_user_watches",
    );
}

/// The thread: waits without a timer as long as everything can be watched.
///
/// `is_lost`: it was ended by a fault of ours, in the middle of something.
fn listen(tree: &Shared, events: Option<&OwnedFd>, wake: &OwnedFd, tell: &dyn Fn(Vec<Change>), is_lost: bool) {
    if is_lost {
        let mut tree = tree.lock();
        tree.lost();
        let changes = tree.take_fired();
        drop(tree);
        tell(changes);
    }
    let mut buffer = vec![MaybeUninit::uninit(); 256 << 10];
    let second = Timespec { tv_sec: 1, tv_nsec: 0 };
    let mut breath = Breath::default();
    loop {
        let polled = tree.lock().has_polled();
        {
            let mut ways = vec![PollFd::new(wake, PollFlags::IN)];
            ways.extend(events.map(|events| PollFd::new(events, PollFlags::IN)));
            match poll(&mut ways, polled.then_some(&second)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
        let _ = rustix::io::read(wake, &mut [0u8; 8]);
        if let Some(pause) = breath.before(Instant::now()) {
            std::thread::sleep(pause);
        }
        let mut tree = tree.lock();
        if let Some(events) = events {
            let mut reader = Reader::new(events, &mut buffer);
            // One buffer at a time: many events of one path in it become one change.
            while let Ok(event) = reader.next() {
                tree.event(event.wd(), event.events(), event.file_name());
                if reader.is_buffer_empty() {
                    break;
                }
            }
        }
        if polled {
            tree.look();
        }
        let changes = tree.take_fired();
        drop(tree);
        if !changes.is_empty() {
            tell(changes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::{Receiver, channel};

    fn setup(name: &str) -> (Scratch, Watcher, Receiver<Change>) {
        let events = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).unwrap();
        setup_on(name, Some(events))
    }

    fn setup_on(name: &str, events: Option<OwnedFd>) -> (Scratch, Watcher, Receiver<Change>) {
        let dir = Scratch::new(&format!("watch-{name}"));
        let (send, receive) = channel();
        let watcher =
            Watcher::start_on(events, move |changes| changes.into_iter().for_each(|change| drop(send.send(change))))
                .unwrap();
        (dir, watcher, receive)
    }

    fn fires(changes: &Receiver<Change>, listener: u64) {
        loop {
            let (who, _) = changes.recv_timeout(Duration::from_secs(5)).expect("a change is told");
            if who == Listener(listener) {
                return while changes.recv_timeout(Duration::from_millis(50)).is_ok() {};
            }
        }
    }

    fn quiet(changes: &Receiver<Change>) {
        assert_eq!(changes.recv_timeout(Duration::from_millis(150)).ok(), None);
    }

    #[test]
    fn a_missing_path_is_watched_through_what_is_there() {
        let (dir, watcher, changes) = setup("missing");
        let path = dir.join("a/b/c");
        watcher.add(Listener(1), path.to_str().unwrap(), false);
        std::fs::create_dir(dir.join("other")).unwrap();
        quiet(&changes);
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        fires(&changes, 1);
        std::fs::write(&path, "x").unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("a/b/d"), "x").unwrap();
        quiet(&changes);
    }

    #[test]
    fn a_renamed_ancestor_is_noticed_both_ways() {
        let (dir, watcher, changes) = setup("rename");
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        std::fs::write(dir.join("a/b/c"), "x").unwrap();
        watcher.add(Listener(1), dir.join("a/b/c").to_str().unwrap(), false);
        std::fs::rename(dir.join("a"), dir.join("z")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("z/b/c"), "y").unwrap();
        quiet(&changes);
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("a/b/c"), "y").unwrap();
        fires(&changes, 1);
    }

    #[test]
    fn a_removed_file_and_a_replaced_one_are_noticed() {
        let (dir, watcher, changes) = setup("replace");
        let path = dir.join("c");
        std::fs::write(&path, "x").unwrap();
        watcher.add(Listener(1), path.to_str().unwrap(), false);
        std::fs::remove_file(&path).unwrap();
        fires(&changes, 1);
        std::fs::create_dir(&path).unwrap();
        fires(&changes, 1);
        std::fs::remove_dir(&path).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("new"), "x").unwrap();
        std::fs::rename(dir.join("new"), &path).unwrap();
        fires(&changes, 1);
        watcher.remove(Listener(1));
        std::fs::write(&path, "y").unwrap();
        quiet(&changes);
    }

    #[test]
    fn a_tree_is_watched_also_where_it_grows() {
        let (dir, watcher, changes) = setup("tree");
        watcher.add(Listener(1), &format!("{}/", dir.display()), true);
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("a/b/c"), "x").unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("a/b/c"), "y").unwrap();
        fires(&changes, 1);
    }

    #[test]
    fn a_tree_behind_a_link_is_watched_and_left_with_it() {
        let (dir, watcher, changes) = setup("linked-tree");
        std::fs::create_dir_all(dir.join("one/a")).unwrap();
        std::fs::create_dir_all(dir.join("two/a")).unwrap();
        std::os::unix::fs::symlink("one", dir.join("near")).unwrap();
        std::os::unix::fs::symlink(dir.join("near"), dir.join("link")).unwrap();
        watcher.add(Listener(1), &format!("{}/link/", dir.display()), true);
        std::fs::write(dir.join("one/a/x"), "x").unwrap();
        fires(&changes, 1);
        std::fs::create_dir(dir.join("one/a/b")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("one/a/b/y"), "y").unwrap();
        fires(&changes, 1);
        std::os::unix::fs::symlink("two", dir.join("new")).unwrap();
        std::fs::rename(dir.join("new"), dir.join("near")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("two/a/x"), "x").unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("one/a/b/y"), "z").unwrap();
        quiet(&changes);
        watcher.remove(Listener(1));
        let tree = watcher.tree.lock();
        assert_eq!((tree.masks(&dir.join("two/a")), tree.masks(&dir.join("one/a"))), (vec![], vec![]));
    }

    #[test]
    fn a_tree_that_is_there_is_no_change() {
        let (dir, watcher, changes) = setup("there");
        std::fs::create_dir_all(dir.join("tree/a/b/c")).unwrap();
        std::fs::create_dir(dir.join("other")).unwrap();
        watcher.add(Listener(1), dir.join("other/file").to_str().unwrap(), false);
        watcher.add(Listener(2), &format!("{}/tree/", dir.display()), true);
        std::fs::write(dir.join("other/file"), "x").unwrap();
        while let Ok((who, path)) = changes.recv_timeout(Duration::from_millis(150)) {
            assert_eq!(who, Listener(1), "{path}");
        }
        std::fs::write(dir.join("tree/a/b/c/d"), "x").unwrap();
        fires(&changes, 2);
    }

    #[test]
    fn the_target_of_a_link_is_watched() {
        let (dir, watcher, changes) = setup("link");
        std::fs::write(dir.join("target"), "x").unwrap();
        std::os::unix::fs::symlink(dir.join("target"), dir.join("link")).unwrap();
        watcher.add(Listener(1), dir.join("link").to_str().unwrap(), false);
        std::fs::write(dir.join("target"), "y").unwrap();
        fires(&changes, 1);
    }

    #[test]
    fn the_target_of_a_link_is_watched_before_it_is_there() {
        let (dir, watcher, changes) = setup("dangling");
        std::os::unix::fs::symlink("far/target", dir.join("near")).unwrap();
        std::os::unix::fs::symlink(dir.join("near"), dir.join("link")).unwrap();
        watcher.add(Listener(1), dir.join("link").to_str().unwrap(), false);
        std::fs::create_dir(dir.join("far")).unwrap();
        fires(&changes, 1);
        for content in ["x", "y", "z"] {
            std::fs::write(dir.join("far/target"), content).unwrap();
            fires(&changes, 1);
        }
        std::fs::remove_file(dir.join("far/target")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("far/target"), "again").unwrap();
        fires(&changes, 1);
        // It leads elsewhere now: what was its target is nobody's concern.
        std::fs::remove_file(dir.join("link")).unwrap();
        fires(&changes, 1);
        std::os::unix::fs::symlink(dir.join("link"), dir.join("link")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("far/target"), "other").unwrap();
        quiet(&changes);
    }

    #[test]
    fn a_directory_that_is_made_anew_with_the_same_number_is_watched() {
        let (dir, watcher, changes) = setup("anew");
        let path = dir.join("d/c");
        watcher.add(Listener(1), path.to_str().unwrap(), false);
        for _ in 0..20 {
            std::fs::create_dir(dir.join("d")).unwrap();
            std::fs::write(&path, "x").unwrap();
            fires(&changes, 1);
            std::fs::write(&path, "y").unwrap();
            fires(&changes, 1);
            std::fs::remove_dir_all(dir.join("d")).unwrap();
            fires(&changes, 1);
        }
    }

    #[test]
    fn without_an_instance_everything_is_looked_at() {
        let (dir, watcher, changes) = setup_on("polled", None);
        let path = dir.join("a/b");
        watcher.add(Listener(1), path.to_str().unwrap(), false);
        std::fs::create_dir(dir.join("a")).unwrap();
        std::fs::write(&path, "x").unwrap();
        fires(&changes, 1);
        std::fs::write(&path, "y").unwrap();
        fires(&changes, 1);
        std::fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink("c", &path).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("a/c"), "z").unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("a/c"), "zz").unwrap();
        fires(&changes, 1);
        std::fs::remove_dir_all(dir.join("a")).unwrap();
        fires(&changes, 1);
    }

    #[test]
    fn what_changes_below_a_directory_that_changes_is_seen_by_the_same_look() {
        let (dir, _, _) = setup_on("looked", None);
        let path = dir.join("a/b/c");
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        std::fs::write(&path, "x").unwrap();
        let mut tree = Tree::new(None);
        tree.add(Listener(1), &path, false);
        tree.take_fired();
        std::thread::sleep(Duration::from_millis(20));
        std::fs::write(&path, "y").unwrap();
        std::fs::write(dir.join("a/other"), "").unwrap();
        tree.look();
        assert_eq!(tree.take_fired().len(), 1);
        tree.look();
        assert_eq!(tree.take_fired().len(), 0);
    }

    #[test]
    fn a_busy_directory_on_the_way_wakes_nobody() {
        let (dir, watcher, changes) = setup("busy");
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        watcher.add(Listener(1), dir.join("a/b/c").to_str().unwrap(), false);
        let n_masks = |path: &std::path::Path| {
            let tree = watcher.tree.lock();
            tree.masks(path).into_iter().map(|mask| mask.contains(rustix::fs::inotify::WatchFlags::CREATE)).collect()
        };
        let (above, way): (Vec<bool>, Vec<bool>) = (n_masks(&dir), n_masks(&dir.join("a")));
        assert_eq!((above, way), (vec![false], vec![false]), "names that come are of no concern");
        std::fs::write(dir.join("a/b/c"), "x").unwrap();
        fires(&changes, 1);
        std::fs::rename(dir.join("a"), dir.join("z")).unwrap();
        fires(&changes, 1);
        std::fs::create_dir_all(dir.join("a/b")).unwrap();
        fires(&changes, 1);
        std::fs::write(dir.join("a/b/c"), "x").unwrap();
        fires(&changes, 1);
    }

    #[test]
    fn after_a_fault_of_ours_everybody_looks_again() {
        let dir = Scratch::new("watch-fault");
        let (send, changes) = channel();
        let is_faulty = AtomicBool::new(true);
        let tell = move |changed: Vec<Change>| {
            assert!(!is_faulty.swap(false, Ordering::Relaxed), "on purpose");
            changed.into_iter().for_each(|change| drop(send.send(change)));
        };
        let watcher = Watcher::start(tell).unwrap();
        for (nth, name) in ["a", "b"].into_iter().enumerate() {
            watcher.add(Listener(nth as u64), dir.join(name).to_str().unwrap(), false);
        }
        std::fs::write(dir.join("a"), "x").unwrap();
        let next = || changes.recv_timeout(Duration::from_secs(30)).expect("a change is told").0.0;
        let mut both = [next(), next()];
        both.sort_unstable();
        assert_eq!(both, [0, 1]);
        std::fs::write(dir.join("b"), "x").unwrap();
        while next() != 1 {}
    }
}
