//! [`AccessLog`]: a line of JSON for each request, without the client's address.

use super::client::Client;
use crate::network::http::StatusCode;
use crate::output::{Queue, missing_json};
use crate::rotate::{Bounds, Rotating};
use crate::show::stamped;
use mclive_base::unicode::visible;
use std::path::Path;
use std::time::Duration;

/// The longest part of a path that is logged. Units: characters.
const LONGEST_PATH: usize = 200;

pub(crate) struct AccessLog(Queue);

impl AccessLog {
    pub(crate) fn open(path: &Path, bounds: Bounds) -> std::io::Result<AccessLog> {
        Ok(AccessLog(Queue::start("access-log", Rotating::open(path, bounds)?, missing_json)?))
    }

    /// Logs a request, without blocking on the disk. If the request could not be parsed, method and path are `-`.
    pub(super) fn write(
        &self,
        client: Client,
        method: &str,
        path: &str,
        status: StatusCode,
        bytes: u64,
        took: Duration,
    ) {
        let path: String = path.chars().take(LONGEST_PATH).collect();
        // A terminal that shows the log obeys neither control characters nor a change of direction.
        let path = visible(&path);
        let method: String = method.chars().take(20).collect();
        let line = stamped(serde_json::json!({
            "from": client.to_string(),
            "method": method,
            "path": path,
            "status": status.as_u16(),
            "bytes": bytes,
            "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
        }));
        self.0.push(&format!("{line}\n"));
        self.0.flush();
    }

    /// Waits until all lines are written.
    pub(crate) fn finish(&self) {
        self.0.finish(Duration::from_secs(2));
    }
}
