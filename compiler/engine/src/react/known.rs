//! [`React::known`]: what is certain about a program before any host has answered.

use super::{Outcome, React};
use crate::diag::Diagnostic;
use crate::fgraph::graph::{StmtId, StmtInst};
use crate::fgraph::ir::{EdgeStmt, ResourceStmt};
use crate::fgraph::op::Op;
use crate::ident::Name;
use crate::value::Value;
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::sync::Arc;

/// One statement; unknown values are `None`.
pub(crate) enum KnownStmt<'a> {
    Resource {
        stmt: &'a Arc<ResourceStmt>,
        name: Option<&'a Value>,
        /// Parallel to the statement's items: value and condition. An item is unknown if either is.
        items: KnownItems<'a>,
    },
    Edge {
        stmt: &'a Arc<EdgeStmt>,
        names: Option<Vec<&'a Value>>,
    },
}

/// Most statements have few items.
pub(crate) type KnownItems<'a> = SmallVec<[Option<(&'a Value, Option<&'a Value>)>; 8]>;

impl React {
    /// Evaluates everything that needs no host. The resulting failures end the program on every host.
    pub(crate) fn run_known(&mut self) -> Vec<Diagnostic> {
        let mut failures = match self.run(0) {
            Outcome::Failed(failures) if self.stuck.is_some() || self.effort.work.is_exhausted() => failures,
            Outcome::Failed(_) | Outcome::Waiting | Outcome::Underway | Outcome::Complete { .. } => self.judge_known(),
        };
        failures.truncate(MOST_FAILURES);
        failures
    }

    /// Whether nothing is unknown: then this is what runs on every host.
    pub(crate) fn is_known(&self) -> bool {
        self.n_pending == 0 && self.failed.is_empty()
    }

    /// Passes on the statements that certainly exist, with known values, after [`React::run_known`]. Returns the kinds
    /// that may have further resources: those in branches and loops of unknown outcome.
    pub(crate) fn known<'a>(&'a self, mut tell: impl FnMut(KnownStmt<'a>)) -> BTreeSet<Name> {
        let mut open = BTreeSet::new();
        let mut work: Vec<std::slice::Iter<'_, StmtId>> = vec![self.graph.root.stmts.iter()];
        while let Some(stmts) = work.last_mut() {
            let Some(id) = stmts.next() else {
                work.pop();
                continue;
            };
            match self.graph.stmt(*id) {
                StmtInst::Resource { stmt, collect: Some(_), .. } => {
                    open.insert(stmt.kind.clone());
                }
                StmtInst::Resource { stmt, items, name, collect: None } => {
                    let items = items.iter().map(|(item, cond)| {
                        let cond = match cond {
                            Some(cond) => Some(self.value(*cond)?),
                            None => None,
                        };
                        Some((self.value(*item)?, cond))
                    });
                    let (items, name) = (items.collect(), self.value(*name));
                    tell(KnownStmt::Resource { stmt, name, items });
                }
                StmtInst::Edge { stmt, names } => {
                    let names = names.iter().map(|name| self.value(*name)).collect();
                    tell(KnownStmt::Edge { stmt, names });
                }
                StmtInst::Parts(vertex) if self.value(*vertex).is_some() => {
                    work.extend(self.graph.parts(*vertex).iter().rev().map(|part| part.scope.stmts.iter()));
                }
                StmtInst::Parts(vertex) => match &self.graph.at(*vertex).op {
                    Op::IfStmt { then, otherwise, .. } => {
                        self.ir.kinds_in(*then, &mut open);
                        otherwise.iter().for_each(|block| self.ir.kinds_in(*block, &mut open));
                    }
                    Op::Loop { body, .. } => self.ir.kinds_in(*body, &mut open),
                    _ => {}
                },
            }
        }
        open
    }
}

/// The maximum number of failures that are reported.
const MOST_FAILURES: usize = 100;
