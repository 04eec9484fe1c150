//! What every part of mclive stands on: places in files, names, diagnostics, types, values, and the
//! plain data that crosses between the brain and its bodies.
//!
//! Nothing here decides anything. The agent and the page link this crate alone: the compiler itself
//! runs for them as a WebAssembly module.

pub mod archive;
pub mod discard;
pub mod excerpt;
pub mod files;
pub mod hash;
pub mod ident;
pub mod index;
pub mod layout;
pub mod link;
pub mod source;
pub mod span;
pub mod unicode;

pub mod diag;
pub mod property;
pub mod types;
pub mod value;

// How the brain and a body speak with each other.
pub mod protocol;
pub mod vocab;

// What happens to a host, told line by line.
pub mod scenario;

// How the compiler and whoever shows its work speak with each other.
pub mod shapes;
