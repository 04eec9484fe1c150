//! The `bmc` family.

pub(crate) mod firmware;
pub(crate) mod power;
