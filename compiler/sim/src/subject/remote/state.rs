//! [`Reached`]: another host, reachable from the simulated one.

use crate::vocab::HostError;
use crate::vocab::remote::{There, Tunnel, ended};
use std::collections::BTreeSet;

/// A host that is reachable over SSH.
#[derive(Clone, Default)]
pub struct Reached {
    /// Its state.
    pub there: There,
    /// The exit status of an agent that is waited for.
    pub status: i32,
    /// The way of the last such agent to the shared store.
    pub joined: Option<Tunnel>,
    /// The addresses at which its own programs listen: `127.0.0.1:2379`.
    pub in_use: BTreeSet<String>,
}

impl Reached {
    /// The agent there ends. Errors: it fails.
    pub(super) fn end(&mut self) -> Result<(), HostError> {
        self.there.pid = None;
        match self.status {
            0 => Ok(()),
            status => Err(ended(status, "no space left on device")),
        }
    }
}
