//! The resource graph: from the values of a program to resources and edges, checked, with automatic edges and groups.
//! Engine spec, 3, 4, 11 and 12; language spec, chapter 12.
//!
//! [`Interpreter`] turns tables of values into graphs; [`mod@autoedge`] and [`mod@autogroup`] are passes over a graph;
//! [`first_graph`] runs all steps once.

mod assemble;
mod autocycle;
mod autoedge;
mod autogroup;
mod blame;
mod claims;
mod collected;
mod decisions;
mod diff;
mod duplicates;
mod errors;
mod exported;
mod first;
mod foresee;
mod graph;
mod interpret;
mod make;
mod order;
mod print;
mod record;
mod respell;
#[cfg(test)]
mod tests;

pub use crate::kinds::Meta;
pub use autoedge::{AutoEdges, FactLookup, asked, autoedge};
pub use autogroup::{AutoGroups, autogroup};
pub use blame::{culprit, is_name_wrong};
pub use decisions::{Contradiction, contradicting};
pub use diff::{Diff, diff};
pub use first::{Passes, finished, first_graph};
pub use foresee::foresee;
pub use graph::{Changed, Edge, LeftOut, NextGraph, Receive, ResGraph, Resource, VertexId};
pub use interpret::Interpreter;
pub use print::{dot, text, text_for_people, text_with_fields};
pub use record::Record;
pub(crate) use record::Unsealable;
