//! Runs a program: changing values, the resource graphs they yield, and the scheduler that applies them to a host. All
//! of it sans-IO.

use mclive_analysis::{lint, scope, understand, unify};
use mclive_base::{define_id, diag, gather, ident, index, protocol, sort, source, span, types, unicode, value, vocab};
use mclive_library::{corelib, kinds};
#[cfg(test)]
use mclive_sim as sim;
use mclive_syntax::hir;

pub mod fgraph;

pub mod compile;

pub mod react;

pub mod rgraph;

pub mod brain;
mod edge_facts;
pub mod language;
#[cfg(test)]
mod library_examples;
mod release;
pub mod sched;
