//! Wall clock time for logs.

use crate::utc::utc;
use serde_json::Value;
use std::time::{SystemTime, UNIX_EPOCH};

/// A line of JSON with the current time.
pub(crate) fn stamped(mut line: Value) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    line["time"] = utc(now.as_secs(), now.subsec_millis()).into();
    line
}
