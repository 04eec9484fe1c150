//! [`RequestLog`]: a line of JSON for each request that the servers of a program have answered. Resource spec, 3.1.
//!
//! What follows a `?` may be a secret: it is left out, like headers and forms.

use crate::host::{Shared, io_words};
use crate::network::http::{Method, StatusCode};
use crate::output::{Queue, missing_json, tell};
use crate::rotate::Rotating;
use crate::show::stamped;
use mclive_base::unicode::visible;
use std::sync::OnceLock;
use std::time::Duration;

/// The longest part of a path that is logged. Units: characters.
const LONGEST_PATH: usize = 200;
const LONGEST_METHOD: usize = 20;

/// Opened with the first server. `None`: nothing is logged.
#[derive(Default)]
pub(super) struct RequestLog(OnceLock<Option<Queue>>);

impl RequestLog {
    /// A plan has no log. Servers answer without one, too.
    pub(super) fn open(&self, shared: &Shared) {
        self.0.get_or_init(|| {
            let (bounds, path) = (shared.audit.bounds()?, shared.state.request_log());
            let log = Rotating::open(&path, bounds).and_then(|log| Queue::start("request-log", log, missing_json));
            if let Err(error) = &log {
                let (path, why) = (path.display(), io_words(error));
                tell(&format!("mclive: warning: requests are not logged: cannot write {path}: {why}"));
            }
            log.ok()
        });
    }

    /// Never blocks on the disk.
    pub(super) fn write(&self, server: &str, method: &Method, path: &str, status: StatusCode, took: Duration) {
        let Some(Some(queue)) = self.0.get() else { return };
        let method: String = method.as_str().chars().take(LONGEST_METHOD).collect();
        let path: String = path.chars().take(LONGEST_PATH).collect();
        // A terminal that shows the log obeys neither control characters nor a change of direction.
        let line = stamped(serde_json::json!({
            "server": visible(server),
            "method": method,
            "path": visible(&path),
            "status": status.as_u16(),
            "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        }));
        queue.push(&format!("{line}\n"));
        queue.flush();
    }

    /// Waits until all lines are written.
    pub(super) fn finish(&self) {
        if let Some(Some(queue)) = self.0.get() {
            queue.finish(Duration::from_secs(2));
        }
    }
}
