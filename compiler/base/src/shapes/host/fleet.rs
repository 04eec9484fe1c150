//! The simulated hosts side by side, and the actions on them.

use serde::{Deserialize, Serialize};

/// An action on the fleet of simulated hosts.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FleetAction {
    /// Adds a host and deploys the program to it.
    Add {
        /// Name of the host.
        host: String,
    },
    /// Removes a host permanently.
    Remove {
        /// Name of the host.
        host: String,
    },
    /// Freezes a host: nothing runs on it, and it receives nothing.
    Pause {
        /// Name of the host.
        host: String,
    },
    /// Continues a paused host.
    Resume {
        /// Name of the host.
        host: String,
    },
    /// Cuts a host off from the shared store; it keeps running.
    Disconnect {
        /// Name of the host.
        host: String,
    },
    /// Connects it again.
    Reconnect {
        /// Name of the host.
        host: String,
    },
}

/// The summary of one host of a fleet.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostCard {
    /// The name it was started with.
    pub host: String,
    /// Its health.
    pub health: HostHealth,
    /// Whether it is cut off from the shared store.
    pub is_disconnected: bool,
    /// Number of resources.
    pub n_resources: usize,
    /// Number of resources that are up to date.
    pub n_good: usize,
    /// The load average. Units: percent of one processor.
    pub load: u32,
}

/// The health of a host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostHealth {
    /// It is paused.
    Paused,
    /// Some resources are being checked or applied.
    Working,
    /// Every resource is up to date.
    UpToDate,
    /// Up to date for the settle time.
    Converged,
    /// This many resources have failed.
    Failed(usize),
    /// No program runs, with the reason.
    Stopped(String),
}
