//! [`Finder`]: goes through the definitions, expressions and statements of a model for the names in them.

use super::{Block, Mark, Marks, Target, last_word};
use crate::ast::{Arg, Definition, ExprKind, Item, Path, StmtId, StmtKind};
use crate::compile::Compilation;
use crate::define::{TypeLookup, find_type};
use crate::editor::Own;
use crate::editor::regions::Regions;
use crate::fault::Sought;
use crate::program::{Callee, Def, EntityId, Meaning, NsId, Program, StmtMeaning};
use mclive_base::ident::Name;
use mclive_base::span::{FileId, Span};
use std::collections::BTreeMap;

pub(super) struct Finder<'c> {
    pub(super) compilation: &'c Compilation,
    pub(super) program: &'c Program,
    /// Regions where names refer to an instance: implementations and conditions of `implement`.
    bodies: Vec<(Span, Block)>,
    blocks: Regions<Block>,
    pub(super) marks: Marks,
}

impl<'c> Finder<'c> {
    pub(super) fn new(compilation: &'c Compilation) -> Finder<'c> {
        let assigned = compilation.program.tree.stmts.values().filter_map(|stmt| match &stmt.kind {
            StmtKind::Assign { target, .. } => Some((stmt.at, last_word(target))),
            _ => None,
        });
        let marks = Marks { assigned: assigned.collect(), ..Marks::default() };
        let program = &compilation.program;
        Finder { compilation, program, bodies: Vec::new(), blocks: Regions::default(), marks }
    }
}

impl Finder<'_> {
    pub(super) fn marks(mut self, files: &[Option<Own>]) -> Marks {
        for (nr, own) in files.iter().enumerate() {
            let Some(own) = own else { continue };
            if let Some(ns) = crate::manual::namespace_of(self.program, FileId(nr as u32)) {
                self.definitions(ns, own);
            }
        }
        self.find_blocks(files);
        // The value of a variable may be known only after the one before it.
        self.variables(files);
        self.variables(files);
        self.expressions(files);
        self.marks.list.sort_by_key(|mark| (mark.span.file, mark.span.start, mark.span.end));
        self.marks.list.dedup_by_key(|mark| mark.span);
        // A name written with escapes does not occur literally.
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':');
        let sources = &self.compilation.sources;
        self.marks.list.retain(|mark| sources.slice(mark.span).iter().all(is_name));
        Marks { blocks: self.blocks, ..self.marks }
    }

    fn mark(&mut self, span: Span, target: Target) {
        self.marks.list.push(Mark { span, target });
    }

    fn attr(&mut self, entity: EntityId, name: &str, span: Span) {
        if let Some((_, attr)) = self.program.slot(entity, name) {
            self.mark(span, Target::Attr(attr));
        }
    }

    /// The name of a type, with its namespace.
    fn path(&mut self, ns: NsId, path: &Path) -> Option<EntityId> {
        self.namespace(ns, path);
        let TypeLookup::Def(def) = find_type(self.program, ns, path, Sought::Type).ok()? else { return None };
        let target = match def {
            Def::Entity(id) => Target::Entity(id),
            Def::Typedef(id) => Target::Typedef(id),
            Def::Implementation(id) => Target::Implementation(id),
            Def::Function(id) => Target::Function(id),
        };
        self.mark(last_word(path), target);
        if let Def::Entity(id) = def { Some(id) } else { None }
    }

    fn namespace(&mut self, ns: NsId, path: &Path) {
        let Some(qualifier) = &path.namespace else { return };
        let found = self.program.namespaces.get(ns).and_then(|here| here.visible.get(qualifier));
        if let Some(target) = found {
            let span = Span { end: path.span.start + qualifier.len() as u32, ..path.span };
            self.mark(span, Target::Namespace(*target));
        }
    }

    fn definitions(&mut self, ns: NsId, own: &Own) {
        for item in &own.tree.items {
            let Item::Define(definition) = item else { continue };
            match definition {
                Definition::Import(def) => {
                    if let Some(target) = self.program.by_name.get(&*def.module) {
                        self.mark(def.module_span, Target::Namespace(*target));
                    }
                }
                Definition::Entity(def) => {
                    let here = Path { namespace: None, name: def.name.clone(), span: def.name_span };
                    let entity = self.path(ns, &here);
                    for parent in &def.parents {
                        self.path(ns, parent);
                    }
                    for attribute in &def.attributes {
                        self.path(ns, &attribute.ty.path);
                        if let Some(entity) = entity {
                            self.attr(entity, &attribute.name, attribute.name_span);
                        }
                    }
                }
                Definition::Implementation(def) => {
                    let here = Path { namespace: None, name: def.name.clone(), span: def.name_span };
                    self.path(ns, &here);
                    let entity = self.path(ns, &def.entity);
                    let vars = self.declared(&def.body);
                    self.bodies.push((def.span, Block { entity, vars }));
                }
                Definition::Implement(def) => {
                    let entity = self.path(ns, &def.entity);
                    for path in &def.implementations {
                        self.path(ns, path);
                    }
                    self.bodies.push((def.span, Block { entity, vars: BTreeMap::new() }));
                }
                Definition::Relation(def) => {
                    let (left, right) = (self.path(ns, &def.left), self.path(ns, &def.right));
                    if let Some(left) = left {
                        self.attr(left, &def.left_end.name, def.left_end.name_span);
                    }
                    if let (Some(right), Some(end)) = (right, &def.right_end) {
                        self.attr(right, &end.name, end.name_span);
                    }
                }
                Definition::Typedef(def) => {
                    let here = Path { namespace: None, name: def.name.clone(), span: def.name_span };
                    self.path(ns, &here);
                    self.path(ns, &def.base);
                }
                Definition::Index(def) => {
                    if let Some(entity) = self.path(ns, &def.entity) {
                        def.attributes.iter().for_each(|(name, span)| self.attr(entity, name, *span));
                    }
                }
            }
        }
    }

    /// The variables declared by these statements, each with the first assigned name.
    fn declared(&self, body: &[StmtId]) -> BTreeMap<Name, Span> {
        let mut vars = BTreeMap::new();
        for stmt in body {
            if let StmtKind::Assign { target, .. } = &self.program.tree.stmts[*stmt].kind
                && target.namespace.is_none()
            {
                vars.entry(target.name.clone()).or_insert_with(|| last_word(target));
            }
        }
        vars
    }

    fn find_blocks(&mut self, files: &[Option<Own>]) {
        let tree = &self.program.tree;
        let is_own = |span: Span| files.get(span.file.0 as usize).is_some_and(Option::is_some);
        let mut found = std::mem::take(&mut self.bodies);
        let mut body_of = |body: &[StmtId], of_loop: Option<(&Name, Span)>| {
            let (Some(first), Some(last)) = (body.first(), body.last()) else { return };
            let mut vars = self.declared(body);
            vars.extend(of_loop.map(|(name, span)| (name.clone(), span)));
            let span = tree.stmts[*first].span.to(tree.stmts[*last].span);
            found.push((span, Block { entity: None, vars }));
        };
        for stmt in tree.stmts.values().filter(|stmt| is_own(stmt.span)) {
            match &stmt.kind {
                StmtKind::For { var, var_span, body, .. } => body_of(body, Some((var, *var_span))),
                StmtKind::If { then, otherwise, .. } => {
                    body_of(then, None);
                    body_of(otherwise, None);
                }
                StmtKind::Assign { .. } | StmtKind::Set { .. } | StmtKind::Expr(_) => {}
            }
        }
        for expr in tree.exprs.values().filter(|expr| is_own(expr.span)) {
            let ExprKind::Comprehension { value, clauses, guard } = &expr.kind else { continue };
            // Each part sees the variables of the clauses before it, the value and the guard those of all.
            let mut vars = BTreeMap::new();
            for clause in clauses {
                found.push((tree.exprs[clause.iterable].span, Block { entity: None, vars: vars.clone() }));
                vars.insert(clause.var.clone(), clause.var_span);
            }
            for part in std::iter::once(value).chain(guard) {
                found.push((tree.exprs[*part].span, Block { entity: None, vars: vars.clone() }));
            }
        }
        self.blocks = Regions::of(found);
    }

    /// The declaration of a name in the blocks around a place.
    pub(super) fn local(&self, name: &Name, at: Span) -> Option<Span> {
        self.blocks.around(at).find_map(|block| block.vars.get(name)).copied()
    }

    /// The entity of `self` at a place.
    pub(super) fn entity_around(&self, at: Span) -> Option<EntityId> {
        self.blocks.around(at).find_map(|block| block.entity)
    }

    fn expressions(&mut self, files: &[Option<Own>]) {
        let program = self.program;
        let is_own = |span: Span| files.get(span.file.0 as usize).is_some_and(Option::is_some);
        for (id, expr) in program.tree.exprs.iter().filter(|(_, expr)| is_own(expr.span)) {
            let meaning = program.names.exprs.get(id);
            let ns = crate::manual::namespace_of(program, expr.span.file);
            match &expr.kind {
                ExprKind::Var(path) => {
                    ns.into_iter().for_each(|ns| self.namespace(ns, path));
                    let span = last_word(path);
                    if let Some(Meaning::Var(var)) = meaning
                        && let Some(target) = self.variable(var, &path.name, span)
                    {
                        self.mark(span, target);
                    }
                }
                ExprKind::Attr { base, name, name_span } => {
                    if let Some(entity) = self.entity(*base) {
                        self.attr(entity, name, *name_span);
                    }
                }
                ExprKind::Construct { class, args } | ExprKind::IndexLookup { class, args } => {
                    ns.into_iter().for_each(|ns| self.namespace(ns, class));
                    if let Some(Meaning::Class(entity)) = meaning {
                        self.mark(last_word(class), Target::Entity(*entity));
                        self.args(*entity, args);
                    }
                }
                ExprKind::ShortLookup { base, relation, relation_span, args } => {
                    if let Some(entity) = self.entity(*base) {
                        self.attr(entity, relation, *relation_span);
                    }
                    if let Some(entity) = self.entity(id) {
                        self.args(entity, args);
                    }
                }
                ExprKind::Comprehension { clauses, .. } => {
                    for clause in clauses {
                        self.mark(clause.var_span, Target::Variable(clause.var_span));
                    }
                }
                ExprKind::Call { function, .. } => {
                    ns.into_iter().for_each(|ns| self.namespace(ns, function));
                    if let Some(Meaning::Callee(Callee::Function(target))) = meaning {
                        self.mark(last_word(function), Target::Function(*target));
                    }
                }
                _ => {}
            }
        }
        for (id, stmt) in program.tree.stmts.iter().filter(|(_, stmt)| is_own(stmt.span)) {
            match &stmt.kind {
                StmtKind::Assign { target, .. } => {
                    let span = last_word(target);
                    if let Some(StmtMeaning::Target(var)) = program.names.stmts.get(id)
                        && let Some(found) = self.variable(var, &target.name, span)
                    {
                        self.mark(span, found);
                    }
                }
                StmtKind::Set { base, name, name_span, .. } => {
                    if let Some(entity) = self.entity(*base) {
                        self.attr(entity, name, *name_span);
                    }
                }
                StmtKind::For { var_span, .. } => self.mark(*var_span, Target::Variable(*var_span)),
                StmtKind::If { .. } | StmtKind::Expr(_) => {}
            }
        }
    }

    fn args(&mut self, entity: EntityId, args: &[Arg]) {
        for arg in args {
            if let Arg::Named { name, span, .. } = arg {
                self.attr(entity, name, *span);
            }
        }
    }
}
