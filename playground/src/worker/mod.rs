//! The interface between the page and the workers in which the compiler runs.

pub mod protocol;

#[cfg(feature = "desk")]
pub mod desk;
#[cfg(feature = "judge")]
pub mod judge;
#[cfg(any(feature = "desk", feature = "judge"))]
mod module;

#[cfg(any(feature = "desk", feature = "judge"))]
pub use module::{answer, now_ms, open};
