//! The `virt` family.

pub(crate) mod builder;
pub(crate) mod domain;
pub(crate) mod network;
pub(crate) mod network_host;
pub(crate) mod network_range;
