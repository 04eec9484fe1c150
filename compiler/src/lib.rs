//! The brain of mclive: programs from their text to a running resource graph, without any IO.
//!
//! ```text
//! lex > parse > lower > scope > unify > function graph       compile: pure
//!                                             |
//!                       react: values change, in rounds
//!                                             |
//!                       resource graph > schedule            decide: what to look at, what to change
//! ```
//!
//! [`mod@compile`] has the stages of a compilation in order, with their types.
//!
//! Nothing in these crates reads a clock, a file, the environment or randomness, and nothing starts a thread: time,
//! files, facts and findings are inputs ([`protocol`]), and probes and changes requested by the brain are outputs, as
//! plain data.
//!
//! That is MCL; [`language`] has the table of the languages, which meet at the resource graph.
//!
//! Each layer is a separate crate in this folder; this one joins them and adds the faces, their interfaces to the
//! outside.

// The base.
pub use mclive_base::{
    diag, each_subject, hash, ident, index, link, protocol, source, span, types, unicode, value, vocab,
};
// The content of the language: functions and resource kinds.
pub use mclive_library::{corelib, kinds};
// The stages, in order.
pub use mclive_analysis::{lint, scope, unify};
use mclive_engine::language as engine_language;
pub use mclive_engine::{brain, compile, fgraph, react, rgraph, sched};
pub use mclive_syntax::{ast, fmt, front, hir, lex, lower, parse};
// Other services.
pub use mclive_ide as editor;
pub use mclive_sim as sim;

pub mod face;
pub mod language;

pub use compile::{Compilation, Compiled, Setup, compile};
