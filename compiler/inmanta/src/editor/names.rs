//! [`Marks`]: which name stands where, and what it means.

use super::Own;
use crate::ast::{Arg, Definition, ExprId, ExprKind, Item, Path, StmtKind};
use crate::compile::Compilation;
use crate::define::{TypeLookup, find_type};
use crate::model::View;
use crate::program::{
    AttrId, Callee, Def, EntityId, FunctionId, ImplementationId, Meaning, NsId, Program, StmtMeaning, TypedefId, VarRef,
};
use crate::value::Value;
use mclive_base::ident::Name;
use mclive_base::span::{FileId, Span};
use mclive_ide::Position;
use std::collections::BTreeMap;

/// What a name means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    Entity(EntityId),
    Attr(AttrId),
    Typedef(TypedefId),
    Implementation(ImplementationId),
    Function(FunctionId),
    Namespace(NsId),
    /// A variable, by the place that assigns it first.
    Variable(Span),
}

/// A name in a text.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    pub(super) target: Target,
}

/// All names of a model's own files, by place.
#[derive(Default)]
pub(super) struct Marks {
    list: Vec<Mark>,
    /// The entity of what a variable holds, by its first assignment.
    entities: BTreeMap<Span, EntityId>,
    /// The name that is assigned, by the sign of the assignment.
    assigned: BTreeMap<Span, Span>,
}

impl Marks {
    pub(super) fn of(compilation: &Compilation, files: &[Option<Own>]) -> Marks {
        let assigned = compilation.program.tree.stmts.values().filter_map(|stmt| match &stmt.kind {
            StmtKind::Assign { target, .. } => Some((stmt.at, last_word(target))),
            _ => None,
        });
        let marks = Marks { assigned: assigned.collect(), ..Marks::default() };
        let mut finder = Finder { compilation, program: &compilation.program, blocks: Vec::new(), marks };
        for (nr, own) in files.iter().enumerate() {
            let Some(own) = own else { continue };
            if let Some(ns) = crate::manual::namespace_of(finder.program, FileId(nr as u32)) {
                finder.definitions(ns, own);
            }
        }
        // What a variable holds may be known only when the one before it is.
        finder.variables();
        finder.variables();
        finder.expressions(files);
        finder.marks.list.sort_by_key(|mark| (mark.span.file, mark.span.start, mark.span.end));
        finder.marks.list.dedup_by_key(|mark| mark.span);
        finder.marks
    }

    /// The name that a place is in or directly behind.
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

    /// Every place that means the same, its definition first.
    pub(super) fn uses(&self, target: &Target) -> Vec<Span> {
        self.list.iter().filter(|mark| mark.target == *target).map(|mark| mark.span).collect()
    }

    /// The name of a file's variable where it is assigned first; such places are told by the sign.
    pub(super) fn first(&self, signs: &[Span]) -> Option<Span> {
        signs.first().and_then(|sign| self.assigned.get(sign)).copied()
    }

    /// The entity of what is assigned here first.
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
    Span { start: path.span.end - path.name.len() as u32, ..path.span }
}

/// A block whose variables are its own: an implementation, or the top level of a file.
struct Block {
    span: Span,
    entity: Option<EntityId>,
    /// The first assignment of each name.
    vars: BTreeMap<Name, Span>,
}

struct Finder<'c> {
    compilation: &'c Compilation,
    program: &'c Program,
    /// Those of implementations; each is inside of one file.
    blocks: Vec<Block>,
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

    /// A type's name, with its namespace.
    fn path(&mut self, ns: NsId, path: &Path) -> Option<EntityId> {
        self.namespace(ns, path);
        let TypeLookup::Def(def) = find_type(self.program, ns, path).ok()? else { return None };
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
                    self.blocks.push(Block { span: def.span, entity, vars: BTreeMap::new() });
                }
                Definition::Implement(def) => {
                    let entity = self.path(ns, &def.entity);
                    for path in &def.implementations {
                        self.path(ns, path);
                    }
                    self.blocks.push(Block { span: def.span, entity, vars: BTreeMap::new() });
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

    fn block(&self, at: Span) -> Option<usize> {
        let holds =
            |block: &Block| block.span.file == at.file && block.span.start <= at.start && at.end <= block.span.end;
        self.blocks.iter().position(holds)
    }

    /// Which variables there are, and the entities of what they hold.
    fn variables(&mut self) {
        let program = self.program;
        for (id, stmt) in program.tree.stmts.iter() {
            let (name, span, value, is_element) = match &stmt.kind {
                StmtKind::Assign { target, value } => (&target.name, last_word(target), *value, false),
                StmtKind::For { var, var_span, iterable, .. } => (var, *var_span, *iterable, true),
                StmtKind::Set { .. } | StmtKind::If { .. } | StmtKind::Expr(_) => continue,
            };
            let global = match program.names.stmts.get(id) {
                Some(StmtMeaning::Target(VarRef::Global(ns, slot))) if !is_element => self.global(*ns, *slot),
                _ => None,
            };
            let first = match self.block(span) {
                Some(block) => *self.blocks[block].vars.entry(name.clone()).or_insert(span),
                None => global.unwrap_or(span),
            };
            if let Some(entity) = self.entity(value) {
                self.marks.entities.entry(first).or_insert(entity);
            }
        }
    }

    /// The first assignment of a file's variable.
    fn global(&self, ns: NsId, slot: u32) -> Option<Span> {
        self.marks.first(self.program.namespaces.get(ns)?.vars.get_index(slot as usize)?.1)
    }

    fn variable(&self, var: &VarRef, name: &Name, at: Span) -> Option<Target> {
        match var {
            VarRef::Global(ns, slot) => self.global(*ns, *slot).map(Target::Variable),
            VarRef::Local { .. } => match self.block(at) {
                Some(block) => self.blocks[block].vars.get(name).copied().map(Target::Variable),
                None => self.nearest(name, at).map(Target::Variable),
            },
            VarRef::OfSelf { name, otherwise } => {
                let entity = self.blocks.get(self.block(at)?)?.entity?;
                match self.program.slot(entity, name) {
                    Some((_, attr)) => Some(Target::Attr(attr)),
                    None => otherwise.and_then(|(ns, slot)| self.global(ns, slot)).map(Target::Variable),
                }
            }
            VarRef::SelfInstance | VarRef::Missing(_) => None,
        }
    }

    /// The loop variable or assignment of a block at the top level that comes last before a place.
    fn nearest(&self, name: &Name, at: Span) -> Option<Span> {
        let stmts = self.program.tree.stmts.values().filter_map(|stmt| match &stmt.kind {
            StmtKind::For { var, var_span, .. } if var == name => Some(*var_span),
            StmtKind::Assign { target, .. } if target.name == *name => Some(last_word(target)),
            _ => None,
        });
        stmts.filter(|span| span.file == at.file && span.start <= at.start).max_by_key(|span| span.start)
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
                    return self.blocks.get(self.block(span)?)?.entity;
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

    /// The entity of what a file's variable came to.
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
