//! The entities of values, as far as the text or the evaluated model tells them.

use super::find::Finder;
use super::{Target, last_word};
use crate::ast::{ExprId, ExprKind, StmtKind};
use crate::editor::Own;
use crate::model::View;
use crate::program::{AttrId, EntityId, Meaning, NsId, StmtMeaning, VarRef};
use crate::value::Value;
use mclive_base::ident::Name;
use mclive_base::span::Span;

impl Finder<'_> {
    /// Finds the variables, and the entities of their values.
    pub(super) fn variables(&mut self, files: &[Option<Own>]) {
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

    pub(super) fn variable(&self, var: &VarRef, name: &Name, at: Span) -> Option<Target> {
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
    pub(super) fn entity(&self, id: ExprId) -> Option<EntityId> {
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
}
