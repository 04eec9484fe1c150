//! [`KeyStore`]: the two key-value stores of a host.

use serde::{Deserialize, Serialize};

/// Where a key lives. Engine spec, 15, 21 and 22.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum KeyStore {
    /// This host's own values, by name (`value` resources). They outlive a restart.
    Local,
    /// What hosts share: `strings/KEY`, `exported/TO/FROM/KIND/NAME`. A single host backs it with
    /// a file of its own.
    World,
}
