//! Expressions without operators. Language spec, section 2.

use super::input::{Expected, Input, Res, tok};
use super::lists::comma_list;
use super::mistakes;
use super::operators::{Level, binary};
use super::ty::{begins_type, ty};
use crate::ast::{Callee, ExprId, ExprKind, Func, Pair, Param, StructField, TypeNote};
use crate::ident::Name;
use crate::lex::{Token, TokenKind};
use crate::span::Span;
use nom::Parser;
use nom::sequence::{preceded, terminated};

/// `expr`
///
/// Expressions nest, so no rule wraps this in a combinator: each would use more stack.
pub(super) fn expr(i: Input<'_>) -> Res<'_, ExprId> {
    i.session.nested(i, |i| binary(i, Level::Except))
}

/// An expression without operators.
pub(super) fn primary(i: Input<'_>) -> Res<'_, ExprId> {
    match i.kind() {
        TokenKind::Bool | TokenKind::Str | TokenKind::Int | TokenKind::Float => literal(i),
        TokenKind::Dollar => variable(i),
        TokenKind::Ident | TokenKind::Map | TokenKind::Collect => named_call(i),
        TokenKind::Func => func_literal(i),
        TokenKind::OpenParen => paren(i),
        TokenKind::OpenBrack => list(i),
        TokenKind::OpenCurly => map(i),
        TokenKind::Struct => structure(i),
        TokenKind::If => if_expr(i),
        _ => match mistakes::expression(i) {
            Some(after) => after,
            None => i.fail(Expected::Expression),
        },
    }
}

fn literal(i: Input<'_>) -> Res<'_, ExprId> {
    let (after, token) = i.bump();
    let text = i.session.text(token);
    let kind = match token.kind {
        _ if i.session.is_unreadable(i.index()) => ExprKind::Error,
        TokenKind::Bool => ExprKind::Bool(text == "true"),
        TokenKind::Int => text.parse().map_or(ExprKind::Error, ExprKind::Int),
        TokenKind::Float => text.parse().map_or(ExprKind::Error, ExprKind::Float),
        _ => ExprKind::Str,
    };
    let (after, is_broken) = match after.kind() {
        TokenKind::Ident | TokenKind::CapIdent | TokenKind::Dot => mistakes::unit(after, token),
        _ => (after, false),
    };
    let kind = if is_broken { ExprKind::Error } else { kind };
    i.session.expr(after, kind, i.span())
}

/// `"$" dotted_id [ "(" callargs ")" ]`
fn variable(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    if !is_plain_id(i.kind_ahead(1))
        && let Some(after) = mistakes::braced_variable(i)
    {
        return after;
    }
    let (i, name) = dotted_id(i.bump().0)?;
    let callee_span = i.span_from(start);
    if i.kind() == TokenKind::OpenParen {
        return call(i, Callee::Var(name), callee_span);
    }
    i.session.expr(i, ExprKind::Var(name), callee_span)
}

/// `dotted_id "(" callargs ")"`
fn named_call(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    let (after, name) = dotted_id(i)?;
    let span = after.span_from(start);
    if after.kind() != TokenKind::OpenParen && !i.session.is_attempt() {
        return mistakes::bare_word(after, &name, span);
    }
    call(after, Callee::Named(name), span)
}

fn call(i: Input<'_>, callee: Callee, callee_span: Span) -> Res<'_, ExprId> {
    let (i, args) = call_args(i)?;
    i.session.expr(i, ExprKind::Call { callee, callee_span, args }, i.span_from(callee_span))
}

/// `"(" callargs ")"`
pub(super) fn call_args(i: Input<'_>) -> Res<'_, Vec<ExprId>> {
    let (i, _) = tok(TokenKind::OpenParen)(i)?;
    comma_list(i, TokenKind::CloseParen, expr)
}

/// `func [ "(" callargs ")" ]`
fn func_literal(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    let (i, func) = func_rest(i.bump().0)?;
    let span = i.span_from(start);
    let (i, literal) = i.session.expr(i, ExprKind::Func(Box::new(func)), span)?;
    if i.kind() == TokenKind::OpenParen {
        return call(i, Callee::Literal(literal), span);
    }
    Ok((i, literal))
}

/// `"(" args ")" [ type ] func_body`
pub(super) fn func_rest(i: Input<'_>) -> Res<'_, Func> {
    let (i, params) = params(i)?;
    let (i, ret) = optional_type(i)?;
    let start = i.span();
    let (i, body) = expr_block(i)?;
    Ok((i, Func { params, ret, body, body_span: i.span_from(start) }))
}

/// `"(" args ")"`
pub(super) fn params(i: Input<'_>) -> Res<'_, Vec<Param>> {
    let (i, _) = tok(TokenKind::OpenParen)(i)?;
    comma_list(i, TokenKind::CloseParen, param)
}

/// `var_id [ type ]`
fn param(i: Input<'_>) -> Res<'_, Param> {
    let (i, (name, span)) = var_id(i)?;
    let (i, ty) = optional_type(i)?;
    Ok((i, Param { name, span, ty }))
}

pub(super) fn optional_type(i: Input<'_>) -> Res<'_, Option<TypeNote>> {
    if begins_type(i.kind()) { ty.map(Some).parse(i) } else { Ok((i, None)) }
}

/// `"(" expr ")"`
fn paren(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    let (i, inner) = expr(i.bump().0)?;
    let (i, _) = tok(TokenKind::CloseParen)(i)?;
    i.session.expr(i, ExprKind::Paren(inner), i.span_from(start))
}

/// `"[" elements "]"`
fn list(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    let (i, items) = comma_list(i.bump().0, TokenKind::CloseBrack, expr)?;
    i.session.expr(i, ExprKind::List(items), i.span_from(start))
}

/// `"{" pairs "}"`
fn map(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    let (i, pairs) = comma_list(i.bump().0, TokenKind::CloseCurly, pair)?;
    i.session.expr(i, ExprKind::Map(pairs), i.span_from(start))
}

/// `expr "=>" expr`
fn pair(i: Input<'_>) -> Res<'_, Pair> {
    let (i, key) = match is_lone_word(i).then(|| mistakes::bare_key(i)).flatten() {
        Some(key) => key,
        None => expr(i)?,
    };
    let (i, _) = rocket(i, "a map")?;
    let (i, value) = expr(i)?;
    Ok((i, Pair { key, value }))
}

/// `"struct" "{" fields "}"`
fn structure(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    let (i, _) = tok(TokenKind::OpenCurly)(i.bump().0)?;
    let (i, fields) = comma_list(i, TokenKind::CloseCurly, struct_field)?;
    i.session.expr(i, ExprKind::Struct(fields), i.span_from(start))
}

/// `id "=>" expr`
fn struct_field(i: Input<'_>) -> Res<'_, StructField> {
    let name_span = i.span();
    let (i, name) = id(i)?;
    let (i, _) = rocket(i, "a struct")?;
    let (i, value) = expr(i)?;
    Ok((i, StructField { name, name_span, value }))
}

/// `"=>"`; `place` is what it is in, for a message.
pub(super) fn rocket<'a>(i: Input<'a>, place: &str) -> Res<'a, Token> {
    if i.kind() == TokenKind::Rocket { Ok(i.bump()) } else { mistakes::rocket(i, place) }
}

/// Whether a name begins here that is neither called nor continued by a dot: no expression begins with it.
pub(super) fn is_lone_word(i: Input<'_>) -> bool {
    i.kind() == TokenKind::Ident && !matches!(i.kind_ahead(1), TokenKind::OpenParen | TokenKind::Dot)
}

/// `"if" expr expr_block "else" expr_block`
fn if_expr(i: Input<'_>) -> Res<'_, ExprId> {
    let start = i.span();
    let (i, cond) = expr(i.bump().0)?;
    let then_start = i.span();
    let (i, then) = expr_block(i)?;
    let then_span = i.span_from(then_start);
    let is_sound = i.kind() == TokenKind::Else && i.kind_ahead(1) == TokenKind::OpenCurly;
    if !is_sound && let Some(second) = mistakes::else_if(i) {
        let otherwise_start = second.span();
        // The other branch starts before the word, which `if_expr` skips.
        let (i, otherwise) = i.session.nested(second.at(second.index() - 1), if_expr)?;
        let otherwise_span = i.span_from(otherwise_start);
        return i.session.expr(
            i,
            ExprKind::If { cond, then, then_span, otherwise, otherwise_span },
            i.span_from(start),
        );
    }
    let (i, _) = tok(TokenKind::Else)(i)?;
    let otherwise_start = i.span();
    let (i, otherwise) = expr_block(i)?;
    let otherwise_span = i.span_from(otherwise_start);
    i.session.expr(i, ExprKind::If { cond, then, then_span, otherwise, otherwise_span }, i.span_from(start))
}

/// `"{" { NL } expr { NL } "}"`
fn expr_block(i: Input<'_>) -> Res<'_, ExprId> {
    let i = at_brace(i);
    let (i, _) = terminated(tok(TokenKind::OpenCurly), newlines).parse(i)?;
    let (i, body) = expr(i)?;
    let (i, _) = preceded(newlines, tok(TokenKind::CloseCurly)).parse(i)?;
    Ok((i, body))
}

/// The input at the `{` that is needed here.
pub(super) fn at_brace(i: Input<'_>) -> Input<'_> {
    if i.kind() == TokenKind::OpenCurly { i } else { mistakes::lower_brace(i).unwrap_or(i) }
}

/// `{ NL }`
pub(super) fn newlines(mut i: Input<'_>) -> Res<'_, ()> {
    while i.kind() == TokenKind::Newline {
        i = i.bump().0;
    }
    Ok((i, ()))
}

/// `id`
pub(super) fn id(i: Input<'_>) -> Res<'_, Name> {
    let (i, token) = tok(TokenKind::Ident)(i)?;
    Ok((i, i.session.intern(i.session.text(token))))
}

/// `plain_id = id | "map" | "collect"`
fn plain_id(i: Input<'_>) -> Res<'_, &str> {
    if !is_plain_id(i.kind()) {
        return i.fail(Expected::Token(TokenKind::Ident));
    }
    let (i, token) = i.bump();
    Ok((i, i.session.text(token)))
}

fn is_plain_id(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Ident | TokenKind::Map | TokenKind::Collect)
}

/// `"$" plain_id`: the name, and the span from the dollar to its end.
pub(super) fn var_id(i: Input<'_>) -> Res<'_, (Name, Span)> {
    let start = i.span();
    let i = match i.kind() {
        TokenKind::Dollar => i.bump().0,
        _ => match mistakes::missing_dollar(i) {
            Some(i) => i,
            None => tok(TokenKind::Dollar)(i)?.0,
        },
    };
    let (i, name) = plain_id(i)?;
    Ok((i, (i.session.intern(name), i.span_from(start))))
}

/// `plain_id { "." plain_id }`
pub(super) fn dotted_id(i: Input<'_>) -> Res<'_, Name> {
    let (mut i, first) = plain_id(i)?;
    if i.kind() != TokenKind::Dot {
        return Ok((i, i.session.intern(first)));
    }
    let mut name = first.to_owned();
    while i.kind() == TokenKind::Dot {
        if !is_plain_id(i.kind_ahead(1)) && mistakes::is_dangling_dot(i, &name) {
            return Ok((i.bump().0, i.session.intern(&name)));
        }
        let (after, chunk) = plain_id(i.bump().0)?;
        name.push('.');
        name.push_str(chunk);
        i = after;
    }
    Ok((i, i.session.intern(&name)))
}
