//! [`Reached`]: a host beside the simulated one.

use crate::vocab::remote::There;

/// Another host that can be reached over SSH.
#[derive(Clone, Default)]
pub struct Reached {
    pub there: There,
    /// With what an agent ends that is waited for.
    pub status: i32,
}
