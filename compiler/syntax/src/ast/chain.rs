//! Chains of operators: `a + b - c …` is a left-leaning tree, as high as the chain is long.
//!
//! Such a tree is walked link by link instead of recursively, so a chain of ten thousand operators needs no more stack
//! than one of two.

use super::{BinaryOp, ExprId, ExprKind, Tree};
use crate::span::Span;

/// One operator of a chain with its right operand.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The operator.
    pub op: BinaryOp,
    /// Span of the operator.
    pub op_span: Span,
    /// The right operand.
    pub right: ExprId,
    /// From the start of the chain to the end of the right operand.
    pub span: Span,
}

impl Tree {
    /// The first operand of the chain that ends in this expression, and the links after it, in source order. An
    /// expression that is not an operator is a chain without links.
    pub fn chain(&self, end: ExprId) -> (ExprId, Vec<Link>) {
        let mut links = Vec::new();
        let mut at = end;
        while let ExprKind::Binary { op, op_span, left, right } = &self.exprs[at].kind {
            links.push(Link { op: *op, op_span: *op_span, right: *right, span: self.exprs[at].span });
            at = *left;
        }
        links.reverse();
        (at, links)
    }
}
