//! Requests that wait for the next content of a route: entries in a table, woken by one change.
//!
//! Each route with content has a cursor: its modification time for clients. It has the resolution of HTTP dates, and is
//! strictly increasing.

use mclive_base::vocab::{RouteKind, ServeSpec};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// The maximum number of waiting requests of a server; a few connections are left for others.
const MOST_HELD: usize = 192;

/// The cursors of a server's routes, by path. Units: seconds since 1970. Dropping one wakes its waiters.
#[derive(Default)]
pub(super) struct Cursors(BTreeMap<String, watch::Sender<u64>>);

impl Cursors {
    /// The cursors for a server's new routes: unchanged content keeps its time.
    pub(super) fn follow(&mut self, old: Option<&ServeSpec>, new: &ServeSpec) {
        let mut kept = BTreeMap::new();
        for route in new.routes.iter().filter(|route| has_cursor(&route.what, route.is_held)) {
            let cursor = self.0.remove(&route.path).unwrap_or_else(|| watch::Sender::new(now()));
            let before = old.and_then(|old| old.routes.iter().find(|before| before.path == route.path));
            if before.is_some_and(|before| before.what != route.what) {
                advance(&cursor);
            }
            kept.insert(route.path.clone(), cursor);
        }
        self.0 = kept;
    }

    /// Wakes all waiters, since the server is closed.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn of(&self, route: &str) -> Option<watch::Receiver<u64>> {
        self.0.get(route).map(watch::Sender::subscribe)
    }

    /// A file changed, or a folder on its path.
    pub(super) fn file_changed(&self, spec: &ServeSpec, path: &str) {
        for route in &spec.routes {
            if matches!(&route.what, RouteKind::File(file) if Path::new(file).starts_with(path)) {
                self.0.get(&route.path).into_iter().for_each(advance);
            }
        }
    }
}

fn has_cursor(what: &RouteKind, is_held: bool) -> bool {
    match what {
        RouteKind::Data(_) => true,
        RouteKind::File(_) => is_held,
        RouteKind::Below(_) | RouteKind::Form | RouteKind::Proxy(_) | RouteKind::Page(_) => false,
    }
}

fn advance(cursor: &watch::Sender<u64>) {
    cursor.send_modify(|at| *at = now().max(*at + 1));
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The cursor as a date.
pub(super) fn date(cursor: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(cursor)
}

/// The slot of a waiting request.
pub(super) struct Held(Arc<AtomicUsize>);

impl Held {
    /// `None`: too many requests wait.
    pub(super) fn take(n_held: &Arc<AtomicUsize>) -> Option<Held> {
        let held = Held(n_held.clone());
        (n_held.fetch_add(1, SeqCst) < MOST_HELD).then_some(held)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.fetch_sub(1, SeqCst);
    }
}
