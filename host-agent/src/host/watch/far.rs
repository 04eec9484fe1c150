//! Paths on file systems that may hang.
//!
//! They are served by another machine or a process, and system calls on them may block indefinitely. So these paths
//! have a separate watcher, and one thread that makes the calls: if it hangs, local disks are still watched, and
//! signals are still handled.

use super::{Change, Listener, Watcher};
use crate::host::fs::served_elsewhere;
use crate::host::sound_of_mind;
use crate::lock::Mutex;
use mclive_base::unicode::visible;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How long the list of mounts is cached.
const FRESH: Duration = Duration::from_secs(1);

/// After this long without an answer a message names the path.
const PATIENCE: Duration = Duration::from_secs(3);

type Tell = Arc<dyn Fn(Vec<Change>) + Send + Sync>;

pub(crate) struct Far {
    tell: Tell,
    /// The thread, once it is needed.
    asks: Mutex<Option<Sender<Ask>>>,
    mounts: Mutex<Option<(Instant, Vec<PathBuf>)>>,
}

enum Ask {
    Add { listener: Listener, path: String, recursive: bool, in_place: Box<dyn FnOnce() + Send> },
    Remove(Listener),
}

impl Far {
    pub(crate) fn new(tell: Tell) -> Far {
        Far { tell, asks: Mutex::default(), mounts: Mutex::default() }
    }

    /// Whether the path, or the target of a link in it, is on such a file system.
    ///
    /// Cost on a host without such file systems: one read of the clock.
    pub(crate) fn has(&self, path: &str) -> bool {
        let mut known = self.mounts.lock();
        let is_fresh = known.as_ref().is_some_and(|(at, _)| at.elapsed() < FRESH);
        if !is_fresh {
            *known = Some((Instant::now(), served_elsewhere()));
        }
        let points = known.as_ref().map_or(&[][..], |(_, points)| points);
        !points.is_empty() && leads_to(points, Path::new(path))
    }

    /// Starts a watch soon; `in_place` is called when it is set up, on the separate thread.
    pub(crate) fn add(
        &self,
        listener: Listener,
        path: &str,
        recursive: bool,
        in_place: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        let mut asks = self.asks.lock();
        let ask = Ask::Add { listener, path: path.to_owned(), recursive, in_place: Box::new(in_place) };
        match asks.as_ref() {
            Some(thread) => drop(thread.send(ask)),
            None => {
                let thread = start(self.tell.clone())?;
                drop(thread.send(ask));
                *asks = Some(thread);
            }
        }
        Ok(())
    }

    /// The same for a listener that does not wait for it: it is notified once the watch is set up.
    pub(crate) fn add_late(&self, listener: Listener, path: &str) -> std::io::Result<()> {
        let (tell, change) = (self.tell.clone(), (listener, path.to_owned()));
        self.add(listener, path, false, move || tell(vec![change]))
    }

    pub(crate) fn remove(&self, listener: Listener) {
        if let Some(thread) = self.asks.lock().as_ref() {
            drop(thread.send(Ask::Remove(listener)));
        }
    }
}

/// Walks along a path and its links. A link is read only if its path is on a local disk.
fn leads_to(points: &[PathBuf], path: &Path) -> bool {
    const MOST_LINKS: usize = 40;
    let steps =
        |path: &Path| -> Vec<OsString> { path.components().rev().map(|step| step.as_os_str().into()).collect() };
    let (mut here, mut rest, mut n_links) = (PathBuf::from("/"), steps(path), 0);
    while let Some(step) = rest.pop() {
        if step == ".." {
            here.pop();
            continue;
        }
        // The root replaces the previous parts.
        here.push(step);
        if points.iter().any(|point| here.starts_with(point)) {
            return true;
        }
        let Ok(target) = std::fs::read_link(&here) else { continue };
        n_links += 1;
        if n_links > MOST_LINKS {
            return false;
        }
        here.pop();
        rest.extend(steps(&target));
    }
    false
}

fn start(tell: Tell) -> std::io::Result<Sender<Ask>> {
    let (asks, asked) = channel();
    let (begins, begun) = channel::<Option<String>>();
    let told = tell.clone();
    let watcher = Watcher::start(move |changes| told(changes))?;
    let ask = move || {
        while let Ok(ask) = asked.recv() {
            match ask {
                Ask::Add { listener, path, recursive, in_place } => {
                    drop(begins.send(Some(path.clone())));
                    if let Err(error) = sound_of_mind(|| watcher.add(listener, &path, recursive)) {
                        let (path, why) = (visible(&path), visible(&error.message));
                        crate::output::tell(&format!("mclive: warning: cannot watch `{path}`: {why}"));
                    }
                    drop(begins.send(None));
                    in_place();
                }
                Ask::Remove(listener) => watcher.remove(listener),
            }
        }
    };
    // It never blocks, so that it can report the thread that does.
    let mind = move || {
        while let Ok(begins) = begun.recv() {
            let Some(path) = begins else { continue };
            match begun.recv_timeout(PATIENCE) {
                Err(RecvTimeoutError::Timeout) => crate::output::tell(&format!(
                    "mclive: warning: `{}` does not respond: the server of its file system may be down; resources on \
                     such file systems are waiting for it",
                    visible(&path)
                )),
                Ok(_) | Err(RecvTimeoutError::Disconnected) => {}
            }
        }
    };
    let thread = |name: &str| std::thread::Builder::new().name(name.into()).stack_size(512 << 10);
    thread("watch far").spawn(ask)?;
    thread("mind far").spawn(mind)?;
    Ok(asks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    #[test]
    fn a_listener_that_does_not_wait_is_notified_when_the_watch_is_set_up() {
        let dir = Scratch::new("far-late");
        let (send, told) = channel();
        let far = Far::new(Arc::new(move |changes: Vec<Change>| {
            changes.into_iter().for_each(|change| drop(send.send(change)));
        }));
        let path = dir.join("a");
        far.add_late(Listener(1), path.to_str().unwrap()).unwrap();
        for text in ["x", "y"] {
            assert_eq!(told.recv_timeout(Duration::from_secs(120)).unwrap().0, Listener(1));
            std::fs::write(&path, text).unwrap();
        }
    }

    #[test]
    fn links_are_followed_to_where_a_path_lies() {
        let dir = Scratch::new("far-links");
        let far = vec![dir.join("far")];
        std::os::unix::fs::symlink("far/below", dir.join("link")).unwrap();
        std::os::unix::fs::symlink(dir.join("link"), dir.join("again")).unwrap();
        std::os::unix::fs::symlink("turns", dir.join("turns")).unwrap();
        std::fs::create_dir(dir.join("near")).unwrap();
        std::os::unix::fs::symlink("../far/x", dir.join("near/up")).unwrap();
        let leads = |path: &str| leads_to(&far, &dir.join(path));
        assert!(leads("far") && leads("far/x") && leads("link/x") && leads("again/x/y"));
        assert!(leads("near/up") && leads("near/../far/x") && leads("near/../near/up/y"));
        assert!(!leads("farther") && !leads("near/x") && !leads("turns/x"));
    }
}
