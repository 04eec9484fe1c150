//! The ordering graph of a block: the order in which the language visits statements, and the recursion it reports.
//! Language spec, 6.6 and 6.7.
//!
//! Only the order of errors depends on this, so it is computed only if there is more than one, and not for blocks whose
//! printed forms would be too long.

use crate::hir::{Block, Callee, ExprId, ExprKind, Item, ItemKind, Module, Param, Stmt, StmtKind, print};
use crate::scope::uses::{self, Uid};
use crate::sort;
use crate::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of bytes of all printed forms of one graph.
const MAX_TEXT: usize = 8 << 20;

/// Maximum height of an expression; only a chain of operators can exceed the parser's limit.
const MAX_HEIGHT: u32 = crate::parse::MAX_HEIGHT + 100;

/// The indices of a block's statements in visiting order. `None` if the block is too large, or recursive.
pub(super) fn of_block(module: &Module, block: &Block) -> Option<Vec<usize>> {
    let graph = Graph::of(module, block)?;
    let by_form = graph.by_form();
    let n = graph.forms.len();
    let mut next = graph.next(&by_form);
    let mut waiting = vec![0usize; n];
    next.iter().flatten().for_each(|to| waiting[*to as usize] += 1);
    let mut stack: Vec<u32> = by_form.into_iter().filter(|vertex| waiting[*vertex as usize] == 0).collect();
    let mut numbers: Vec<Option<usize>> = vec![None; n];
    graph.stmts.iter().enumerate().for_each(|(at, vertex)| numbers[*vertex as usize] = Some(at));
    let mut order = Vec::with_capacity(graph.stmts.len());
    while let Some(vertex) = stack.pop() {
        order.extend(numbers[vertex as usize]);
        for to in std::mem::take(&mut next[vertex as usize]) {
            waiting[to as usize] -= 1;
            if waiting[to as usize] == 0 {
                stack.push(to);
            }
        }
    }
    (order.len() == block.stmts.len()).then_some(order)
}

/// The uses that close the recursion found first, with their spans. `None` if there is none, or the block is too large.
pub(super) fn ring(module: &Module, block: &Block) -> Option<Vec<Span>> {
    let graph = Graph::of(module, block)?;
    let cycle = graph.first_cycle()?;
    let mut is_member = vec![false; graph.forms.len()];
    cycle.iter().for_each(|vertex| is_member[*vertex as usize] = true);
    let within = |from: u32, to: u32| from != to && is_member[from as usize] && is_member[to as usize];
    let produced = graph.produced.iter().filter(|(from, to)| within(*from, *to));
    let mut spans: Vec<Span> = produced.filter_map(|(_, to)| graph.spans[*to as usize]).collect();
    sort::items(&mut spans);
    spans.dedup();
    Some(spans)
}

/// Nodes of the tree, with edges from a definition to its users.
struct Graph<'m> {
    module: &'m Module,
    forms: Vec<String>,
    spans: Vec<Option<Span>>,
    edges: FxHashSet<(u32, u32)>,
    /// The edges from a definition of a block to a use.
    produced: FxHashSet<(u32, u32)>,
    /// The outermost block's statements.
    stmts: Vec<u32>,
    producers: FxHashMap<Uid<'m>, Vec<Producer>>,
    n_text: usize,
    height: u32,
}

#[derive(Clone, Copy)]
enum Producer {
    Stmt(u32),
    Param(u32),
}

/// The block is above the size limit.
struct TooLarge;

impl<'m> Graph<'m> {
    fn of(module: &'m Module, block: &'m Block) -> Option<Graph<'m>> {
        let mut graph = Graph {
            module,
            forms: Vec::new(),
            spans: Vec::new(),
            edges: FxHashSet::default(),
            produced: FxHashSet::default(),
            stmts: Vec::new(),
            producers: FxHashMap::default(),
            n_text: 0,
            height: 0,
        };
        let (_, stmts) = graph.block(block).ok()?;
        graph.stmts = stmts;
        Some(graph)
    }

    fn add(&mut self, form: String, span: Option<Span>) -> Result<u32, TooLarge> {
        self.n_text += form.len() + 16;
        if self.n_text > MAX_TEXT {
            return Err(TooLarge);
        }
        self.forms.push(form);
        self.spans.push(span);
        Ok(self.forms.len() as u32 - 1)
    }

    fn edge(&mut self, first: u32, then: u32) {
        self.edges.insert((first, then));
    }

    fn needs(&mut self, uid: Option<Uid<'m>>, vertex: u32) {
        let Some(uid) = uid else { return };
        match self.producers.get(&uid).and_then(|producers| producers.last()) {
            Some(Producer::Stmt(from)) => {
                self.produced.insert((*from, vertex));
                self.edges.insert((*from, vertex));
            }
            Some(Producer::Param(from)) => {
                self.edges.insert((*from, vertex));
            }
            None => {}
        }
    }

    fn params(&mut self, params: &'m [Param]) -> Result<(), TooLarge> {
        for param in params {
            let vertex = self.add(format!("param({})", param.name), None)?;
            self.producers.entry(Uid::Var(&param.name)).or_default().push(Producer::Param(vertex));
        }
        Ok(())
    }

    fn forget(&mut self, uid: Uid<'m>) {
        if let Some(producers) = self.producers.get_mut(&uid) {
            producers.pop();
        }
    }

    /// The block's vertex and those of its statements.
    fn block(&mut self, block: &'m Block) -> Result<(u32, Vec<u32>), TooLarge> {
        let prog = self.add("prog".to_owned(), None)?;
        let mut stmts = Vec::with_capacity(block.stmts.len());
        let mut own: FxHashSet<Uid<'m>> = FxHashSet::default();
        for stmt in &block.stmts {
            let vertex = self.add(print::stmt(self.module, stmt), Some(stmt.span))?;
            self.edge(vertex, prog);
            stmts.push(vertex);
            if let Some(uid) = uses::defines(stmt)
                && own.insert(uid)
            {
                self.producers.entry(uid).or_default().push(Producer::Stmt(vertex));
            }
        }
        for (stmt, vertex) in block.stmts.iter().zip(&stmts) {
            self.stmt(stmt, *vertex)?;
        }
        own.into_iter().for_each(|uid| self.forget(uid));
        Ok((prog, stmts))
    }

    fn child(&mut self, expr: ExprId, parent: u32) -> Result<u32, TooLarge> {
        if self.height == MAX_HEIGHT {
            return Err(TooLarge);
        }
        self.height += 1;
        let vertex = self.expr(expr, "func(")?;
        self.height -= 1;
        self.edge(vertex, parent);
        Ok(vertex)
    }

    fn stmt(&mut self, stmt: &'m Stmt, vertex: u32) -> Result<(), TooLarge> {
        match &stmt.kind {
            StmtKind::Bind(bind) => {
                self.child(bind.value, vertex)?;
            }
            StmtKind::Func { name, func, .. } => {
                let value = self.expr(*func, &format!("func:{name}("))?;
                self.edge(value, vertex);
            }
            StmtKind::Resource(resource) => {
                self.child(resource.name, vertex)?;
                for item in &resource.items {
                    self.item(item, vertex)?;
                }
                if let Some(call) = resource.collect {
                    let item = self.add(format!("rescollect({})", resource.kind), None)?;
                    self.edge(item, vertex);
                    self.child(call, item)?;
                }
            }
            StmtKind::Edge(edge) => {
                for half in &edge.halves {
                    self.child(half.name, vertex)?;
                }
            }
            StmtKind::If { cond, then, otherwise } => {
                let cond_vertex = self.child(*cond, vertex)?;
                // The resource of a `panic` has no block around it.
                let (mut branch, stmts) = self.block(then)?;
                if let ([only], [inner]) = (then.stmts.as_slice(), stmts.as_slice())
                    && only.span == self.module.exprs[*cond].span
                {
                    self.edges.remove(&(*inner, branch));
                    branch = *inner;
                }
                self.edge(branch, vertex);
                self.edge(cond_vertex, branch);
                if let Some(otherwise) = otherwise {
                    let (branch, _) = self.block(otherwise)?;
                    self.edge(branch, vertex);
                    self.edge(cond_vertex, branch);
                }
            }
            StmtKind::For(each) => {
                let subject = self.child(each.subject, vertex)?;
                let (body, _) = self.block(&each.body)?;
                self.edge(body, vertex);
                self.edge(subject, body);
            }
            StmtKind::Class(class) => {
                self.params(&class.params)?;
                let (body, _) = self.block(&class.body)?;
                self.edge(body, vertex);
                class.params.iter().for_each(|param| self.forget(Uid::Var(&param.name)));
            }
            StmtKind::Include(include) => {
                for arg in &include.args {
                    self.child(*arg, vertex)?;
                }
                self.needs(Some(uses::class(&include.class)), vertex);
            }
            StmtKind::Import(_) | StmtKind::Error => {}
        }
        Ok(())
    }

    fn item(&mut self, item: &'m Item, parent: u32) -> Result<(), TooLarge> {
        let vertex = self.add(print::item(&item.kind), Some(item.span))?;
        self.edge(vertex, parent);
        match &item.kind {
            ItemKind::Field { value, .. } | ItemKind::Meta { value, .. } | ItemKind::MetaStruct { value } => {
                self.child(*value, vertex)?;
            }
            ItemKind::Edge { half, .. } => {
                self.child(half.name, vertex)?;
            }
        }
        if let Some(cond) = item.cond {
            self.child(cond, vertex)?;
        }
        Ok(())
    }

    /// An expression with its parts; `func_word` begins the form of a function. Depth: [`MAX_HEIGHT`].
    fn expr(&mut self, id: ExprId, func_word: &str) -> Result<u32, TooLarge> {
        let expr = &self.module.exprs[id];
        let mut form = print::expr(self.module, id);
        if matches!(expr.kind, ExprKind::Func(_)) {
            form.replace_range(.."func(".len(), func_word);
        }
        let vertex = self.add(form, Some(expr.span))?;
        self.needs(uses::of_expr(&expr.kind), vertex);
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => {}
            ExprKind::Var(_) | ExprKind::Error => {}
            ExprKind::List(items) => {
                for item in items {
                    self.child(*item, vertex)?;
                }
            }
            ExprKind::Map(pairs) => {
                for (key, value) in pairs {
                    self.child(*key, vertex)?;
                    self.child(*value, vertex)?;
                }
            }
            ExprKind::Struct(fields) => {
                for (_, value) in fields {
                    self.child(*value, vertex)?;
                }
            }
            ExprKind::Call(call) => {
                for arg in &call.args {
                    self.child(*arg, vertex)?;
                }
                if let Callee::Func(func) = &call.callee {
                    self.child(*func, vertex)?;
                }
            }
            ExprKind::Func(func) => {
                self.params(&func.params)?;
                self.child(func.body, vertex)?;
                func.params.iter().for_each(|param| self.forget(Uid::Var(&param.name)));
            }
            ExprKind::If { cond, then, otherwise } => {
                let cond = self.child(*cond, vertex)?;
                for branch in [*then, *otherwise] {
                    let branch = self.child(branch, vertex)?;
                    self.edge(cond, branch);
                }
            }
            ExprKind::Except { main, fallback } => {
                self.child(*main, vertex)?;
                self.child(*fallback, vertex)?;
            }
        }
        Ok(vertex)
    }

    /// The vertices by their printed forms; of equal forms the earlier one in the source is first.
    fn by_form(&self) -> Vec<u32> {
        let mut vertices: Vec<u32> = (0..self.forms.len() as u32).collect();
        sort::by_key(&mut vertices, |vertex| self.forms[*vertex as usize].as_str());
        vertices
    }

    /// The neighbours of each vertex, in the order of [`Graph::by_form`].
    fn next(&self, by_form: &[u32]) -> Vec<Vec<u32>> {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.forms.len()];
        for (from, to) in &self.edges {
            before[*to as usize].push(*from);
        }
        // Handed out in this order, they need no sorting.
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); self.forms.len()];
        for to in by_form {
            for from in &before[*to as usize] {
                next[*from as usize].push(*to);
            }
        }
        next
    }

    /// The first edge that leads back, depth first, starting from each vertex by its printed form.
    fn first_cycle(&self) -> Option<Vec<u32>> {
        let starts = self.by_form();
        let next = self.next(&starts);
        let mut seen = vec![false; self.forms.len()];
        let mut on_path = vec![false; self.forms.len()];
        for start in starts {
            // Each vertex of the path, with the number of neighbours already visited.
            let mut path: Vec<(u32, usize)> = Vec::new();
            if !seen[start as usize] {
                seen[start as usize] = true;
                on_path[start as usize] = true;
                path.push((start, 0));
            }
            while let Some((vertex, visited)) = path.last_mut() {
                let vertex = *vertex;
                let Some(to) = next[vertex as usize].get(*visited).copied() else {
                    on_path[vertex as usize] = false;
                    path.pop();
                    continue;
                };
                *visited += 1;
                if on_path[to as usize] {
                    let from = path.iter().position(|(vertex, _)| *vertex == to)?;
                    return Some(path[from..].iter().map(|(vertex, _)| *vertex).collect());
                }
                if !seen[to as usize] {
                    seen[to as usize] = true;
                    on_path[to as usize] = true;
                    path.push((to, 0));
                }
            }
        }
        None
    }
}
