//! Checks that need only the tree: the init stage. Language spec, section 4.
//!
//! The walk is in source order, depth first; this is the order of the errors.

use super::{map_keys, refuse};
use crate::ast::{Block, Callee, ExprId, ExprKind, Half, Item, ItemKind, Resource, StmtId, StmtKind, Tree};
use crate::diag::{Diagnostic, Diags};
use crate::hir::{EdgeProperty, MetaProperty};
use crate::ident::Name;
use crate::source::Source;
use crate::span::Span;
use std::collections::BTreeMap;

pub(super) fn check(tree: &Tree, source: &Source, diags: &mut Diags) {
    Check { tree, source, diags }.block(&tree.root);
}

struct Check<'a> {
    tree: &'a Tree,
    source: &'a Source,
    diags: &'a mut Diags,
}

impl Check<'_> {
    fn refuse(&mut self, diagnostic: Diagnostic) {
        self.diags.push(diagnostic);
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|id| self.stmt(*id));
    }

    fn stmt(&mut self, id: StmtId) {
        let tree = self.tree;
        match &tree.stmts[id].kind {
            StmtKind::Bind { value, .. } => self.expr(*value),
            StmtKind::Panic { args } => self.all(args),
            StmtKind::Resource(resource) => self.resource(resource),
            StmtKind::Edge { halves } => halves.iter().for_each(|half| self.half(half)),
            StmtKind::If { cond, then, otherwise } => {
                self.expr(*cond);
                self.block(then);
                otherwise.iter().for_each(|block| self.block(block));
            }
            StmtKind::For { subject, body, .. } => {
                self.expr(*subject);
                self.block(body);
                self.imports_in_loop(body);
            }
            StmtKind::Func { func, .. } => self.expr(func.body),
            StmtKind::Class { body, .. } => self.block(body),
            StmtKind::Include { args, .. } => self.all(args.as_deref().unwrap_or_default()),
            StmtKind::Import { path, path_span, .. } => {
                if path.is_empty() {
                    self.refuse(refuse::empty_import(*path_span));
                }
            }
            StmtKind::Error => {}
        }
    }

    fn imports_in_loop(&mut self, body: &Block) {
        let is_import = |id: &&StmtId| matches!(self.tree.stmts[**id].kind, StmtKind::Import { .. });
        if let Some(import) = body.stmts.iter().find(is_import) {
            self.refuse(refuse::import_in_loop(self.tree.stmts[*import].span));
        }
    }

    fn resource(&mut self, resource: &Resource) {
        self.expr(resource.name);
        let mut fields: BTreeMap<&Name, Span> = BTreeMap::new();
        let mut metas: BTreeMap<&Name, Span> = BTreeMap::new();
        for item in &resource.items {
            match &item.kind {
                ItemKind::Field { name, .. } => {
                    if let Some(first) = fields.insert(name, item.name_span) {
                        self.refuse(refuse::duplicate_field(name, item.name_span, first));
                    }
                }
                ItemKind::Meta { property, .. } if **property != *"meta" => {
                    if let Some(first) = metas.insert(property, item.name_span) {
                        self.refuse(refuse::duplicate_meta(property, item.name_span, first));
                    } else if MetaProperty::named(property).is_none() {
                        self.refuse(refuse::unknown_meta(property, item.name_span));
                    }
                }
                ItemKind::Edge { property, .. } => {
                    if edge_property(property).is_none() {
                        self.refuse(refuse::unknown_edge_property(property, item.name_span));
                    }
                }
                ItemKind::Meta { .. } | ItemKind::MetaStruct { .. } => {}
            }
            self.item(item);
        }
    }

    /// The condition, then the value.
    fn item(&mut self, item: &Item) {
        item.cond.iter().for_each(|cond| self.expr(*cond));
        match &item.kind {
            ItemKind::Field { value, .. } | ItemKind::Meta { value, .. } | ItemKind::MetaStruct { value } => {
                self.expr(*value);
            }
            ItemKind::Edge { half, .. } => self.half(half),
        }
    }

    fn half(&mut self, half: &Half) {
        self.expr(half.name);
    }

    fn all(&mut self, exprs: &[ExprId]) {
        exprs.iter().for_each(|id| self.expr(*id));
    }

    fn expr(&mut self, id: ExprId) {
        let tree = self.tree;
        let expr = &tree.exprs[id];
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Str | ExprKind::Error => {}
            ExprKind::List(items) => self.all(items),
            ExprKind::Map(pairs) => {
                for pair in pairs {
                    self.expr(pair.key);
                    self.expr(pair.value);
                }
                map_keys::check(tree, self.source, pairs, self.diags);
            }
            ExprKind::Struct(fields) => {
                let mut seen: BTreeMap<&Name, Span> = BTreeMap::new();
                for field in fields {
                    if let Some(first) = seen.insert(&field.name, field.name_span) {
                        self.refuse(refuse::duplicate_struct_field(&field.name, field.name_span, first));
                    }
                    self.expr(field.value);
                }
            }
            ExprKind::Var(name) => {
                if name.contains("__") {
                    self.refuse(refuse::double_underscore(name, expr.span));
                }
            }
            ExprKind::Call { callee, args, .. } => {
                self.all(args);
                if let Callee::Literal(func) = callee {
                    self.expr(*func);
                }
            }
            ExprKind::Func(func) => self.expr(func.body),
            ExprKind::If { cond, then, otherwise, .. } => self.all(&[*cond, *then, *otherwise]),
            ExprKind::Binary { .. } => {
                let (first, links) = tree.chain(id);
                self.expr(first);
                links.iter().for_each(|link| self.expr(link.right));
            }
            ExprKind::Index { base, index } => self.all(&[*base, *index]),
            ExprKind::FieldOr { base, fallback, .. } => self.all(&[*base, *fallback]),
            ExprKind::Not { operand: inner, .. } | ExprKind::Field { base: inner, .. } | ExprKind::Paren(inner) => {
                self.expr(*inner);
            }
        }
    }
}

/// The edge of a word in the body of a resource.
pub(super) fn edge_property(word: &str) -> Option<EdgeProperty> {
    Some(match word {
        "before" => EdgeProperty::Before,
        "notify" => EdgeProperty::Notify,
        "depend" => EdgeProperty::Depend,
        "listen" => EdgeProperty::Listen,
        _ => return None,
    })
}
