//! Watches paths: one inotify instance for everything, whose events are passed to the listeners.
//!
//! ```text
//! kernel events --thread--> Tree (which path, which listener, what to watch now) --> listeners
//! ```
//!
//! A path is watched by its name, whether it exists or not, even if directories above it are created, removed,
//! renamed or covered by a mount. A path that the kernel cannot watch (limit reached, no permission) is polled every
//! second, which is reported once.

mod batching;
mod far;
mod shared;
#[cfg(test)]
mod tests;
mod tree;

pub(crate) use far::Far;

use super::fs::mounts_on_top;
use super::sound_of_mind;
use batching::Batching;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::OwnedFd;
use rustix::fs::inotify::{self, CreateFlags, Reader};
use rustix::io::Errno;
use shared::{Ask, Shared};
use std::fs::File;
use std::mem::MaybeUninit;
use std::path::Path;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};
use tree::Tree;

/// After a bug the thread pauses this long, so that a persistent one does not use up a processor.
const PAUSE: Duration = Duration::from_secs(1);

/// The kernel reports its changes by `poll(2)`.
const MOUNTS: &str = "/proc/self/mountinfo";

/// The recipient of changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Listener(pub(crate) u64);

/// A change: a listener, and a path for messages.
pub(crate) type Change = (Listener, String);

pub(crate) struct Watcher {
    tree: Arc<Shared>,
    /// Wakes the thread to start polling.
    wake: Arc<OwnedFd>,
}

impl Watcher {
    /// Starts the thread; `tell` is called on it with each batch of changes.
    pub(crate) fn start(tell: impl Fn(Vec<Change>) + Send + 'static) -> std::io::Result<Watcher> {
        Watcher::start_on(inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok(), tell)
    }

    /// Without an instance (the system limits them) everything is polled every second.
    fn start_on(events: Option<OwnedFd>, tell: impl Fn(Vec<Change>) + Send + 'static) -> std::io::Result<Watcher> {
        let events = events.map(Arc::new);
        if events.is_none() {
            warn_limit();
        }
        // Opened before the first watch, so that no mount is missed in between.
        let mounts = File::open(MOUNTS).ok();
        let mut tree = Tree::new(events.clone());
        // What is mounted over a file already may be unmounted.
        tree.remounted(&mounts_on_top());
        let tree = Arc::new(Shared::new(tree));
        let wake = Arc::new(rustix::event::eventfd(
            0,
            rustix::event::EventfdFlags::CLOEXEC | rustix::event::EventfdFlags::NONBLOCK,
        )?);
        let (of_thread, woken) = (tree.clone(), wake.clone());
        let listen = move || {
            let mut is_lost = false;
            let hear = |is_lost| listen(&of_thread, events.as_deref(), mounts.as_ref(), &woken, &tell, is_lost);
            while let Err(error) = sound_of_mind(|| hear(is_lost)) {
                crate::output::tell(&format!(
                    "mclive: warning: {}; checking all watched resources again",
                    error.message
                ));
                std::thread::sleep(PAUSE);
                is_lost = true;
            }
        };
        std::thread::Builder::new().name("watch".into()).stack_size(512 << 10).spawn(listen)?;
        Ok(Watcher { tree, wake })
    }

    /// Starts to listen. On return, the watch is set up, or the listener will be notified once it is.
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

    /// Renews the watch of a path, for file systems that do not report that the file was replaced.
    pub(crate) fn renew(&self, path: &str) {
        if let Some(mut tree) = self.tree.reach() {
            tree.renew(Path::new(path));
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

/// Says it once for all watchers of the process: they have one limit in common.
fn warn_limit() {
    static SAID: Once = Once::new();
    SAID.call_once(|| {
        crate::output::tell(
            "mclive: warning: some paths cannot be watched (out of inotify watches, or no permission); \
             checking them every second instead; for more watches, run `sysctl fs.inotify.max_user_watches=524288`",
        );
    });
}

/// The thread: waits without a timer as long as everything can be watched.
///
/// `is_lost`: a bug interrupted it in the middle of something.
fn listen(
    tree: &Shared,
    events: Option<&OwnedFd>,
    mounts: Option<&File>,
    wake: &OwnedFd,
    tell: &dyn Fn(Vec<Change>),
    is_lost: bool,
) {
    if is_lost {
        let mut tree = tree.lock();
        tree.lost();
        let changes = tree.take_fired();
        drop(tree);
        tell(changes);
    }
    let mut buffer = vec![MaybeUninit::uninit(); 256 << 10];
    let second = Timespec { tv_sec: 1, tv_nsec: 0 };
    let mut batching = Batching::default();
    loop {
        let polled = tree.lock().has_polled();
        let is_remounted = {
            let mut ways = vec![PollFd::new(wake, PollFlags::IN)];
            ways.extend(events.map(|events| PollFd::new(events, PollFlags::IN)));
            ways.extend(mounts.map(|mounts| PollFd::new(mounts, PollFlags::ERR | PollFlags::PRI)));
            match poll(&mut ways, polled.then_some(&second)) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return,
            }
            mounts.is_some() && ways.last().is_some_and(|way| !way.revents().is_empty())
        };
        let mounted = is_remounted.then(mounts_on_top);
        let _ = rustix::io::read(wake, &mut [0u8; 8]);
        if let Some(pause) = batching.before(Instant::now()) {
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
        if let Some(mounted) = mounted {
            tree.remounted(&mounted);
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
