//! Expressions. Language spec, 13.2.

use super::printer::{Layout, Printer, Row};
use super::types;
use crate::ast::{Callee, ExprId, ExprKind, Func, Pair, Param, StructField, TypeNote};
use crate::span::Span;

impl Printer<'_> {
    pub(super) fn expr(&mut self, id: ExprId) {
        let expr = &self.tree.exprs[id];
        let span = expr.span;
        match &expr.kind {
            ExprKind::Bool(value) => self.text(if *value { "true" } else { "false" }),
            ExprKind::Int(value) => self.text(&value.to_string()),
            ExprKind::Float(value) => {
                let text = value.to_string();
                self.text(&text);
                if !text.contains('.') {
                    self.text(".0");
                }
            }
            ExprKind::Str | ExprKind::Error => self.verbatim(span),
            ExprKind::List(items) => {
                self.text("[");
                let first = items.first().map(|item| self.expr_start(*item));
                let layout = self.layout(first, self.start_row(span), self.end_row(span));
                self.exprs(items, layout);
                self.text("]");
            }
            ExprKind::Map(pairs) => {
                self.text("{");
                let first = pairs.first().map(|pair| self.expr_start(pair.key));
                let layout = self.layout(first, self.start_row(span), self.end_row(span));
                let rows = |p: &Self, pair: &Pair| (p.expr_start(pair.key), p.expr_end(pair.value));
                self.elements(pairs, layout, rows, |p, pair| {
                    p.expr(pair.key);
                    p.text(" => ");
                    p.expr(pair.value);
                });
                self.text("}");
            }
            ExprKind::Struct(fields) => {
                self.text("struct{");
                let first = fields.first().map(|field| self.start_row(field.name_span));
                let layout = self.layout(first, self.start_row(span), self.end_row(span));
                let rows = |p: &Self, field: &StructField| (p.start_row(field.name_span), p.expr_end(field.value));
                self.elements(fields, layout, rows, |p, field| {
                    p.text(&field.name);
                    p.text(" => ");
                    p.expr(field.value);
                });
                self.text("}");
            }
            ExprKind::Var(name) => {
                self.text("$");
                self.text(name);
            }
            ExprKind::Call { callee, callee_span, args } => {
                match callee {
                    Callee::Named(name) => self.text(name),
                    Callee::Var(name) => {
                        self.text("$");
                        self.text(name);
                    }
                    Callee::Literal(func) => self.expr(*func),
                }
                self.args(args, *callee_span, self.end_row(span));
            }
            ExprKind::Func(func) => {
                self.text("func");
                self.func(func, self.start_row(span));
            }
            ExprKind::If { cond, then, then_span, otherwise, otherwise_span } => {
                self.if_expr(*cond, (*then, *then_span), (*otherwise, *otherwise_span));
            }
            ExprKind::Binary { .. } => {
                let (first, links) = self.tree.chain(id);
                self.expr(first);
                for link in links {
                    self.text(" ");
                    self.text(link.op.text());
                    self.text(" ");
                    self.expr(link.right);
                }
            }
            ExprKind::Not { operand, .. } => {
                self.text("not ");
                self.expr(*operand);
            }
            ExprKind::Index { base, index } => {
                self.expr(*base);
                self.text("[");
                self.expr(*index);
                self.text("]");
            }
            ExprKind::Field { base, name, .. } => {
                self.expr(*base);
                self.text("->");
                self.text(name);
            }
            ExprKind::FieldOr { base, name, fallback, .. } => {
                self.expr(*base);
                self.text("->");
                self.text(name);
                self.text(" <|> ");
                self.expr(*fallback);
            }
            ExprKind::Paren(inner) => {
                self.text("(");
                self.expr(*inner);
                self.text(")");
            }
        }
    }

    /// Several lines if the first element starts below the opening bracket, or if a comment needs a place inside.
    fn layout(&mut self, first: Option<Row>, open: Row, close: Row) -> Layout {
        let is_below = first.is_some_and(|first| first > open);
        if is_below || self.comment_before(close) { Layout::Lines { open, close } } else { Layout::OneLine }
    }

    fn exprs(&mut self, items: &[ExprId], layout: Layout) {
        let rows = |p: &Self, item: &ExprId| (p.expr_start(*item), p.expr_end(*item));
        self.elements(items, layout, rows, |p, item| p.expr(*item));
    }

    /// Arguments in parentheses; a comment alone does not split them over several lines. `close` is the row of the
    /// closing parenthesis.
    pub(super) fn args(&mut self, args: &[ExprId], callee: Span, close: Row) {
        self.text("(");
        let open = self.end_row(callee);
        let is_below = args.first().is_some_and(|first| self.expr_start(*first) > open);
        self.exprs(args, if is_below { Layout::Lines { open, close } } else { Layout::OneLine });
        self.text(")");
    }

    /// Parameters in parentheses. The closing one is assumed to be in the row of the brace after it, and a parameter
    /// ends in the row where its type begins.
    pub(super) fn params(&mut self, params: &[Param], start: Row, brace: Row) {
        self.text("(");
        let first = params.first().map(|param| self.start_row(param.span));
        let layout = self.layout(first, start, brace);
        let rows = |p: &Self, param: &Param| {
            let end = param.ty.as_ref().map_or(p.end_row(param.span), |note| p.start_row(note.span));
            (p.start_row(param.span), end)
        };
        self.elements(params, layout, rows, |p, param| {
            p.text("$");
            p.text(&param.name);
            p.type_note(&param.ty);
        });
        self.text(")");
    }

    /// A space and a type, if there is one.
    pub(super) fn type_note(&mut self, note: &Option<TypeNote>) {
        if let Some(note) = note {
            self.text(" ");
            self.text(&types::text(&note.ty));
        }
    }

    /// The part after the word `func` or after a function's name; `start` is the row of the word.
    pub(super) fn func(&mut self, func: &Func, start: Row) {
        let brace = self.start_row(func.body_span);
        self.params(&func.params, start, brace);
        self.type_note(&func.ret);
        self.text(" ");
        let close = self.end_row(func.body_span);
        let first = Some(self.expr_start(func.body));
        let layout = self.layout(first, brace, close);
        self.body(func.body, layout, close);
    }

    /// An expression in braces.
    fn body(&mut self, id: ExprId, layout: Layout, close_row: Row) {
        self.text("{");
        match layout {
            Layout::OneLine => {
                self.text(" ");
                self.expr(id);
                self.text(" ");
                self.closed_in(close_row);
            }
            Layout::Lines { open, close } => {
                self.open(open);
                self.begin_line(self.expr_start(id));
                self.expr(id);
                self.end_line(self.expr_end(id));
                self.begin_closing_line(close);
            }
        }
        self.text("}");
    }

    /// Both branches are laid out like the first one.
    fn if_expr(&mut self, cond: ExprId, then: (ExprId, Span), otherwise: (ExprId, Span)) {
        self.text("if ");
        self.expr(cond);
        self.text(" ");
        let first = Some(self.expr_start(then.0));
        let rows = |p: &Self, span: Span| Layout::Lines { open: p.start_row(span), close: p.end_row(span) };
        let last = self.end_row(otherwise.1);
        let layout = self.layout(first, self.start_row(then.1), last);
        let of = |p: &Self, span: Span| match layout {
            Layout::OneLine => Layout::OneLine,
            Layout::Lines { .. } => rows(p, span),
        };
        self.body(then.0, of(self, then.1), self.end_row(then.1));
        self.text(" else ");
        self.body(otherwise.0, of(self, otherwise.1), last);
    }
}
