//! [`Marks`]: the names in a text, and their meaning.

use super::Own;
use super::regions::Regions;
use crate::ast::{Arg, Definition, ExprId, ExprKind, Item, Path, StmtId, StmtKind};
use crate::compile::Compilation;
use crate::define::{TypeLookup, find_type};
use crate::fault::Sought;
use crate::model::View;
use crate::program::{
    AttrId, Callee, Def, EntityId, FunctionId, ImplementationId, Meaning, NsId, Program, StmtMeaning, TypedefId, VarRef,
};
use crate::value::Value;
use mclive_base::ident::Name;
use mclive_base::span::{FileId, Span};
use mclive_ide::Position;
use std::collections::BTreeMap;

/// The meaning of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Entity(EntityId),
    Attr(AttrId),
    Typedef(TypedefId),
    Implementation(ImplementationId),
    Function(FunctionId),
    Namespace(NsId),
    /// A variable, by its first assignment.
    Variable(Span),
}

/// A name in a text.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    pub(super) target: Target,
}

/// All names in a model's own files, by place.
#[derive(Default)]
pub(super) struct Marks {
    list: Vec<Mark>,
    /// The entity of a variable's value, by the variable's first assignment.
    entities: BTreeMap<Span, EntityId>,
    /// The assigned name, by the sign of the assignment.
    assigned: BTreeMap<Span, Span>,
    blocks: Regions<Block>,
}

impl Marks {
    pub(super) fn of(compilation: &Compilation, files: &[Option<Own>]) -> Marks {
        let assigned = compilation.program.tree.stmts.values().filter_map(|stmt| match &stmt.kind {
            StmtKind::Assign { target, .. } => Some((stmt.at, last_word(target))),
            _ => None,
        });
        let marks = Marks { assigned: assigned.collect(), ..Marks::default() };
        let program = &compilation.program;
        let mut finder = Finder { compilation, program, bodies: Vec::new(), blocks: Regions::default(), marks };
        for (nr, own) in files.iter().enumerate() {
            let Some(own) = own else { continue };
            if let Some(ns) = crate::manual::namespace_of(finder.program, FileId(nr as u32)) {
                finder.definitions(ns, own);
            }
        }
        finder.find_blocks(files);
        // The value of a variable may be known only after the one before it.
        finder.variables(files);
        finder.variables(files);
        finder.expressions(files);
        finder.marks.list.sort_by_key(|mark| (mark.span.file, mark.span.start, mark.span.end));
        finder.marks.list.dedup_by_key(|mark| mark.span);
        // A name written with escapes does not occur literally.
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b':');
        finder.marks.list.retain(|mark| compilation.sources.slice(mark.span).iter().all(is_name));
        Marks { blocks: finder.blocks, ..finder.marks }
    }

    /// The name that contains a position or ends there.
    pub(super) fn at(&self, at: Position) -> Option<&Mark> {
        let here =
            |mark: &&Mark| mark.span.file == at.file && mark.span.start <= at.offset && at.offset <= mark.span.end;
        self.list.iter().filter(here).max_by_key(|mark| mark.span.start)
    }

    /// The name at exactly this place.
    pub(super) fn starting(&self, file: FileId, start: u32) -> Option<&Mark> {
        let at = self.list.partition_point(|mark| (mark.span.file, mark.span.start) < (file, start));
        self.list.get(at).filter(|mark| mark.span.file == file && mark.span.start == start)
    }

    /// Every occurrence with the same meaning, its definition first.
    pub(super) fn uses(&self, target: &Target) -> Vec<Span> {
        self.list.iter().filter(|mark| mark.target == *target).map(|mark| mark.span).collect()
    }

    /// The name of a file's variable at its first assignment; such places are given by the sign.
    pub(super) fn first(&self, signs: &[Span]) -> Option<Span> {
        signs.first().and_then(|sign| self.assigned.get(sign)).copied()
    }

    /// The variables of the blocks around a place, innermost first, each with its declaration.
    pub(super) fn local(&self, at: Span) -> impl Iterator<Item = (&Name, Span)> {
        self.blocks.around(at).flat_map(|block| block.vars.iter().map(|(name, span)| (name, *span)))
    }

    /// The entity of the first value assigned here.
    pub(super) fn entity_of(&self, variable: Span) -> Option<EntityId> {
        self.entities.get(&variable).copied()
    }
}

/// Where a target is defined.
pub(super) fn definition(compilation: &Compilation, target: &Target) -> Option<Span> {
    let program = &compilation.program;
    match target {
        Target::Entity(id) => Some(program.entities[*id].name_span),
        Target::Attr(id) => Some(program.attrs[*id].span),
        Target::Typedef(id) => Some(program.typedefs[*id].name_span),
        Target::Implementation(id) => Some(program.implementations[*id].name_span),
        Target::Function(_) => None,
        Target::Namespace(id) => Some(Span::new(program.namespaces[*id].file, 0, 0)),
        Target::Variable(span) => Some(*span),
    }
}

/// The last word of a path.
fn last_word(path: &Path) -> Span {
    match path.namespace {
        // It may be written with escapes, in a string.
        None => path.span,
        Some(_) => Span { start: path.span.end - path.name.len() as u32, ..path.span },
    }
}

/// A region with its own variables: the body of an implementation, of a loop or a branch, or a comprehension.
#[derive(Default, Debug)]
struct Block {
    /// The entity of `self`.
    entity: Option<EntityId>,
    /// Variables by name, with their declarations.
    vars: BTreeMap<Name, Span>,
}

struct Finder<'c> {
    compilation: &'c Compilation,
    program: &'c Program,
    /// Regions where names refer to an instance: implementations and conditions of `implement`.
    bodies: Vec<(Span, Block)>,
    blocks: Regions<Block>,
    marks: Marks,
}

impl Finder<'_> {
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
    fn local(&self, name: &Name, at: Span) -> Option<Span> {
        self.blocks.around(at).find_map(|block| block.vars.get(name)).copied()
    }

    /// The entity of `self` at a place.
    fn entity_around(&self, at: Span) -> Option<EntityId> {
        self.blocks.around(at).find_map(|block| block.entity)
    }

    /// Finds the variables, and the entities of their values.
    fn variables(&mut self, files: &[Option<Own>]) {
        let program = self.program;
        let is_own = |span: Span| files.get(span.file.0 as usize).is_some_and(Option::is_some);
        for (id, stmt) in program.tree.stmts.iter() {
            let (first, value) = match &stmt.kind {
                StmtKind::Assign { target, value } => {
                    let span = last_word(target);
                    let global = match program.names.stmts.get(id) {
                        Some(StmtMeaning::Target(VarRef::Global(ns, slot))) => self.global(*ns, *slot),
                        _ => None,
                    };
                    (global.or_else(|| self.local(&target.name, span)).unwrap_or(span), *value)
                }
                StmtKind::For { var_span, iterable, .. } => (*var_span, *iterable),
                StmtKind::Set { .. } | StmtKind::If { .. } | StmtKind::Expr(_) => continue,
            };
            self.holds(first, value);
        }
        for expr in program.tree.exprs.values().filter(|expr| is_own(expr.span)) {
            let ExprKind::Comprehension { clauses, .. } = &expr.kind else { continue };
            clauses.iter().for_each(|clause| self.holds(clause.var_span, clause.iterable));
        }
    }

    /// A variable has this value, or an element of it.
    fn holds(&mut self, variable: Span, value: ExprId) {
        if let Some(entity) = self.entity(value) {
            self.marks.entities.entry(variable).or_insert(entity);
        }
    }

    /// The first assignment of a file's variable.
    fn global(&self, ns: NsId, slot: u32) -> Option<Span> {
        self.marks.first(self.program.namespaces.get(ns)?.vars.get_index(slot as usize)?.1)
    }

    fn variable(&self, var: &VarRef, name: &Name, at: Span) -> Option<Target> {
        match var {
            VarRef::Global(ns, slot) => self.global(*ns, *slot).map(Target::Variable),
            VarRef::Local { .. } => self.local(name, at).map(Target::Variable),
            VarRef::OfSelf { name, otherwise } => {
                let entity = self.entity_around(at)?;
                match self.program.slot(entity, name) {
                    Some((_, attr)) => Some(Target::Attr(attr)),
                    None => otherwise.and_then(|(ns, slot)| self.global(ns, slot)).map(Target::Variable),
                }
            }
            VarRef::SelfInstance | VarRef::Missing(_) => None,
        }
    }

    /// The entity of an expression's value, or of its elements.
    fn entity(&self, id: ExprId) -> Option<EntityId> {
        let program = self.program;
        let end = |attr: AttrId| program.end(attr).map(|end| end.target);
        match &program.tree.exprs.get(id)?.kind {
            ExprKind::Construct { .. } | ExprKind::IndexLookup { .. } => match program.names.exprs.get(id)? {
                Meaning::Class(entity) => Some(*entity),
                Meaning::None | Meaning::Var(_) | Meaning::Callee(_) => None,
            },
            ExprKind::Attr { base, name, .. } => end(program.slot(self.entity(*base)?, name)?.1),
            ExprKind::ShortLookup { base, relation, .. } => end(program.slot(self.entity(*base)?, relation)?.1),
            ExprKind::Conditional { then, otherwise, .. } => self.entity(*then).or_else(|| self.entity(*otherwise)),
            ExprKind::List(items) => items.first().and_then(|item| self.entity(*item)),
            ExprKind::Comprehension { value, .. } => self.entity(*value),
            ExprKind::Var(path) => {
                let Meaning::Var(var) = program.names.exprs.get(id)? else { return None };
                let span = last_word(path);
                if let VarRef::SelfInstance = var {
                    return self.entity_around(span);
                }
                match self.variable(var, &path.name, span)? {
                    Target::Attr(attr) => end(attr),
                    Target::Variable(first) => self.marks.entity_of(first).or_else(|| self.held(var)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The entity of the value of a file's variable.
    fn held(&self, var: &VarRef) -> Option<EntityId> {
        let VarRef::Global(ns, slot) = var else { return None };
        let first = self.compilation.globals.get(ns.0 as usize)?;
        let view = View { compilation: self.compilation };
        let value = view.value(crate::eval::VarId(first.0 + slot))?;
        match value.as_list().and_then(<[Value]>::first).unwrap_or(&value) {
            Value::Instance(instance) => Some(view.entity(*instance)),
            _ => None,
        }
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
