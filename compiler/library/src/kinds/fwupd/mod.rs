//! The `fwupd` family.

pub(crate) mod device;
pub(crate) mod remote;
pub(crate) mod system;
