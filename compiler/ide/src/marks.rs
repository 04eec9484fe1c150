//! The names in a file with their roles: a flat list used by highlighting, hover, definitions and renaming.
//!
//! In: a file's tree. Out: [`Mark`]s by place. Walks the arenas, not the tree, so that parts of a broken statement are
//! marked as well.

use crate::ast::{Alias, Callee, Expr, ExprKind, Half, ItemKind, Param, Resource, Stmt, StmtKind, Tree, TypeNote};
use crate::ident::Name;
use crate::lex::{TokenKind, Tokens};
use crate::lower::holes;
use crate::source::Source;
use crate::span::Span;

/// A name with its role.
#[derive(Clone, Debug)]
pub(super) struct Mark {
    pub(super) span: Span,
    pub(super) role: Role,
    /// As in the tree: without a dollar, kinds in lower case.
    pub(super) name: Name,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// `$x` of a bind.
    Bind,
    /// `$x` of a parameter or loop.
    Param,
    /// `$x`, `$a.x`; in an interpolated string without its dollar.
    Var {
        in_hole: bool,
    },
    FuncDef,
    /// `f(…)`, `a.f(…)`.
    Call,
    /// `$f(…)`.
    CallVar,
    ClassDef,
    Class,
    Kind,
    /// `Kind[…]`: with the name in the brackets if it is a plain string.
    HalfKind {
        resource: Option<String>,
    },
    Field {
        kind: Name,
    },
    /// `Kind["name"].field`.
    SentField {
        kind: Name,
        is_sender: bool,
    },
    /// `Before`, `Notify`, …
    EdgeWord,
    /// `Meta`, `Meta:noop`.
    Meta,
    StructField,
    FieldAccess,
    Import,
    Alias,
    Type,
    Operator,
}

pub(super) fn of(tree: &Tree, tokens: &Tokens, source: &Source) -> Vec<Mark> {
    let mut out = Marks { tree, tokens, source, marks: Vec::with_capacity(tree.exprs.len() + 2 * tree.stmts.len()) };
    tree.stmts.values().for_each(|stmt| out.stmt(stmt));
    tree.exprs.values().for_each(|expr| out.expr(expr));
    let mut marks = out.marks;
    // The parser may have read a part twice before it knew what it is.
    marks.sort_by_cached_key(|mark| mark.span.outermost_first());
    let mut end = 0;
    marks.retain(|mark| {
        let is_free = mark.span.start >= end && mark.span.start < mark.span.end;
        end = if is_free { mark.span.end } else { end };
        is_free
    });
    marks
}

struct Marks<'a> {
    tree: &'a Tree,
    tokens: &'a Tokens,
    source: &'a Source,
    marks: Vec<Mark>,
}

impl Marks<'_> {
    fn add(&mut self, span: Span, role: Role, name: &Name) {
        self.marks.push(Mark { span, role, name: name.clone() });
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind { name, name_span, ty, .. } => {
                self.add(*name_span, Role::Bind, name);
                self.ty(ty.as_ref());
            }
            StmtKind::Resource(resource) => self.resource(resource),
            StmtKind::Edge { halves } => {
                let n = halves.len();
                halves.iter().enumerate().for_each(|(at, half)| self.half(half, at + 1 < n));
            }
            StmtKind::For { first, second, .. } => self.params(&[first.clone(), second.clone()]),
            StmtKind::Func { name, name_span, func } => {
                self.add(*name_span, Role::FuncDef, name);
                self.params(&func.params);
                self.ty(func.ret.as_ref());
            }
            StmtKind::Class { name, name_span, params, .. } => {
                self.add(*name_span, Role::ClassDef, name);
                self.params(params.as_deref().unwrap_or_default());
            }
            StmtKind::Include { class, class_span, alias, .. } => {
                self.add(*class_span, Role::Class, class);
                self.alias(stmt.span, alias.as_ref());
            }
            StmtKind::Import { path, path_span, alias } => {
                self.add(*path_span, Role::Import, path);
                match alias {
                    Alias::Name(name) => self.alias(stmt.span, Some(name)),
                    Alias::Default | Alias::Star => {}
                }
            }
            StmtKind::Panic { .. } | StmtKind::If { .. } | StmtKind::Error => {}
        }
    }

    /// The last word of a statement that ends with `as name`.
    fn alias(&mut self, stmt: Span, alias: Option<&Name>) {
        let Some(alias) = alias else { return };
        let start = stmt.end.saturating_sub(alias.len() as u32);
        self.add(Span { start, ..stmt }, Role::Alias, alias);
    }

    fn params(&mut self, params: &[Param]) {
        for param in params {
            self.add(param.span, Role::Param, &param.name);
            self.ty(param.ty.as_ref());
        }
    }

    fn ty(&mut self, note: Option<&TypeNote>) {
        if let Some(note) = note {
            self.add(note.span, Role::Type, &note.ty.to_string().into());
        }
    }

    fn resource(&mut self, resource: &Resource) {
        self.add(resource.kind_span, Role::Kind, &resource.kind);
        for item in &resource.items {
            match &item.kind {
                ItemKind::Field { name, .. } => {
                    self.add(item.name_span, Role::Field { kind: resource.kind.clone() }, name);
                }
                ItemKind::Edge { property, half } => {
                    self.add(item.name_span, Role::EdgeWord, property);
                    self.half(half, true);
                }
                ItemKind::Meta { property, .. } => self.add(item.name_span, Role::Meta, property),
                ItemKind::MetaStruct { .. } => self.add(item.name_span, Role::Meta, &"".into()),
            }
        }
    }

    fn half(&mut self, half: &Half, is_sender: bool) {
        let tokens = &self.tokens.tokens;
        let from = tokens.partition_point(|token| token.start < half.span.start);
        let bracket = tokens[from..].iter().find(|token| token.kind == TokenKind::OpenBrack);
        let name = &self.tree.exprs[half.name];
        let text = matches!(name.kind, ExprKind::Str)
            .then(|| self.source.text.get(name.span.start as usize..name.span.end as usize));
        let resource = text.flatten().map(|text| String::from_utf8_lossy(text).trim_matches('"').to_owned());
        if let Some(bracket) = bracket {
            self.add(Span { end: bracket.start, ..half.span }, Role::HalfKind { resource }, &half.kind);
        }
        if let Some(field) = &half.field {
            self.add(field.span, Role::SentField { kind: half.kind.clone(), is_sender }, &field.name);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Str => {
                for (name, span) in holes(self.source, expr.span) {
                    self.add(span, Role::Var { in_hole: true }, &name.into());
                }
            }
            ExprKind::Struct(fields) => {
                fields.iter().for_each(|field| self.add(field.name_span, Role::StructField, &field.name));
            }
            ExprKind::Var(name) => self.add(expr.span, Role::Var { in_hole: false }, name),
            ExprKind::Call { callee, callee_span, .. } => match callee {
                Callee::Named(name) => self.add(*callee_span, Role::Call, name),
                Callee::Var(name) => self.add(*callee_span, Role::CallVar, name),
                Callee::Literal(_) => {}
            },
            ExprKind::Func(func) => {
                self.params(&func.params);
                self.ty(func.ret.as_ref());
            }
            ExprKind::Binary { op, op_span, .. } => self.add(*op_span, Role::Operator, &op.text().into()),
            ExprKind::Not { op_span, .. } => self.add(*op_span, Role::Operator, &"not".into()),
            ExprKind::Field { name, name_span, .. } | ExprKind::FieldOr { name, name_span, .. } => {
                self.add(*name_span, Role::FieldAccess, name);
            }
            ExprKind::Bool(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::List(_)
            | ExprKind::Map(_)
            | ExprKind::If { .. }
            | ExprKind::Index { .. }
            | ExprKind::Paren(_)
            | ExprKind::Error => {}
        }
    }
}
