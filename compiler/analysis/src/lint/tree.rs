//! Lints of single statements: edges that only order, constant conditions, kinds that cannot be applied and fields
//! without effect.

use super::words;
use crate::diag::Diagnostic;
use crate::hir::{Block, Callee, EdgeProperty, Expr, ExprId, ExprKind, Item, ItemKind, Module, Resource, StmtKind};
use crate::kinds;
use crate::span::Span;

pub(super) fn find(module: &Module, found: &mut Vec<Diagnostic>) {
    let mut finder = Finder { module, found };
    finder.block(&module.root);
    for (_, expr) in module.exprs.iter() {
        if let ExprKind::If { cond, .. } = &expr.kind {
            finder.condition(*cond);
        }
    }
}

struct Finder<'m, 'f> {
    module: &'m Module,
    found: &'f mut Vec<Diagnostic>,
}

impl<'m> Finder<'m, '_> {
    fn block(&mut self, block: &'m Block) {
        for stmt in &block.stmts {
            if let StmtKind::Resource(resource) = &stmt.kind {
                self.resource(resource);
            }
            if let StmtKind::If { cond, .. } = &stmt.kind {
                self.condition(*cond);
            }
            stmt.kind.blocks().for_each(|block| self.block(block));
        }
    }

    fn resource(&mut self, resource: &'m Resource) {
        if kinds::lookup(&resource.kind).is_none() {
            return;
        }
        for item in &resource.items {
            item.cond.into_iter().for_each(|cond| self.condition(cond));
            if let ItemKind::Edge { property, half } = &item.kind {
                let notified = match property {
                    EdgeProperty::Notify => &half.kind,
                    EdgeProperty::Listen => &resource.kind,
                    EdgeProperty::Before | EdgeProperty::Depend => continue,
                };
                if kinds::lookup(notified).is_some_and(|kind| !kind.decl().traits.refreshable) {
                    self.found.push(words::ignored_notification(notified, item.name_span));
                }
            }
        }
        self.fields(resource);
    }

    fn fields(&mut self, resource: &'m Resource) {
        for (field, why) in unsupported(&resource.kind) {
            // Switched off, it says what is the case.
            if let Some(item) = self.field(resource, field).filter(|item| !self.is_off(item)) {
                self.found.push(words::unsupported_field(&resource.kind, field, why, item.name_span));
            }
        }
        let Some((because, ignored)) = effects(&resource.kind).iter().find_map(|rule| {
            let item = self.field(resource, rule.field)?;
            let ItemKind::Field { value, .. } = &item.kind else { return None };
            let text = self.text(*value)?;
            (text == rule.value.as_bytes() && item.cond.is_none()).then_some((item, rule))
        }) else {
            return;
        };
        for field in ignored.ignores {
            if let Some(item) = self.field(resource, field) {
                let why = format!("because of `{}`", ignored.value);
                let (span, first) = (item.name_span, because.name_span);
                self.found.push(words::conflicting_fields(&resource.kind, field, &why, span, first));
            }
        }
    }

    fn field(&self, resource: &'m Resource, wanted: &str) -> Option<&'m Item> {
        let is_wanted = |item: &&Item| matches!(&item.kind, ItemKind::Field { name, .. } if **name == *wanted);
        resource.items.iter().find(is_wanted)
    }

    /// Whether the value of a field is a literal `false`.
    fn is_off(&self, item: &Item) -> bool {
        let is_false = |value: ExprId| matches!(self.module.exprs[value].kind, ExprKind::Bool(false));
        matches!(&item.kind, ItemKind::Field { value, .. } if is_false(*value))
    }

    fn text(&self, value: ExprId) -> Option<&'m [u8]> {
        match &self.module.exprs[value].kind {
            ExprKind::Str(text) => Some(text),
            _ => None,
        }
    }

    fn condition(&mut self, cond: ExprId) {
        if let Some(value) = self.constant(cond, MAX_DEPTH) {
            let span: Span = self.module.exprs[cond].span;
            self.found.push(words::constant_condition(value, span));
        }
    }

    /// The value of a condition that contains only literals.
    fn constant(&self, cond: ExprId, depth: usize) -> Option<bool> {
        let Expr { kind, .. } = &self.module.exprs[cond];
        let depth = depth.checked_sub(1)?;
        match kind {
            ExprKind::Bool(value) => Some(*value),
            ExprKind::Call(call) if matches!(call.callee, Callee::Hidden("_operator")) => {
                let op = self.text(*call.args.first()?)?;
                let operands: Vec<ExprId> = call.args[1..].to_vec();
                let value = |at: usize| self.constant(*operands.get(at)?, depth);
                match op {
                    b"not" => value(0).map(|value| !value),
                    b"and" => match (value(0), value(1)) {
                        (Some(false), _) | (_, Some(false)) => Some(false),
                        (Some(true), Some(true)) => Some(true),
                        _ => None,
                    },
                    b"or" => match (value(0), value(1)) {
                        (Some(true), _) | (_, Some(true)) => Some(true),
                        (Some(false), Some(false)) => Some(false),
                        _ => None,
                    },
                    b"==" => self.equal(*operands.first()?, *operands.get(1)?),
                    b"!=" => self.equal(*operands.first()?, *operands.get(1)?).map(|equal| !equal),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether two literals, or two uses of one variable, are equal.
    fn equal(&self, one: ExprId, other: ExprId) -> Option<bool> {
        match (&self.module.exprs[one].kind, &self.module.exprs[other].kind) {
            (ExprKind::Bool(one), ExprKind::Bool(other)) => Some(one == other),
            (ExprKind::Int(one), ExprKind::Int(other)) => Some(one == other),
            (ExprKind::Str(one), ExprKind::Str(other)) => Some(one == other),
            (ExprKind::Var(one), ExprKind::Var(other)) if one == other => Some(true),
            _ => None,
        }
    }
}

/// Maximum depth to which a condition is analysed.
const MAX_DEPTH: usize = 50;

/// A field value that makes other fields ineffective.
struct Effect {
    field: &'static str,
    value: &'static str,
    ignores: &'static [&'static str],
}

/// Fields that are accepted although no host can carry them out, and why it cannot.
fn unsupported(kind: &str) -> &'static [(&'static str, &'static str)] {
    const PROMPT: &str = "password prompts are not supported; use a key";
    match kind {
        "remote" => &[("interactive", PROMPT), ("interactive_timeout", PROMPT), ("max_password_tries", PROMPT)],
        _ => &[],
    }
}

fn effects(kind: &str) -> &'static [Effect] {
    match kind {
        "file" => &[Effect { field: "state", value: "absent", ignores: &["mode", "owner", "group"] }],
        "user" => &[Effect {
            field: "state",
            value: "absent",
            ignores: &["uid", "gid", "group", "groups", "homedir", "shell", "allowduplicateuid"],
        }],
        "group" => &[Effect { field: "state", value: "absent", ignores: &["gid"] }],
        "line" => &[Effect { field: "state", value: "absent", ignores: &["trim"] }],
        _ => &[],
    }
}
