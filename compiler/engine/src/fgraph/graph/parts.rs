//! What constructs attach to a function graph: subgraphs, and the statements in them.

use super::{StmtId, VertexId};
use crate::fgraph::plan::{EdgeStmt, ResourceStmt};
use crate::value::Value;
use std::sync::Arc;

/// A subgraph that a vertex has attached: one branch, or one body of a loop.
#[derive(Default, Debug)]
pub(crate) struct Part {
    /// Of a body of `forkv`: its key.
    pub(crate) key: Option<Value>,
    pub(crate) scope: Scope,
}

/// What belongs to one subgraph, or to the program itself.
#[derive(Default, Debug)]
pub(crate) struct Scope {
    /// Vertices that are in the graph although nobody may read them.
    pub(crate) holds: Vec<VertexId>,
    /// Statements in source order.
    pub(crate) stmts: Vec<StmtId>,
}

/// One instance of a statement, with the vertices that it reads.
#[derive(Debug)]
pub(crate) enum StmtInst {
    Resource {
        stmt: Arc<ResourceStmt>,
        /// Parallel to the statement's items: value and condition.
        items: Vec<(VertexId, Option<VertexId>)>,
        name: VertexId,
        collect: Option<VertexId>,
    },
    Edge {
        stmt: Arc<EdgeStmt>,
        /// Parallel to the halves.
        names: Vec<VertexId>,
    },
    /// An `if`, `for` or `forkv`: the statements are in the vertex's parts.
    Parts(VertexId),
}

impl StmtInst {
    pub(super) fn reads(&self) -> Vec<VertexId> {
        match self {
            StmtInst::Resource { items, name, collect, .. } => {
                let items = items.iter().flat_map(|(value, cond)| std::iter::once(*value).chain(*cond));
                std::iter::once(*name).chain(items).chain(*collect).collect()
            }
            StmtInst::Edge { names, .. } => names.clone(),
            StmtInst::Parts(_) => Vec::new(),
        }
    }
}
