//! Lists of the keys of hosts. [`follow`] reads one whenever it changes; nothing else waits for the file system, which
//! may hang.

use crate::host::Shared;
use crate::host::watch::{Listener, Watcher};
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

/// How often to read a list of keys that cannot be read, or whose changes the kernel does not report.
const LOOKS: Duration = Duration::from_secs(5);
/// How long to wait after a change of the list: anyone who writes it may not be done.
const SETTLES: Duration = Duration::from_millis(500);

/// Why a list cannot be used, a sentence without a full stop.
pub(super) fn cannot_use(list: &Path, why: &str) -> String {
    format!("cannot use the keys of hosts in {}: {why}", list.display())
}

/// Hands a list over as it is now and after each change, forever. It is not read again before `take` is done with it.
pub(super) async fn follow<T: Send + 'static, F: Future<Output = ()> + Send>(
    list: PathBuf,
    shared: &Weak<Shared>,
    read: fn(&Path) -> Result<T, String>,
    take: impl Fn(Result<T, String>) -> F + Send,
) {
    let changes = Arc::new(Notify::new());
    let (path, told) = (list.clone(), changes.clone());
    // The watch comes before the first look, so that no change is missed in between.
    let watcher = spawn_blocking(move || watch(&path, move || told.notify_one())).await.ok().flatten();
    loop {
        let (path, whose) = (list.clone(), shared.clone());
        let found = spawn_blocking(move || (read(&path), is_far(&whose, &path))).await;
        let mut is_reported = false;
        if let Ok((found, is_far)) = found {
            is_reported = watcher.is_some() && found.is_ok() && !is_far;
            let taken = take(found);
            taken.await;
        }
        let again = changes.notified();
        match is_reported {
            true => again.await,
            false => drop(timeout(LOOKS, again).await),
        }
        sleep(SETTLES).await;
    }
}

/// Watches the list for changes. `None`: it cannot be watched.
fn watch(list: &Path, tell: impl Fn() + Send + 'static) -> Option<Watcher> {
    let path = list.to_str()?;
    let watcher = Watcher::start(move |_| tell()).ok()?;
    watcher.add(Listener(0), path, false);
    Some(watcher)
}

/// Whether the list is on a file system of another machine, which may change it unnoticed.
fn is_far(shared: &Weak<Shared>, list: &Path) -> bool {
    let path = std::path::absolute(list).ok();
    let path = path.as_deref().and_then(Path::to_str);
    shared.upgrade().zip(path).is_some_and(|(shared, path)| shared.far.has(path))
}
