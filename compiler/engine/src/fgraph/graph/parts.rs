//! Parts attached by constructs: subgraphs, and the statements in them.

use super::{Change, FuncGraph, StmtId, VertexId};
use crate::fgraph::ir::{EdgeStmt, ResourceStmt};
use crate::value::Value;
use smallvec::SmallVec;
use std::sync::Arc;

/// A subgraph attached to a vertex: one branch, or one body of a loop.
#[derive(Clone, Default, Debug)]
pub(crate) struct Part {
    /// For a body of `forkv`: its key.
    pub(crate) key: Option<Value>,
    pub(crate) scope: Scope,
}

/// The content of one subgraph, or of the program itself.
#[derive(Clone, Default, Debug)]
pub(crate) struct Scope {
    /// Vertices kept in the graph even if nothing reads them.
    pub(crate) holds: Vec<VertexId>,
    /// Statements in source order.
    pub(crate) stmts: Vec<StmtId>,
}

/// One instance of a statement, with the vertices it reads.
#[derive(Clone, Debug)]
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
    /// An `if`, `for` or `forkv`: its statements are in the parts of the vertex.
    Parts(VertexId),
}

impl StmtInst {
    /// The vertices whose readers include it; not that of a construct.
    pub(in crate::fgraph) fn reads(&self) -> SmallVec<[VertexId; 8]> {
        match self {
            StmtInst::Resource { items, name, collect, .. } => {
                let items = items.iter().flat_map(|(value, cond)| std::iter::once(*value).chain(*cond));
                std::iter::once(*name).chain(items).chain(*collect).collect()
            }
            StmtInst::Edge { names, .. } => names.iter().copied().collect(),
            StmtInst::Parts(_) => SmallVec::new(),
        }
    }
}

impl FuncGraph {
    /// Adds a statement, which then reads its vertices.
    pub(crate) fn add_stmt(&mut self, inst: StmtInst) -> StmtId {
        let index = self.free_stmts.pop().unwrap_or(self.stmts.len() as u32);
        let id = StmtId(index);
        for read in inst.reads() {
            let vertex = self.at_mut(read);
            vertex.readers.push(id);
            vertex.uses += 1;
        }
        if let StmtInst::Parts(vertex) = inst {
            self.hold(vertex);
        }
        match self.stmts.get_mut(index as usize) {
            Some(slot) => *slot = Some(inst),
            None => self.stmts.push(Some(inst)),
        }
        self.changes.push(Change::Statement(id));
        id
    }

    pub(crate) fn stmt(&self, id: StmtId) -> &StmtInst {
        self.stmts[id.0 as usize].as_ref().expect("the statement is in the graph")
    }

    pub(crate) fn parts(&self, id: VertexId) -> &[Part] {
        self.at(id).extra.as_ref().map_or(&[], |extra| &extra.parts)
    }

    /// Replaces the parts and returns the old ones, which are still in the graph.
    pub(crate) fn replace_parts(&mut self, id: VertexId, parts: Vec<Part>) -> Vec<Part> {
        std::mem::replace(&mut self.extra(id).parts, parts)
    }

    /// Attaches a vertex to a construct's output; a previously attached one is released.
    pub(crate) fn attach(&mut self, output: VertexId, to: Option<VertexId>) {
        let old = if self.at(output).inputs.len() > 1 { self.disconnect_last(output) } else { None };
        if let Some(to) = to {
            self.connect(to, output);
        }
        if let Some(old) = old {
            self.release([old]);
        }
    }

    /// Releases everything that the parts kept in the graph.
    pub(crate) fn release_parts(&mut self, parts: Vec<Part>) {
        let released = parts.into_iter().flat_map(|part| self.dissolve(part.scope)).collect::<Vec<_>>();
        self.release(released);
    }

    /// The uses that end with a scope.
    pub(super) fn dissolve(&mut self, scope: Scope) -> Vec<VertexId> {
        let mut released = scope.holds;
        for id in scope.stmts {
            let inst = self.stmts[id.0 as usize].take().expect("the statement is in the graph");
            self.free_stmts.push(id.0);
            for read in inst.reads() {
                let readers = &mut self.at_mut(read).readers;
                let at = readers.iter().rposition(|reader| *reader == id).expect("the statement reads it");
                readers.swap_remove(at);
                released.push(read);
            }
            if let StmtInst::Parts(vertex) = inst {
                released.push(vertex);
            }
        }
        released
    }
}
