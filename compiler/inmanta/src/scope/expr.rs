//! Names in expressions. Spec, 4.3.

use super::block::Block;
use super::construct::Hint;
use super::{Resolved, Resolver};
use crate::ast::{Arg, ExprId, ExprKind, Path};
use crate::define::{TypeLookup, find_type};
use crate::fault::{Class, Failure, Fault, Location, Missing, Sought, Within};
use crate::program::{Callee, Def, EntityId, Meaning, Primitive, VarRef};
use mclive_base::ident::Name;

impl Resolver<'_> {
    pub(super) fn expr(&mut self, id: ExprId, hint: Hint) -> Resolved<()> {
        let tree = self.tree;
        let node = &tree.exprs[id];
        match &node.kind {
            ExprKind::Literal(_) | ExprKind::Regex(_) => Ok(()),
            ExprKind::Var(path) => {
                let meaning = match &path.namespace {
                    Some(namespace) => self.qualified(namespace, &path.name, path)?,
                    None => self.variable(&path.name).0,
                };
                self.program.names.exprs[id] = Meaning::Var(meaning);
                Ok(())
            }
            ExprKind::Construct { class, args } => self.construct(id, class, args, hint),
            ExprKind::IndexLookup { class, args } => {
                let entity = self.entity(class)?;
                self.program.names.exprs[id] = Meaning::Class(entity);
                self.no_double_key(id, args)?;
                self.args(args)
            }
            ExprKind::ShortLookup { base, args, .. } => {
                self.expr(*base, Hint::none())?;
                self.no_double_key(id, args)?;
                self.args(args)
            }
            ExprKind::Call { function, args } => {
                self.callee(id, function)?;
                self.args(args)
            }
            ExprKind::List(items) => items.iter().try_for_each(|item| self.expr(*item, hint.clone())),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.expr(*condition, Hint::none())?;
                self.expr(*then, hint.clone())?;
                self.expr(*otherwise, hint)
            }
            ExprKind::Comprehension { value, clauses, guard } => {
                for clause in clauses {
                    self.expr(clause.iterable, Hint::none())?;
                    self.open(Block::of_clause(&clause.var));
                }
                if let Some(guard) = guard {
                    self.expr(*guard, Hint::none())?;
                }
                self.expr(*value, hint)?;
                clauses.iter().for_each(|_| {
                    self.close();
                });
                Ok(())
            }
            kind => {
                let mut children = Vec::new();
                kind.for_each_child(|child| children.push(child));
                children.into_iter().try_for_each(|child| self.expr(child, Hint::none()))
            }
        }
    }

    fn args(&mut self, args: &[Arg]) -> Resolved<()> {
        args.iter().try_for_each(|arg| self.expr(arg.value(), Hint::none()))
    }

    /// The variable `p::v`; the namespace must be visible.
    pub(super) fn qualified(&self, namespace: &Name, name: &Name, path: &Path) -> Resolved<VarRef> {
        let Some(ns) = self.program.namespaces[self.ns].visible.get(namespace).copied() else {
            let message = format!("Namespace {namespace} not found.\nTry importing it with `import {namespace}`");
            return Err(Fault::new(Class::NotFound, message)
                .missing(Missing::Import(self.ns, namespace.clone()))
                .within(Within::Text(path.text()))
                .at(Location::Column(path.span)));
        };
        Ok(match self.global(ns, name) {
            Some((ns, slot)) => VarRef::Global(ns, slot),
            None => VarRef::Missing(path.text().as_str().into()),
        })
    }

    fn find(&self, path: &Path, sought: Sought) -> Result<TypeLookup, Failure> {
        find_type(self.program, self.ns, path, sought)
    }

    pub(super) fn entity(&self, path: &Path) -> Resolved<EntityId> {
        match self.find(path, Sought::Entity)? {
            TypeLookup::Def(Def::Entity(entity)) => Ok(entity),
            TypeLookup::Def(_) | TypeLookup::Primitive(_) => {
                let message = format!("{} is not an entity", path.text());
                Err(Fault::new(Class::Typing, message).at(Location::Column(path.span)))
            }
        }
    }

    pub(super) fn callee(&mut self, id: ExprId, function: &Path) -> Resolved<()> {
        let callee = match self.find(function, Sought::Function)? {
            TypeLookup::Def(Def::Function(function)) => {
                if self.program.functions[function].looks_up_names {
                    let scopes = self.blocks.iter().filter_map(Block::frame_vars).collect();
                    self.program.names.scopes.insert(id, scopes);
                }
                Callee::Function(function)
            }
            TypeLookup::Primitive(primitive) if !matches!(primitive, Primitive::List | Primitive::Dict) => {
                self.uses_number |= primitive == Primitive::Number;
                Callee::Cast(primitive)
            }
            TypeLookup::Def(_) | TypeLookup::Primitive(_) => {
                let message =
                    format!("Can not call '{}', can only call plugin or primitive type cast", function.text());
                return Err(Fault::new(Class::Runtime, message)
                    .within(Within::Expr(id))
                    .at(Location::Column(function.span)));
            }
        };
        self.program.names.exprs[id] = Meaning::Callee(callee);
        Ok(())
    }

    fn no_double_key(&self, id: ExprId, args: &[Arg]) -> Resolved<()> {
        let mut seen = std::collections::BTreeSet::new();
        for arg in args {
            if let Arg::Named { name, .. } = arg
                && !seen.insert(name)
            {
                return Err(Fault::new(Class::Runtime, format!("Attribute {name} provided twice in index lookup"))
                    .within(Within::Expr(id))
                    .at(Location::Line(self.tree.exprs[id].at)));
            }
        }
        Ok(())
    }
}
