//! The function graph: a program's computations as vertices that feed each other (language spec, chapter 10).
//!
//! In: the linked and typed program. Out: an immutable [`Plan`], and its initial [`FuncGraph`]. The running program
//! ([`crate::react`]) continues building with the same builder.

mod accidents;
pub(crate) mod build;
pub(crate) mod env;
pub(crate) mod graph;
mod lower;
pub(crate) mod op;
mod output;
pub(crate) mod plan;
mod print;
pub(crate) mod stmts;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use graph::MAX_VERTICES;
pub use graph::{FuncGraph, VertexId};
pub use plan::Plan;
pub(crate) use print::escape;
pub use print::{dot, edges, text, text_within};
pub use words::{Phrases, Words, reads, words};

use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::scope::Linked;
use crate::unify::Types;

/// Plans a typed program.
///
/// Errors: `errGraph` diagnostics; the plan must not run then.
pub fn plan(linked: &Linked, types: &Types, diags: &mut Diags) -> Plan {
    lower::lower(linked, types, diags)
}

/// Builds the initial graph of a program.
///
/// Errors: an `errGraph` diagnostic, if it would be larger than [`MAX_VERTICES`].
pub fn build(plan: &Plan) -> Result<FuncGraph, Diags> {
    let mut diags = Diags::default();
    let graph = build_within(plan, MAX_VERTICES, &mut diags);
    if diags.has_errors() { Err(diags) } else { Ok(graph) }
}

/// The same with another limit.
pub(crate) fn build_within(plan: &Plan, max_vertices: usize, diags: &mut Diags) -> FuncGraph {
    let mut graph = FuncGraph::new(max_vertices);
    let root = stmts::block(plan, &mut graph, plan.root, &None, 0);
    graph.root = root;
    graph.shrink();
    if graph.overflow {
        diags.push(too_large(max_vertices, Stage::Graph));
    }
    graph
}

/// A graph cannot be shown as text.
pub fn too_long(most: u64) -> Diagnostic {
    let message = format!("the function graph as text is larger than {} MiB", most >> 20);
    Diagnostic::error(codes::GRAPH_TOO_LARGE, Stage::Graph, message)
        .help("each edge names the types of its ends: use `--format json` or `--of words`")
}

/// The program computes too much at once.
pub(crate) fn too_large(max_vertices: usize, stage: Stage) -> Diagnostic {
    let message = format!("the function graph has more than {max_vertices} vertices");
    Diagnostic::error(codes::GRAPH_TOO_LARGE, stage, message)
        .help("nested function calls multiply: compute a value once and bind it to a variable")
}
