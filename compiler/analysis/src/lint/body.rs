//! [`Body`]: the literals of a resource, as far as a lint can read them without evaluating anything.

use crate::hir::{Block, Expr, ExprId, ExprKind, Item, ItemKind, Module, Resource, StmtKind};
use crate::span::Span;

/// A resource with its literals.
#[derive(Clone, Copy)]
pub(super) struct Body<'m> {
    module: &'m Module,
    pub(super) resource: &'m Resource,
}

impl<'m> Body<'m> {
    /// The resources directly in a block, without those that are collected.
    pub(super) fn all(module: &'m Module, block: &'m Block) -> impl Iterator<Item = Body<'m>> {
        block.stmts.iter().filter_map(move |stmt| match &stmt.kind {
            StmtKind::Resource(resource) if resource.collect.is_none() => Some(Body { module, resource }),
            _ => None,
        })
    }

    pub(super) fn item(self, wanted: &str) -> Option<&'m Item> {
        let is_wanted = |item: &&Item| matches!(&item.kind, ItemKind::Field { name, .. } if **name == *wanted);
        self.resource.items.iter().find(is_wanted)
    }

    /// The value of a field that is set unconditionally.
    pub(super) fn value(self, item: &'m Item) -> Option<&'m Expr> {
        match item.kind {
            ItemKind::Field { value, .. } if item.cond.is_none() => Some(&self.module.exprs[value]),
            _ => None,
        }
    }

    /// A literal string and its span.
    pub(super) fn text(self, field: &str) -> Option<(&'m str, Span)> {
        literal(self.value(self.item(field)?)?)
    }

    /// The elements of a literal list, with their spans; `None` for those that are not literal strings.
    pub(super) fn texts(self, field: &str) -> Option<Vec<Option<(&'m str, Span)>>> {
        let ExprKind::List(elements) = &self.value(self.item(field)?)?.kind else { return None };
        Some(elements.iter().map(|element| literal(&self.module.exprs[*element])).collect())
    }

    pub(super) fn bool(self, field: &str) -> Option<bool> {
        match self.value(self.item(field)?)?.kind {
            ExprKind::Bool(value) => Some(value),
            _ => None,
        }
    }

    pub(super) fn name(self) -> Option<(&'m str, Span)> {
        literal(&self.module.exprs[self.resource.name])
    }

    pub(super) fn name_span(self) -> Span {
        let name: ExprId = self.resource.name;
        self.module.exprs[name].span
    }

    /// The path of a file of which nothing else is declared.
    pub(super) fn path(self) -> Option<&'m str> {
        let is_elsewhere = ["path", "dirname", "basename"].iter().any(|field| self.item(field).is_some());
        self.name().filter(|_| !is_elsewhere).map(|(path, _)| path)
    }

    /// A file that exists and cannot be a directory.
    pub(super) fn plain_file(self) -> Option<(&'m str, Span)> {
        let is_there = &*self.resource.kind == "file" && self.text("state").is_some_and(|(state, _)| state == "exists");
        let path = self.path().filter(|path| is_there && path.len() > 1 && !path.ends_with('/'))?;
        self.item("symlink").is_none().then_some((path, self.name_span()))
    }
}

fn literal(expr: &Expr) -> Option<(&str, Span)> {
    match &expr.kind {
        ExprKind::Str(text) => Some((std::str::from_utf8(text).ok()?, expr.span)),
        _ => None,
    }
}
