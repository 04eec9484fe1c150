//! From tables of values to resource graphs (language spec, chapter 12), incrementally: only statements whose values
//! changed are made again, and equal results keep their storage.

use super::assemble::{Remade, Wired, assemble};
use super::collected::Collected;
use super::exported::sent_to_all;
use super::make::{self, Made};
use super::{NextGraph, ResGraph, Resource};
use crate::diag::{Diagnostic, Diags};
use crate::fgraph::graph::StmtId;
use crate::index::Id;
use crate::protocol::ResourceId;
use crate::react::{React, StmtKind, StmtRow, Table};
use std::sync::Arc;

/// Makes resource graphs of one running program.
#[derive(Clone, Default)]
pub struct Interpreter {
    /// By statement: the version that was made, and its result.
    made: Vec<Option<(u64, Arc<Made>)>>,
    collected: Collected,
    wired: Wired,
    /// By statement: its index in the last graph.
    places: Vec<Option<usize>>,
    n_made: u64,
    /// Resources that changed since the last call, with their statement.
    news: Vec<(StmtId, ResourceId)>,
}

/// Beyond this number changes are not reported individually.
const MOST_NEWS: usize = 1_000;

impl Interpreter {
    /// One for the host of this name.
    pub fn on(hostname: &str) -> Interpreter {
        Interpreter { collected: Collected::on(hostname), ..Interpreter::default() }
    }

    /// The resource graph of a complete table.
    ///
    /// Errors: `errInterpret`, in the language's order. The next table may be valid again.
    ///
    /// Cost: statements that changed, and one pass over all resources and edges.
    pub fn interpret(&mut self, table: Table<'_>) -> Result<ResGraph, Diags> {
        let entries = table.entries();
        let mut all = Vec::with_capacity(entries.len());
        self.places.fill(None);
        for entry in entries {
            let Some(made) = self.make(table, entry) else { continue };
            let index = entry.id.index();
            if self.places.len() <= index {
                self.places.resize(index + 1, None);
            }
            self.places[index] = Some(all.len());
            all.push(made);
        }
        let mut settled = self.collected.settle(&mut all);
        let graph = assemble(all, &mut self.wired, &mut settled);
        if settled.has_warnings() {
            self.wired.forget_last();
        }
        if let Ok(graph) = &graph {
            settled.warn(sent_to_all(graph));
        }
        self.collected.tell(settled);
        graph
    }

    /// The next graph after a complete round.
    ///
    /// Errors: as [`Interpreter::interpret`].
    ///
    /// Cost: if only fields changed, proportional to the changed statements.
    pub fn update(&mut self, react: &mut React) -> Result<NextGraph, Diags> {
        let news = react.take_stmt_news();
        if !news.are_others {
            let mut touched = news.touched;
            touched.sort_unstable();
            touched.dedup();
            let table = react.table();
            let remade = touched.into_iter().map(|id| {
                let place = *self.places.get(id.index())?.as_ref()?;
                Some(Remade { place, now: self.make(table, table.entry(id))? })
            });
            let remade: Option<Vec<Remade>> = remade.collect();
            if let Some(changed) = remade.and_then(|remade| self.wired.with(&remade)) {
                self.collected.exchange(&changed);
                return Ok(NextGraph::Few(changed));
            }
        }
        self.interpret(react.table()).map(NextGraph::Whole)
    }

    /// The result of a statement; made again only if its values changed.
    fn make(&mut self, table: Table<'_>, entry: StmtRow) -> Option<Arc<Made>> {
        let index = entry.id.index();
        if self.made.len() <= index {
            self.made.resize_with(index + 1, || None);
        }
        let known = self.made[index].as_ref();
        if let Some((_, made)) = known.filter(|(version, _)| *version == entry.version) {
            return Some(made.clone());
        }
        let stmt = table.stmt(entry)?;
        let mut made = match &stmt.what {
            StmtKind::Resource { stmt, name, items, collect } => make::resource(stmt, name, items, *collect),
            StmtKind::Edge { stmt, names } => make::edge(stmt, names),
        };
        self.n_made += 1;
        if let Some((_, before)) = known {
            keep_equal(&mut made.resources, &before.resources);
        }
        let before = known.map(|(_, before)| &before.resources[..]).unwrap_or_default();
        for (at, resource) in made.resources.iter().enumerate() {
            let same = before.get(at).is_some_and(|before| Arc::ptr_eq(before, resource));
            if !same && self.news.len() < MOST_NEWS {
                self.news.push((entry.id, resource.id.clone()));
            }
        }
        let made = Arc::new(made);
        self.made[index] = Some((entry.version, made.clone()));
        Some(made)
    }

    /// The resources that changed, with their statements; each is reported once.
    pub(crate) fn take_news(&mut self) -> Vec<(StmtId, ResourceId)> {
        std::mem::take(&mut self.news)
    }

    /// Warnings about exported resources and their edges that are left out, and about those that cannot be exported; a
    /// persistent one is reported once.
    pub(crate) fn take_warnings(&mut self) -> Vec<Diagnostic> {
        self.collected.take_warnings()
    }

    /// The number of statements made since the start.
    #[cfg(test)]
    pub(crate) fn n_made(&self) -> u64 {
        self.n_made
    }
}

/// Equal resources stay the same object.
fn keep_equal(now: &mut [Arc<Resource>], before: &[Arc<Resource>]) {
    for (now, before) in now.iter_mut().zip(before) {
        let same = now.id == before.id && now.meta == before.meta && now.span == before.span;
        let same = same && now.secret_fields == before.secret_fields;
        if same && now.meta.retryreset == before.meta.retryreset && now.params.is_same(&before.params) {
            *now = before.clone();
        }
    }
}
