//! The interface between the page and the workers in which the compiler runs.

pub mod protocol;

#[cfg(feature = "desk")]
pub mod desk;
#[cfg(feature = "worker")]
pub mod judge;
#[cfg(feature = "desk")]
mod module;

#[cfg(feature = "desk")]
pub use module::{answer, load_rest, now_ms, open};
