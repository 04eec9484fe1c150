//! The names that statements define and nodes need, for ordering statements. Language spec, 6.4 and 6.6.

use crate::hir::{Alias, Callee, ExprKind, Stmt, StmtKind};
use crate::ident::Name;

/// A name with its namespace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Uid<'m> {
    Var(&'m str),
    Func(&'m str),
    Class(&'m str),
    /// The alias of an import or include, in any namespace.
    Scoped(&'m str),
}

impl Uid<'_> {
    /// The form shown in messages.
    pub(super) fn shown(self) -> String {
        match self {
            Uid::Var(name) => format!("variable `${name}`"),
            Uid::Func(name) => format!("function `{name}`"),
            Uid::Class(name) => format!("class `{name}`"),
            Uid::Scoped(name) => format!("alias `{name}`"),
        }
    }
}

/// The name that a statement defines for its block.
pub(super) fn defines(stmt: &Stmt) -> Option<Uid<'_>> {
    match &stmt.kind {
        StmtKind::Bind(bind) => Some(Uid::Var(&bind.name)),
        StmtKind::Func { name, .. } => Some(Uid::Func(name)),
        StmtKind::Class(class) => Some(Uid::Class(&class.name)),
        StmtKind::Include(include) => include.alias.as_deref().map(Uid::Scoped),
        StmtKind::Import(import) => match &import.alias {
            // The string itself, not the alias derived from it.
            Alias::Default => Some(Uid::Scoped(&import.path)),
            Alias::Name(alias) => Some(Uid::Scoped(alias)),
            Alias::Star => None,
        },
        StmtKind::Resource(_) | StmtKind::Edge(_) | StmtKind::If { .. } | StmtKind::For(_) | StmtKind::Error => None,
    }
}

/// The name that an expression needs, without its parts.
pub(super) fn of_expr(kind: &ExprKind) -> Option<Uid<'_>> {
    match kind {
        ExprKind::Var(name) => Some(dotted(name, Uid::Var)),
        ExprKind::Call(call) => match &call.callee {
            Callee::Hidden(_) | Callee::Func(_) => None,
            Callee::Named(name) => Some(dotted(name, Uid::Func)),
            Callee::Var(name) => Some(dotted(name, Uid::Var)),
        },
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str(_) => None,
        ExprKind::List(_) | ExprKind::Map(_) | ExprKind::Struct(_) | ExprKind::Func(_) => None,
        ExprKind::If { .. } | ExprKind::Except { .. } | ExprKind::Error => None,
    }
}

/// The name that an include needs, without its arguments.
pub(super) fn class(name: &Name) -> Uid<'_> {
    dotted(name, Uid::Class)
}

fn dotted<'m>(name: &'m Name, plain: fn(&'m str) -> Uid<'m>) -> Uid<'m> {
    match name.split_once('.') {
        Some((first, _)) => Uid::Scoped(first),
        None => plain(name),
    }
}
