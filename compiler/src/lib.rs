//! The brain of mclive: MCL from its text to a running resource graph, without any IO.
//!
//! ```text
//! lex > parse > lower > scope > unify > function graph       compile: pure
//!                                             |
//!                       react: values change, in rounds
//!                                             |
//!                       resource graph > schedule            decide: what to look at, what to change
//! ```
//!
//! Nothing in this crate reads a clock, a file, the environment or randomness, and nothing starts
//! a thread: time, files, facts and findings are handed in ([`protocol`]), and what the brain wants
//! looked at or changed is handed out, as plain data.

pub mod hash;
// What everything stands on.
pub mod ident;
pub mod index;
pub mod source;
pub mod span;
pub mod unicode;

pub mod diag;
pub mod types;
pub mod value;
pub mod vocab;

// What the language is filled with: functions and resource kinds.
pub mod corelib;
pub mod kinds;
pub mod manual;

// The stages, in order.
pub mod lex;

pub mod ast;
pub mod parse;

pub mod fmt;

pub mod hir;
pub mod lower;

pub mod front;

pub mod scope;

pub mod unify;

pub mod fgraph;

pub mod compile;

pub mod editor;

pub mod react;

pub mod rgraph;

pub mod brain;
pub mod sched;

// How the brain is spoken to.
pub mod protocol;

pub mod sim;

pub mod face;

pub use compile::{Compilation, Program, Setup, compile};
