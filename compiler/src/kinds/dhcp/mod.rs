//! The `dhcp` family.

pub(crate) mod host;
pub(crate) mod range;
pub(crate) mod server;
