//! Nodes of an instrumented tree.

use super::super::operators::{
    CHAINED, CONTAINED, COUNT, DIVIDED, FLOOR, JOINED, MACRO, MADE, MINUS, ORDERED, PERCENT, PLUS, POWER, READ,
    SEARCHED, TIMES,
};
use minijinja::Value;
use minijinja::machinery::Span;
use minijinja::machinery::ast::{self, BinOpKind, CallArg, CompareOpKind, Expr, Spanned, Stmt};

/// An operator with its operands charged.
pub(super) fn binary<'a>(op: BinOpKind, left: Expr<'a>, right: Expr<'a>, span: Span) -> Expr<'a> {
    let operand = match op {
        BinOpKind::ScAnd | BinOpKind::ScOr => None,
        BinOpKind::Eq => return equal("==", left, right, span),
        BinOpKind::Ne => return equal("!=", left, right, span),
        BinOpKind::Lt => return ordered("<", left, right, span),
        BinOpKind::Lte => return ordered("<=", left, right, span),
        BinOpKind::Gt => return ordered(">", left, right, span),
        BinOpKind::Gte => return ordered(">=", left, right, span),
        BinOpKind::Concat => Some(JOINED),
        BinOpKind::In => {
            let (left_span, right_span) = (left.span(), right.span());
            let left = filter(READ, left, Vec::new(), left_span);
            let right = filter(SEARCHED, right, Vec::new(), right_span);
            return filter(CONTAINED, left, vec![CallArg::Pos(right)], span);
        }
        BinOpKind::Add => return filter(PLUS, left, vec![CallArg::Pos(right)], span),
        BinOpKind::Sub => return filter(MINUS, left, vec![CallArg::Pos(right)], span),
        BinOpKind::Mul => return filter(TIMES, left, vec![CallArg::Pos(right)], span),
        BinOpKind::Div => return filter(DIVIDED, left, vec![CallArg::Pos(right)], span),
        BinOpKind::FloorDiv => return filter(FLOOR, left, vec![CallArg::Pos(right)], span),
        BinOpKind::Pow => return filter(POWER, left, vec![CallArg::Pos(right)], span),
        // On a text it inserts values.
        BinOpKind::Rem => return filter(PERCENT, left, vec![CallArg::Pos(right)], span),
    };
    let counted = |expr: Expr<'a>| match operand {
        Some(operand) => {
            let span = expr.span();
            filter(operand, expr, Vec::new(), span)
        }
        None => expr,
    };
    let operation = ast::BinOp { op, left: counted(left), right: counted(right) };
    Expr::BinOp(Spanned::new(operation, span))
}

/// How the operands of a comparison are charged: a value searched in a text is written out.
pub(super) fn operands(op: CompareOpKind) -> [&'static str; 2] {
    if matches!(op, CompareOpKind::In | CompareOpKind::NotIn) { [JOINED, SEARCHED] } else { [READ, READ] }
}

/// The sign of a comparison other than a search.
pub(super) fn sign(op: CompareOpKind) -> Option<&'static str> {
    Some(match op {
        CompareOpKind::Eq => "==",
        CompareOpKind::Ne => "!=",
        CompareOpKind::Lt => "<",
        CompareOpKind::Lte => "<=",
        CompareOpKind::Gt => ">",
        CompareOpKind::Gte => ">=",
        CompareOpKind::In | CompareOpKind::NotIn => return None,
    })
}

/// A comparison by size, with its sign.
fn ordered<'a>(sign: &'static str, left: Expr<'a>, right: Expr<'a>, span: Span) -> Expr<'a> {
    filter(ORDERED, left, vec![CallArg::Pos(right), CallArg::Pos(constant(sign, span))], span)
}

/// A comparison for equality, with its sign.
fn equal<'a>(sign: &'static str, left: Expr<'a>, right: Expr<'a>, span: Span) -> Expr<'a> {
    filter(CHAINED, left, vec![CallArg::Pos(constant(sign, span)), CallArg::Pos(right)], span)
}

/// `set name = name`, as a macro of Jinja2.
pub(super) fn wrapped<'a>(it: &Spanned<ast::Macro<'a>>, uses: [bool; 2]) -> Stmt<'a> {
    let span = it.span();
    let params = it.args.iter().filter_map(|arg| match arg {
        Expr::Var(var) => Some(Value::from(var.id)),
        _ => None,
    });
    let args = [Value::from(it.name), params.collect(), Value::from(uses[0]), Value::from(uses[1])];
    let args = args.into_iter().map(|arg| CallArg::Pos(constant(arg, span))).collect();
    let expr = filter(MACRO, variable(it.name, span), args, span);
    Stmt::Set(Spanned::new(ast::Set { target: variable(it.name, span), expr }, span))
}

pub(super) fn variable<'a>(id: &'a str, span: Span) -> Expr<'a> {
    Expr::Var(Spanned::new(ast::Var { id }, span))
}

/// A literal; a constant one is made once.
pub(super) fn made<'a>(expr: Expr<'a>, span: Span) -> Expr<'a> {
    if expr.as_const().is_some() { expr } else { filter(MADE, expr, Vec::new(), span) }
}

pub(super) fn count<'a>(expr: Expr<'a>, n_nodes: u64, span: Span) -> Expr<'a> {
    filter(COUNT, expr, vec![CallArg::Pos(constant(n_nodes, span))], span)
}

/// Charges this many nodes at the beginning of a body.
pub(super) fn entered<'a>(n_nodes: u64, span: Span) -> Stmt<'a> {
    let expr = count(constant("", span), n_nodes, span);
    Stmt::EmitExpr(Spanned::new(ast::EmitExpr { expr }, span))
}

pub(super) fn filter<'a>(name: &'static str, expr: Expr<'a>, args: Vec<CallArg<'a>>, span: Span) -> Expr<'a> {
    Expr::Filter(Spanned::new(ast::Filter { name, expr: Some(expr), args }, span))
}

pub(super) fn constant<'a>(value: impl Into<Value>, span: Span) -> Expr<'a> {
    Expr::Const(Spanned::new(ast::Const { value: value.into() }, span))
}

pub(super) fn has_attribute(target: &Expr<'_>) -> bool {
    match target {
        Expr::GetAttr(_) => true,
        Expr::List(it) => it.items.iter().any(has_attribute),
        _ => false,
    }
}

/// Whether an assignment target is a list of names.
pub(super) fn has_names(target: &Expr<'_>) -> bool {
    matches!(target, Expr::List(_))
}

/// Whether calls of what it has are those of blocks: `self.block()`.
pub(super) fn is_block(value: &Expr<'_>) -> bool {
    matches!(value, Expr::Var(it) if it.id == "self")
}

pub(super) fn at<T, U>(old: &Spanned<T>, new: U) -> Spanned<U> {
    Spanned::new(new, old.span())
}
