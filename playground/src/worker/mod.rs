//! Between the page and the worker in which the compiler runs.

pub mod protocol;

#[cfg(feature = "worker")]
pub mod desk;
