//! [`Reached`]: another host, reachable from the simulated one.

use crate::vocab::remote::There;

/// A host that is reachable over SSH.
#[derive(Clone, Default)]
pub struct Reached {
    /// Its state.
    pub there: There,
    /// The exit status of an agent that is waited for.
    pub status: i32,
}
