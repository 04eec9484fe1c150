//! Chains of operators: `a + b - c …` is a tree that leans to the left, as high as the chain is long.
//!
//! Such a tree is not walked by recursion but link by link, so that a chain of ten thousand operators
//! needs no more of the stack than one of two.

use super::{BinaryOp, ExprId, ExprKind, Tree};
use crate::span::Span;

/// One operator of a chain with its right operand.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    pub op: BinaryOp,
    pub op_span: Span,
    pub right: ExprId,
    /// From the chain's start to the end of the right operand.
    pub span: Span,
}

impl Tree {
    /// The first operand of the chain that ends in this expression, which is no operator, and what
    /// follows it, in source order. Without an operator the chain is the expression alone.
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
