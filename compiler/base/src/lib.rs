//! The base of every part of mclive: source positions, names, diagnostics, types, values, and the plain data that
//! crosses between the brain and its bodies.
//!
//! Nothing here decides anything. The agent and the page link only this crate; they run the compiler as a WebAssembly
//! module.

pub mod archive;
pub mod discard;
pub mod excerpt;
pub mod files;
pub mod gather;
pub mod hash;
pub mod ident;
pub mod index;
pub mod layout;
pub mod link;
pub mod parts;
pub mod short;
pub mod sort;
pub mod source;
pub mod span;
pub mod unicode;

pub mod diag;
pub mod property;
pub mod types;
pub mod value;

// The protocol between the brain and a body.
pub mod protocol;
pub mod vocab;

// Events on a host, described line by line.
pub mod scenario;

// The data exchanged between the compiler and its user interfaces.
pub mod shapes;
