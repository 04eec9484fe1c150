//! The `tftp` family.

pub(crate) mod file;
pub(crate) mod server;
