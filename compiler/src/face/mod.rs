//! The only code that knows it is WebAssembly, and the shapes in which everything crosses.
//!
//! [`dto`] knows no wasm: native, browser and component give the same JSON because all three
//! call it.

pub mod check;
pub mod dto;
pub mod editor;
mod graphs;
mod shown;
pub mod simulation;
mod telling;

#[cfg(feature = "browser")]
pub mod browser;
#[cfg(feature = "component")]
mod component;
#[cfg(any(feature = "component", test))]
mod manual;
#[cfg(any(feature = "component", test))]
mod seeking;
