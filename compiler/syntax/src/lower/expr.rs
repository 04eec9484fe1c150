//! Expressions: operators become calls, parentheses are dropped. Language spec, 2.3.

use super::Lowering;
use crate::ast::{self, BinaryOp};
use crate::hir::{Call, Callee, ExprId, ExprKind, Func, Param};
use crate::span::Span;

impl Lowering<'_> {
    pub(super) fn expr(&mut self, id: ast::ExprId) -> ExprId {
        let tree = self.tree;
        let expr = &tree.exprs[id];
        let span = expr.span;
        let kind = match &expr.kind {
            ast::ExprKind::Bool(value) => ExprKind::Bool(*value),
            ast::ExprKind::Int(value) => ExprKind::Int(*value),
            ast::ExprKind::Float(value) => ExprKind::Float(*value),
            ast::ExprKind::Str => return self.string(expr),
            ast::ExprKind::List(items) => ExprKind::List(self.all(items)),
            ast::ExprKind::Map(pairs) => {
                let pair = |pair: &ast::Pair| (self.expr(pair.key), self.expr(pair.value));
                ExprKind::Map(pairs.iter().map(pair).collect())
            }
            ast::ExprKind::Struct(fields) => {
                let field = |field: &ast::StructField| (field.name.clone(), self.expr(field.value));
                ExprKind::Struct(fields.iter().map(field).collect())
            }
            ast::ExprKind::Var(name) => ExprKind::Var(name.clone()),
            ast::ExprKind::Call { callee, callee_span, args } => {
                // The arguments come before an anonymous function: this is the order of errors.
                let args = self.all(args);
                let callee = match callee {
                    ast::Callee::Named(name) => Callee::Named(name.clone()),
                    ast::Callee::Var(name) => Callee::Var(name.clone()),
                    ast::Callee::Literal(func) => Callee::Func(self.expr(*func)),
                };
                ExprKind::Call(Call { callee, args, callee_span: *callee_span })
            }
            ast::ExprKind::Func(func) => ExprKind::Func(self.func(func)),
            ast::ExprKind::If { cond, then, otherwise, .. } => {
                ExprKind::If { cond: self.expr(*cond), then: self.expr(*then), otherwise: self.expr(*otherwise) }
            }
            ast::ExprKind::Binary { .. } => return self.chain(id),
            ast::ExprKind::Not { op_span, operand } => {
                let args = vec![self.text("not", *op_span), self.expr(*operand)];
                hidden("_operator", args, *op_span)
            }
            ast::ExprKind::Index { base, index } => {
                let brackets = Span { start: tree.exprs[*base].span.end, ..span };
                let args = vec![self.expr(*base), self.expr(*index)];
                hidden("_lookup", args, brackets)
            }
            ast::ExprKind::Field { base, name, name_span } => {
                let args = vec![self.expr(*base), self.text(name, *name_span)];
                hidden("_struct_lookup", args, *name_span)
            }
            ast::ExprKind::FieldOr { base, name, name_span, fallback } => {
                let args = vec![self.expr(*base), self.text(name, *name_span), self.expr(*fallback)];
                hidden("_struct_lookup_optional", args, *name_span)
            }
            ast::ExprKind::Paren(inner) => return self.expr(*inner),
            ast::ExprKind::Error => ExprKind::Error,
        };
        self.push(kind, span)
    }

    pub(super) fn all(&mut self, ids: &[ast::ExprId]) -> Vec<ExprId> {
        ids.iter().map(|id| self.expr(*id)).collect()
    }

    /// A chain of operators, from its first operand: each link is the left operand of the next.
    fn chain(&mut self, id: ast::ExprId) -> ExprId {
        let (first, links) = self.tree.chain(id);
        let mut left = self.expr(first);
        for link in links {
            let right = self.expr(link.right);
            let kind = self.operator(link.op, link.op_span, left, right);
            left = self.push(kind, link.span);
        }
        left
    }

    fn operator(&mut self, op: BinaryOp, op_span: Span, left: ExprId, right: ExprId) -> ExprKind {
        match op {
            BinaryOp::Except => ExprKind::Except { main: left, fallback: right },
            BinaryOp::In => {
                let callee = Callee::Named(self.name("contains"));
                ExprKind::Call(Call { callee, args: vec![left, right], callee_span: op_span })
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Eq
            | BinaryOp::Neq
            | BinaryOp::Lt
            | BinaryOp::Gt
            | BinaryOp::Lte
            | BinaryOp::Gte
            | BinaryOp::And
            | BinaryOp::Or => hidden("_operator", vec![self.text(op.text(), op_span), left, right], op_span),
        }
    }

    pub(super) fn func(&mut self, func: &ast::Func) -> Func {
        let params = func.params.iter().map(param).collect();
        Func { params, ret: func.ret.as_ref().map(|note| note.ty.clone()), body: self.expr(func.body) }
    }
}

pub(super) fn param(param: &ast::Param) -> Param {
    Param { name: param.name.clone(), ty: param.ty.as_ref().map(|note| note.ty.clone()), span: param.span }
}

fn hidden(name: &'static str, args: Vec<ExprId>, callee_span: Span) -> ExprKind {
    ExprKind::Call(Call { callee: Callee::Hidden(name), args, callee_span })
}
