//! The `docker` family.

pub(crate) mod container;
pub(crate) mod image;
