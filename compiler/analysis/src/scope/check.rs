//! Checks that need only the text of a file: duplicate definitions, and recursion. Language spec, 6.4 to 6.6.
//!
//! For recursion it looks only at the statements of each block: a cycle of uses is always also a cycle of statements of
//! one block. That is linear; only if there is a cycle, [`accidents`] determines the one that the language reports
//! first.

use super::accidents;
use super::errors;
use super::linker::Linker;
use super::state::SiteId;
use super::uses::{self, Uid};
use crate::diag::{Diagnostic, Stage, codes};
use crate::hir::{Block, Callee, Expr, ExprId, ExprKind, ItemKind, Module, Param, Stmt, StmtKind};
use crate::sort;
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The statements that are part of a recursion.
#[derive(Debug)]
pub(super) struct Broken {
    spans: FxHashSet<Span>,
}

impl Broken {
    pub(super) fn contains(&self, stmt: &Stmt) -> bool {
        self.spans.contains(&stmt.span)
    }
}

/// The result for one file.
#[derive(Debug)]
pub(super) struct Checked {
    /// Its recursive statements.
    pub broken: Broken,
    diagnostics: Vec<Diagnostic>,
}

impl Linker<'_, '_> {
    /// Reports the problems of a file's definitions.
    pub(super) fn check_file(&mut self, site: SiteId) {
        let file = self.sites[site].file;
        let checked = file.checked();
        let place = |diagnostic: &Diagnostic| diagnostic.primary.as_ref().map(|label| label.span);
        let twice: FxHashSet<Span> = self.reports.with_code(codes::IMPORTED_TWICE).filter_map(place).collect();
        let is_known = |diagnostic: &Diagnostic| place(diagnostic).is_some_and(|place| twice.contains(&place));
        for diagnostic in &checked.diagnostics {
            // A duplicate import was already reported.
            if diagnostic.code == codes::DEFINED_TWICE && is_known(diagnostic) {
                continue;
            }
            self.report_in(site, diagnostic.clone());
        }
    }
}

/// Checks the definitions of one file.
pub(super) fn check(module: &Module) -> Checked {
    let mut walk = Walk {
        module,
        producers: FxHashMap::default(),
        frames: Vec::new(),
        doubled: Vec::new(),
        rings: Vec::new(),
        includes: FxHashSet::default(),
        broken: FxHashSet::default(),
    };
    walk.block(&module.root, &[]);
    let mut diagnostics = walk.doubled;
    let first = if walk.broken.is_empty() { None } else { accidents::first_ring(module) };
    let mut said: FxHashSet<Span> = FxHashSet::default();
    for ring in first.into_iter().chain(walk.rings) {
        if ring.iter().any(|span| said.contains(span)) {
            continue;
        }
        said.extend(&ring);
        diagnostics.push(if ring.is_empty() {
            Diagnostic::error(codes::RECURSION, Stage::Scope, "circular definition")
        } else {
            errors::recursion(&ring, ring.iter().any(|span| walk.includes.contains(span)))
        });
    }
    Checked { broken: Broken { spans: walk.broken }, diagnostics }
}

/// The definition of a name at some place.
#[derive(Clone, Copy)]
enum Producer {
    /// A statement, by the depth of its block and its index there.
    Stmt(usize, usize),
    /// A parameter: no statement has to come first.
    Param,
}

/// A block on the path to the current place.
struct Frame {
    current: usize,
    /// Statement, the one that needs it, and where it is named.
    edges: Vec<(usize, usize, Span)>,
}

struct Walk<'m> {
    module: &'m Module,
    producers: FxHashMap<Uid<'m>, Vec<Producer>>,
    frames: Vec<Frame>,
    doubled: Vec<Diagnostic>,
    rings: Vec<Vec<Span>>,
    /// The spans of the `include` statements.
    includes: FxHashSet<Span>,
    broken: FxHashSet<Span>,
}

impl<'m> Walk<'m> {
    fn produce(&mut self, uid: Uid<'m>, producer: Producer) {
        self.producers.entry(uid).or_default().push(producer);
    }

    fn forget(&mut self, uid: Uid<'m>) {
        if let Some(producers) = self.producers.get_mut(&uid) {
            producers.pop();
        }
    }

    fn needs(&mut self, uid: Option<Uid<'m>>, span: Span) {
        let Some(uid) = uid else { return };
        if let Some(Producer::Stmt(level, at)) = self.producers.get(&uid).and_then(|producers| producers.last()) {
            let frame = &mut self.frames[*level];
            frame.edges.push((*at, frame.current, span));
        }
    }

    fn params(&mut self, params: &'m [Param]) {
        for param in params {
            self.produce(Uid::Var(&param.name), Producer::Param);
        }
    }

    fn forget_params(&mut self, params: &'m [Param]) {
        for param in params {
            self.forget(Uid::Var(&param.name));
        }
    }

    fn block(&mut self, block: &'m Block, params: &'m [Param]) {
        self.params(params);
        let level = self.frames.len();
        let mut own: FxHashMap<Uid<'m>, Span> = FxHashMap::default();
        for (at, stmt) in block.stmts.iter().enumerate() {
            let Some(uid) = uses::defines(stmt) else { continue };
            match own.get(&uid) {
                None => {
                    own.insert(uid, stmt.span);
                    self.produce(uid, Producer::Stmt(level, at));
                }
                // Duplicate classes were reported before.
                Some(_) if matches!(uid, Uid::Class(_)) => {}
                Some(first) => self.doubled.push(errors::doubled(&uid.shown(), *first, stmt.span)),
            }
        }
        self.frames.push(Frame { current: 0, edges: Vec::new() });
        for (at, stmt) in block.stmts.iter().enumerate() {
            self.frames[level].current = at;
            self.stmt(stmt);
        }
        for uid in own.into_keys() {
            self.forget(uid);
        }
        self.forget_params(params);
        if let Some(frame) = self.frames.pop() {
            self.find_rings(block, &frame.edges);
        }
    }

    fn stmt(&mut self, stmt: &'m Stmt) {
        match &stmt.kind {
            StmtKind::Bind(bind) => self.expr(bind.value),
            StmtKind::Func { func, .. } => self.expr(*func),
            StmtKind::Resource(resource) => {
                self.expr(resource.name);
                for item in &resource.items {
                    match &item.kind {
                        ItemKind::Field { value, .. }
                        | ItemKind::Meta { value, .. }
                        | ItemKind::MetaStruct { value } => {
                            self.expr(*value);
                        }
                        ItemKind::Edge { half, .. } => self.expr(half.name),
                    }
                    item.cond.into_iter().for_each(|cond| self.expr(cond));
                }
                resource.collect.into_iter().for_each(|call| self.expr(call));
            }
            StmtKind::Edge(edge) => edge.halves.iter().for_each(|half| self.expr(half.name)),
            StmtKind::If { cond, then, otherwise } => {
                self.expr(*cond);
                self.block(then, &[]);
                otherwise.iter().for_each(|block| self.block(block, &[]));
            }
            StmtKind::For(each) => {
                self.expr(each.subject);
                self.block(&each.body, &[]);
            }
            StmtKind::Class(class) => self.block(&class.body, &class.params),
            StmtKind::Include(include) => {
                include.args.iter().for_each(|arg| self.expr(*arg));
                self.includes.insert(stmt.span);
                self.needs(Some(uses::class(&include.class)), stmt.span);
            }
            StmtKind::Import(_) | StmtKind::Error => {}
        }
    }

    fn expr(&mut self, root: ExprId) {
        enum Step<'m> {
            Into(ExprId),
            Leave(&'m [Param]),
        }
        let module = self.module;
        let mut steps = vec![Step::Into(root)];
        while let Some(step) = steps.pop() {
            let id = match step {
                Step::Into(id) => id,
                Step::Leave(params) => {
                    self.forget_params(params);
                    continue;
                }
            };
            let Expr { kind, span, .. } = &module.exprs[id];
            self.needs(uses::of_expr(kind), *span);
            match kind {
                ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => {}
                ExprKind::Var(_) | ExprKind::Error => {}
                ExprKind::List(items) => steps.extend(items.iter().map(|item| Step::Into(*item))),
                ExprKind::Map(pairs) => steps.extend(pairs.iter().flat_map(|(k, v)| [Step::Into(*k), Step::Into(*v)])),
                ExprKind::Struct(fields) => steps.extend(fields.iter().map(|(_, value)| Step::Into(*value))),
                ExprKind::Call(call) => {
                    steps.extend(call.args.iter().map(|arg| Step::Into(*arg)));
                    if let Callee::Func(func) = &call.callee {
                        steps.push(Step::Into(*func));
                    }
                }
                ExprKind::Func(func) => {
                    self.params(&func.params);
                    steps.push(Step::Leave(&func.params));
                    steps.push(Step::Into(func.body));
                }
                ExprKind::If { cond, then, otherwise } => steps.extend([*cond, *then, *otherwise].map(Step::Into)),
                ExprKind::Except { main, fallback } => steps.extend([*main, *fallback].map(Step::Into)),
            }
        }
    }

    /// The statements that remain after repeatedly removing those without predecessors or successors.
    fn find_rings(&mut self, block: &Block, edges: &[(usize, usize, Span)]) {
        let n = block.stmts.len();
        let mut gone = vec![false; n];
        for forward in [true, false] {
            let ends = |edge: &(usize, usize, Span)| if forward { (edge.0, edge.1) } else { (edge.1, edge.0) };
            let mut waiting = vec![0usize; n];
            let mut next: Vec<Vec<usize>> = vec![Vec::new(); if edges.is_empty() { 0 } else { n }];
            for (from, to) in edges.iter().map(ends).filter(|(from, to)| !gone[*from] && !gone[*to]) {
                waiting[to] += 1;
                next[from].push(to);
            }
            let mut free: Vec<usize> = (0..n).filter(|at| !gone[*at] && waiting[*at] == 0).collect();
            while let Some(at) = free.pop() {
                gone[at] = true;
                for to in next.get(at).into_iter().flatten() {
                    waiting[*to] -= 1;
                    if waiting[*to] == 0 {
                        free.push(*to);
                    }
                }
            }
            if gone.iter().all(|gone| *gone) {
                return;
            }
        }
        self.broken.extend((0..n).filter(|at| !gone[*at]).map(|at| block.stmts[at].span));
        // Going back from any of them must lead around a ring.
        let mut back: Vec<Option<(usize, Span)>> = vec![None; n];
        for (from, to, span) in edges.iter().rev().filter(|edge| !gone[edge.0] && !gone[edge.1]) {
            back[*to] = Some((*from, *span));
        }
        let mut seen: Vec<usize> = Vec::new();
        let mut spans: Vec<Span> = Vec::new();
        let mut at = (0..n).find(|at| !gone[*at]).unwrap_or(0);
        let mut visited = vec![false; n];
        while !std::mem::replace(&mut visited[at], true) {
            let Some((from, span)) = back[at] else { return };
            seen.push(at);
            spans.push(span);
            at = from;
        }
        let start = seen.iter().position(|other| *other == at).unwrap_or(0);
        let mut ring = spans.split_off(start);
        sort::items(&mut ring);
        ring.dedup();
        self.rings.push(ring);
    }
}
