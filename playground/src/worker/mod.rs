//! The interface between the page and the workers in which the compiler runs.

pub mod protocol;

#[cfg(feature = "worker")]
pub mod judge;
#[cfg(feature = "session")]
mod module;
#[cfg(feature = "session")]
pub mod session;

#[cfg(feature = "session")]
pub use module::{answer, now_ms, open};
