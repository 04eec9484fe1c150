//! The content of the language: core functions ([`corelib`]) and resource kinds ([`kinds`]), as lists of static
//! definitions. They know types, values and diagnostics; never the tree, the engine or the scheduler.

use mclive_base::{diag, gather, hash, property, sort, source, types, unicode, value, vocab};

pub mod corelib;
pub mod kinds;
