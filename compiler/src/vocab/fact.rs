//! [`FactSpec`]: what a core function reads of the world. Functions spec, section 14.

use serde::{Deserialize, Serialize};

/// A subscription to one fact. The host answers with the fact as it is now, and again whenever it
/// may have changed. The answer's shape is told with each one; a fact that cannot be had is a
/// [`HostError`](super::HostError).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FactSpec {
    /// `Int`: seconds since 1970, now and at each full period. Units: milliseconds.
    Clock { period_ms: u64 },
    /// `Bytes`: the host name.
    Hostname,
    /// `Int`: seconds since the host started, with each period.
    Uptime { period_ms: u64 },
    /// `List` of three `Float`: the load averages over 1, 5 and 15 minutes.
    Load { period_ms: u64 },
    /// `Bytes`: a file's content, again on each change.
    FileContent { path: String },
    /// `Struct { exists Bool, kind Bytes, mode Int, size Int }`: a file's state, again on each change.
    FileState { path: String },
    /// `Bytes`, or `NotFound`: a variable of the host program's environment.
    Env { name: String },
    /// `Map` of `Bytes` to `Bytes`: the whole environment.
    Environment,
    /// `List` of `Bytes`: the host program's arguments.
    Args,
}
