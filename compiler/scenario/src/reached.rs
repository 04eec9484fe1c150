//! Which statements of a program were exercised: those whose resources were in a graph.
//!
//! A branch of an `if` counts if a resource in it was exercised; a branch without resources is ignored, since nothing
//! shows whether it was taken.

use crate::ast::{Block, Stmt, StmtKind, Tree};
use crate::brain::Brain;
use crate::diag::Diags;
use crate::lex::lex;
use crate::parse::parse;
use crate::program::Program;
use crate::rgraph::{ResGraph, Resource};
use crate::shapes::scenario::Covered;
use crate::sort;
use crate::source::{Source, Sources};
use crate::span::{FileId, Span};
use std::collections::BTreeSet;

/// Statements whose resources were in a graph: a file, and the start of the statement in it.
#[derive(Default, Debug)]
pub(crate) struct Reached {
    places: BTreeSet<(String, u32)>,
    /// Results of compiling, per language.
    made: Vec<Covered>,
}

impl Reached {
    pub(crate) fn see(&mut self, graph: &ResGraph, sources: Option<&Sources>) {
        let Some(sources) = sources else { return };
        let mut ahead: Vec<&Resource> = graph.resources.values().map(|resource| &**resource).collect();
        while let Some(resource) = ahead.pop() {
            ahead.extend(resource.children.iter().map(|child| &**child));
            if let Some(span) = resource.span {
                self.places.insert((sources.get(span.file).path.clone(), span.start));
            }
        }
    }

    /// Merges the results of compiling a program; a statement stays exercised.
    pub(crate) fn note(&mut self, made: Vec<Covered>) {
        for place in made {
            let is_same =
                |known: &&mut Covered| (known.line, &known.file, &known.what) == (place.line, &place.file, &place.what);
            match self.made.iter_mut().find(is_same) {
                Some(known) => known.seen |= place.seen,
                None => self.made.push(place),
            }
        }
    }

    /// Every statement of these files that can be exercised, and whether it was.
    pub(crate) fn covered(&self, program: &Program) -> Vec<Covered> {
        let mut covered = self.made.clone();
        for (path, bytes) in program.files.iter().filter(|(path, _)| path.ends_with(".mcl")) {
            let source = Source::new(path.clone(), bytes.clone());
            let mut diags = Diags::default();
            let tree = parse(&lex(&source, FileId(0), &mut diags), &source, &mut diags);
            let seen = |span: Span| {
                let places = self.places.range((path.clone(), span.start)..(path.clone(), span.end));
                places.count() > 0
            };
            let mut note = |what: &str, span: Span| {
                let line = source.line_of(span.start);
                covered.push(Covered { file: path.clone(), line, what: what.to_owned(), seen: seen(span) });
            };
            let mut ahead = vec![&tree.root];
            while let Some(block) = ahead.pop() {
                for stmt in block.stmts.iter().map(|&id| &tree.stmts[id]) {
                    match &stmt.kind {
                        StmtKind::Resource(resource) => note(&resource.kind, stmt.span),
                        StmtKind::If { then, otherwise, .. } => {
                            let branches = [("branch", Some(then)), ("else branch", otherwise.as_ref())];
                            for (what, branch) in branches {
                                if let Some(branch) = branch.filter(|branch| has_resource(&tree, branch)) {
                                    note(what, branch.span);
                                }
                            }
                        }
                        _ => {}
                    }
                    ahead.extend(blocks(stmt));
                }
            }
        }
        sort::by(&mut covered, |a, b| (&a.file, a.line, &a.what).cmp(&(&b.file, b.line, &b.what)));
        covered
    }
}

/// The blocks of a statement.
fn blocks(stmt: &Stmt) -> Vec<&Block> {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => Some(then).into_iter().chain(otherwise.as_ref()).collect(),
        StmtKind::For { body, .. } | StmtKind::Class { body, .. } => vec![body],
        StmtKind::Bind { .. }
        | StmtKind::Panic { .. }
        | StmtKind::Resource(_)
        | StmtKind::Edge { .. }
        | StmtKind::Func { .. }
        | StmtKind::Include { .. }
        | StmtKind::Import { .. }
        | StmtKind::Error => Vec::new(),
    }
}

fn has_resource(tree: &Tree, block: &Block) -> bool {
    let mut ahead = vec![block];
    while let Some(block) = ahead.pop() {
        for stmt in block.stmts.iter().map(|&id| &tree.stmts[id]) {
            if matches!(stmt.kind, StmtKind::Resource(_)) {
                return true;
            }
            ahead.extend(blocks(stmt));
        }
    }
    false
}

/// The current value of a top-level variable of the main file.
///
/// Errors: there is no such variable, or it has no value yet.
pub(crate) fn value(brain: &Brain, name: &str) -> Result<String, String> {
    let (Some(react), Some(sources)) = (brain.react(), brain.sources()) else {
        return Err("this host does not run an MCL program: models have no variables at runtime".into());
    };
    let Some((file, source)) = sources.iter().next() else { return Err("no program is running".into()) };
    let mut diags = Diags::default();
    let tree = parse(&lex(source, file, &mut diags), source, &mut diags);
    let bind = tree.root.stmts.iter().find_map(|&id| match &tree.stmts[id].kind {
        StmtKind::Bind { name: bound, value, .. } if **bound == *name => Some(tree.exprs[*value].span),
        _ => None,
    });
    let span = bind.ok_or_else(|| format!("cannot find variable `${name}` at the top level of the main file"))?;
    let graph = react.graph();
    // Of the vertices of one expression the last one has its value.
    let last = graph.ids().filter(|&id| graph.span(id) == span).max_by_key(|&id| graph.level(id));
    let value = last.and_then(|id| react.value(id)).ok_or_else(|| format!("`${name}` has no value yet"))?;
    Ok(value.to_string())
}

/// The core functions that the function graph calls. Errors: no program with functions is running.
pub(crate) fn functions(brain: &Brain) -> Result<BTreeSet<&'static str>, String> {
    let react = brain.react().ok_or("this host does not run an MCL program: models have no functions at runtime")?;
    let graph = react.graph();
    Ok(graph.ids().filter_map(|id| graph.function(id)).collect())
}
