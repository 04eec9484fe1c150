//! [`Table`]: the statements of a running program, in source order, with the values they read.

use super::React;
use crate::fgraph::VertexId;
use crate::fgraph::graph::{Scope, StmtId, StmtInst};
use crate::fgraph::ir::{EdgeStmt, ResourceStmt};
use crate::value::Value;
use smallvec::SmallVec;
use std::sync::Arc;

/// A view of the values after a complete round.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    react: &'a React,
}

/// One instance of a statement that makes resources or edges.
pub struct Stmt<'a> {
    /// Identifies the instance among those that exist at the same time.
    pub id: u32,
    /// New whenever a value it reads changed; never the same for two instances.
    pub version: u64,
    /// The statement and its values.
    pub what: StmtKind<'a>,
}

/// A statement with the values it reads.
pub enum StmtKind<'a> {
    /// A resource statement.
    Resource {
        /// The statement.
        stmt: &'a Arc<ResourceStmt>,
        /// The value of its name.
        name: &'a Value,
        /// Parallel to the statement's items: value and condition.
        items: SmallVec<[(&'a Value, Option<&'a Value>); 8]>,
        /// The result of the hidden call of `_collect`, if any.
        collect: Option<&'a Value>,
    },
    /// An edge statement.
    Edge {
        /// The statement.
        stmt: &'a Arc<EdgeStmt>,
        /// Parallel to the halves.
        names: Vec<&'a Value>,
    },
}

/// A statement, without its values.
#[derive(Clone, Copy)]
pub(crate) struct StmtRow {
    pub(crate) id: StmtId,
    pub(crate) version: u64,
}

impl React {
    /// The statements and values; meaningful after a complete round.
    pub fn table(&self) -> Table<'_> {
        Table { react: self }
    }
}

impl<'a> Table<'a> {
    /// Every statement in source order; loops body by body.
    ///
    /// Cost: proportional to the number of statements; values are not read.
    pub(crate) fn entries(self) -> Vec<StmtRow> {
        let graph = &self.react.graph;
        let mut entries = Vec::new();
        let mut work: Vec<std::slice::Iter<'_, StmtId>> = vec![graph.root.stmts.iter()];
        while let Some(stmts) = work.last_mut() {
            let Some(id) = stmts.next() else {
                work.pop();
                continue;
            };
            match graph.stmt(*id) {
                StmtInst::Resource { .. } | StmtInst::Edge { .. } => {
                    entries.push(StmtRow { id: *id, version: self.react.versions[id.0 as usize] });
                }
                StmtInst::Parts(vertex) => {
                    let scopes = graph.parts(*vertex).iter().rev().map(|part| &part.scope);
                    work.extend(scopes.map(|scope: &Scope| scope.stmts.iter()));
                }
            }
        }
        entries
    }

    /// The statements whose values are all present, in the same order.
    pub fn stmts(self) -> impl Iterator<Item = Stmt<'a>> {
        self.entries().into_iter().filter_map(move |entry| self.stmt(entry))
    }

    /// One of the statements.
    pub(crate) fn entry(self, id: StmtId) -> StmtRow {
        StmtRow { id, version: self.react.versions[id.0 as usize] }
    }

    /// A statement with its values; `None` if one of them is missing.
    pub(crate) fn stmt(self, entry: StmtRow) -> Option<Stmt<'a>> {
        let value = |id: VertexId| self.react.value(id);
        let what = match self.react.graph.stmt(entry.id) {
            StmtInst::Resource { stmt, items, name, collect } => {
                let items = items.iter().map(|(item, cond)| {
                    let cond = cond.map(|cond| value(cond).ok_or(())).transpose().ok()?;
                    Some((value(*item)?, cond))
                });
                let collect = collect.map(|collect| value(collect).ok_or(())).transpose().ok()?;
                StmtKind::Resource { stmt, name: value(*name)?, items: items.collect::<Option<_>>()?, collect }
            }
            StmtInst::Edge { stmt, names } => {
                StmtKind::Edge { stmt, names: names.iter().map(|name| value(*name)).collect::<Option<_>>()? }
            }
            StmtInst::Parts(_) => return None,
        };
        Some(Stmt { id: entry.id.0, version: entry.version, what })
    }
}
