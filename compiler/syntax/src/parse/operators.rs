//! Operators by precedence climbing. Language spec, 2.2.

use super::expr::{expr, primary};
use super::input::{Expected, Fail, Input, Res, Why, tok};
use super::mistakes;
use crate::ast::{BinaryOp, ExprId, ExprKind};
use crate::lex::TokenKind;

/// Precedence of infix operators, lowest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Except,
    Or,
    And,
    /// Not associative.
    Compare,
    Sum,
    Product,
    /// Binds more strongly than every infix operator.
    Prefix,
}

impl Level {
    fn stronger(self) -> Level {
        match self {
            Level::Except => Level::Or,
            Level::Or => Level::And,
            Level::And => Level::Compare,
            Level::Compare => Level::Sum,
            Level::Sum => Level::Product,
            Level::Product | Level::Prefix => Level::Prefix,
        }
    }
}

fn infix(kind: TokenKind) -> Option<(BinaryOp, Level)> {
    Some(match kind {
        TokenKind::Except => (BinaryOp::Except, Level::Except),
        TokenKind::Or => (BinaryOp::Or, Level::Or),
        TokenKind::And => (BinaryOp::And, Level::And),
        TokenKind::Lt => (BinaryOp::Lt, Level::Compare),
        TokenKind::Gt => (BinaryOp::Gt, Level::Compare),
        TokenKind::Lte => (BinaryOp::Lte, Level::Compare),
        TokenKind::Gte => (BinaryOp::Gte, Level::Compare),
        TokenKind::Eq => (BinaryOp::Eq, Level::Compare),
        TokenKind::Neq => (BinaryOp::Neq, Level::Compare),
        TokenKind::In => (BinaryOp::In, Level::Compare),
        TokenKind::Plus => (BinaryOp::Add, Level::Sum),
        TokenKind::Minus => (BinaryOp::Sub, Level::Sum),
        TokenKind::Multiply => (BinaryOp::Mul, Level::Product),
        TokenKind::Divide => (BinaryOp::Div, Level::Product),
        _ => return None,
    })
}

/// Whether this token stands between two values.
pub(super) fn is_infix(kind: TokenKind) -> bool {
    infix(kind).is_some()
}

/// `expr binop expr`, of operators at least as strong as `min`.
pub(super) fn binary(i: Input<'_>, min: Level) -> Res<'_, ExprId> {
    let (mut i, mut left) = unary(i)?;
    while let Some((op, level)) = infix(i.kind()) {
        if level < min {
            break;
        }
        // No value begins with an operator.
        if is_infix(i.kind_ahead(1)) && mistakes::begins_comment(i) && !mistakes::is_quotient(i) {
            return Ok((mistakes::comment(i, i.index() + 1), left));
        }
        let op_span = i.span();
        let (after, right) = binary(i.bump().0, level.stronger())?;
        let span = after.span_from(after.session.expr_span(left));
        (i, left) = after.session.expr(after, ExprKind::Binary { op, op_span, left, right }, span)?;
        if level == Level::Compare && infix(i.kind()).is_some_and(|(_, next)| next == Level::Compare) {
            return Err(nom::Err::Failure(Fail { at: i.index(), why: Why::Unexpected }));
        }
    }
    Ok((i, left))
}

/// `"not" expr`, or an expression without operators.
fn unary(i: Input<'_>) -> Res<'_, ExprId> {
    if i.kind() != TokenKind::Not {
        return postfix(i);
    }
    let op_span = i.span();
    let (i, operand) = i.session.nested(i.bump().0, unary)?;
    let span = i.span_from(op_span);
    i.session.expr(i, ExprKind::Not { op_span, operand }, span)
}

/// `expr "[" expr "]" | expr "->" id [ "<|>" expr ]`, chained to the left.
fn postfix(i: Input<'_>) -> Res<'_, ExprId> {
    let (mut i, mut base) = primary(i)?;
    loop {
        (i, base) = match i.kind() {
            TokenKind::OpenBrack => index(i, base)?,
            TokenKind::Arrow => field(i, base)?,
            _ => return Ok((i, base)),
        };
    }
}

fn index(i: Input<'_>, base: ExprId) -> Res<'_, ExprId> {
    let (i, index) = expr(i.bump().0)?;
    let (i, _) = tok(TokenKind::CloseBrack)(i)?;
    let span = i.span_from(i.session.expr_span(base));
    i.session.expr(i, ExprKind::Index { base, index }, span)
}

/// A `<|>` directly after a field always belongs to the field, even if a stronger operator precedes it; the fallback
/// extends over everything that binds more strongly than `<|>`.
fn field(i: Input<'_>, base: ExprId) -> Res<'_, ExprId> {
    let (i, name_token) = tok(TokenKind::Ident)(i.bump().0)?;
    let session = i.session;
    let (name, name_span) = (session.intern(session.text(name_token)), session.span_of(name_token));
    let start = session.expr_span(base);
    if i.kind() != TokenKind::Except {
        session.expect(i.index(), Expected::Token(TokenKind::Except));
        return session.expr(i, ExprKind::Field { base, name, name_span }, i.span_from(start));
    }
    let (i, fallback) = session.nested(i.bump().0, |i| binary(i, Level::Or))?;
    session.expr(i, ExprKind::FieldOr { base, name, name_span, fallback }, i.span_from(start))
}
