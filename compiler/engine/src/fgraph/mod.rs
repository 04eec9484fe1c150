//! The function graph: a program's computations as vertices that feed each other (language spec, chapter 10).
//!
//! In: the linked and typed program. Out: an immutable [`Ir`], and its initial [`FuncGraph`]. The running program
//! ([`crate::react`]) continues building with the same builder.

mod accidents;
pub(crate) mod build;
mod emit;
pub(crate) mod env;
pub(crate) mod graph;
pub(crate) mod ir;
pub(crate) mod op;
mod output;
mod print;
pub(crate) mod stmts;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use graph::MAX_VERTICES;
pub use graph::{FuncGraph, VertexId};
pub use ir::Ir;
pub(crate) use print::escape;
pub use print::{dot, edges, text, text_within};
pub use words::{Phrases, Words, reads, words};

use crate::diag::{Diagnostic, Diags, Stage, codes};
use crate::scope::Linked;
use crate::span::Span;
use crate::unify::Types;

/// Emits the IR of a typed program.
///
/// Errors: `errGraph` diagnostics; the IR must not run then.
pub fn emit(linked: &Linked, types: &Types, diags: &mut Diags) -> Ir {
    emit::emit(linked, types, diags)
}

/// Builds the initial graph of a program.
///
/// Errors: an `errGraph` diagnostic, if it would be larger than [`MAX_VERTICES`].
pub fn build(ir: &Ir) -> Result<FuncGraph, Diags> {
    let mut diags = Diags::default();
    let graph = build_within(ir, MAX_VERTICES, &mut diags);
    if diags.has_errors() { Err(diags) } else { Ok(graph) }
}

/// The same with another limit.
pub(crate) fn build_within(ir: &Ir, max_vertices: usize, diags: &mut Diags) -> FuncGraph {
    // Most expressions become one vertex.
    let n_vertices = ir.nodes.len().min(max_vertices);
    let mut graph = FuncGraph::with_room(n_vertices, ir.blocks[ir.root].len(), max_vertices);
    let root = stmts::block(ir, &mut graph, ir.root, &None, 0);
    graph.root = root;
    graph.shrink();
    if graph.overflow {
        diags.push(too_large(max_vertices, Stage::Graph, graph.overflow_at, Growth::Calls));
    }
    graph
}

/// A graph cannot be shown as text.
pub fn too_long(most: u64) -> Diagnostic {
    let message = format!("the function graph as text is larger than {} MiB", most >> 20);
    Diagnostic::error(codes::GRAPH_TOO_LARGE, Stage::Graph, message)
        .help("each edge names the types of its ends: use `--format json` or `--of words`")
}

/// What makes a graph large.
pub(crate) enum Growth {
    /// Functions that call others.
    Calls,
    /// A core function that calls its function for each element.
    Elements(&'static str),
    /// A loop.
    Loop,
}

/// The program computes too much at once, at this place.
pub(crate) fn too_large(max_vertices: usize, stage: Stage, at: Option<Span>, growth: Growth) -> Diagnostic {
    let message = format!("the function graph has more than {max_vertices} vertices");
    let said = Diagnostic::error(codes::GRAPH_TOO_LARGE, stage, message);
    let said = match at {
        Some(span) => said.at(span, "limit reached here"),
        None => said,
    };
    said.help(match growth {
        Growth::Calls => "nested function calls multiply: compute a value once and assign it to a variable".to_owned(),
        Growth::Elements(path) => format!(
            "each element adds the vertices of the function that `{path}` calls: use a shorter list, or compute what is \
             the same for all elements before the call"
        ),
        Growth::Loop => "each iteration adds the vertices of the body: use a shorter list, or compute what is the same in \
                         all iterations before the loop"
            .to_owned(),
    })
}
