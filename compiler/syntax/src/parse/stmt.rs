//! Statements other than resources and edges. Language spec, section 2.

use super::block::block;
use super::expr::{call_args, dotted_id, expr, func_rest, id, optional_type, params, var_id};
use super::input::{Expected, Input, Res, tok};
use super::resource::{colon_id, edge, resource};
use super::{mistakes, refuse, typed_bind};
use crate::ast::LoopOver;
use crate::ast::{Alias, Block, ExprId, Param, StmtId, StmtKind, TypeNote};
use crate::ident::Name;
use crate::lex::{Token, TokenKind};
use crate::span::Span;
use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt};
use nom::sequence::preceded;

/// `stmt`, or a known mistake if the grammar fails.
pub(super) fn stmt(i: Input<'_>) -> Res<'_, StmtId> {
    let session = i.session;
    let start = session.mark();
    let read = sound_stmt(i);
    let is_sound = matches!(&read, Ok((after, _)) if after.kind() == TokenKind::Newline);
    if is_sound && !session.has_refused_since(&start) || session.is_attempt() || !mistakes::may_be_statement(i) {
        return read;
    }
    session.back_to(&start);
    match mistakes::statement(i) {
        Some((after, kind)) => Ok((after, session.stmt(kind, after.span_from(i.span())))),
        None => sound_stmt(i),
    }
}

/// `stmt`
pub(super) fn sound_stmt(i: Input<'_>) -> Res<'_, StmtId> {
    match i.kind() {
        TokenKind::Dollar => whole(i, bind),
        TokenKind::Panic => whole(i, panic),
        TokenKind::Collect | TokenKind::Ident => whole(i, resource),
        TokenKind::CapIdent => whole(i, edge),
        TokenKind::If => whole(i, if_stmt),
        TokenKind::For | TokenKind::ForKv => whole(i, for_stmt),
        TokenKind::Func => whole(i, func_stmt),
        TokenKind::Class => whole(i, class_stmt),
        TokenKind::Include => whole(i, include_stmt),
        TokenKind::Import => whole(i, import_stmt),
        _ => i.fail(Expected::Statement),
    }
}

/// Adds a statement of one kind to the tree.
fn whole<'a>(i: Input<'a>, rule: impl Fn(Input<'a>) -> Res<'a, StmtKind>) -> Res<'a, StmtId> {
    let start = i.span();
    let (i, kind) = rule(i)?;
    Ok((i, i.session.stmt(kind, i.span_from(start))))
}

/// `var_id [ type ] "=" expr`
fn bind(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, (name, name_span)) = var_id(i)?;
    let (i, ty) = optional_type(i)?;
    let i = match (i.kind(), &ty) {
        (TokenKind::Equals, _) => i.bump().0,
        // Two equals signs directly after the name have a specific message.
        (TokenKind::Eq, None) => {
            i.session.refuse_with(i.index(), || refuse::additional_equals(&name, name_span, i.span()));
            i.bump().0
        }
        _ => match mistakes::assignment_sign(i, &name) {
            Some(after) if after.kind() == TokenKind::Newline => return Ok((after, StmtKind::Error)),
            Some(after) => after,
            None => tok(TokenKind::Equals)(i)?.0,
        },
    };
    bound(i, name, name_span, ty)
}

/// `expr` after the equals sign of a bind.
pub(super) fn bound(i: Input<'_>, name: Name, name_span: Span, ty: Option<TypeNote>) -> Res<'_, StmtKind> {
    let (i, value) = cut(expr).parse(i)?;
    let ty = ty.filter(|note| typed_bind::check(i.session, note, value));
    Ok((i, StmtKind::Bind { name, name_span, ty, value }))
}

/// `"panic" "(" callargs ")"`
fn panic(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, args) = preceded(tok(TokenKind::Panic), cut(call_args)).parse(i)?;
    Ok((i, StmtKind::Panic { args }))
}

/// `"if" expr "{" prog "}" [ "else" "{" prog "}" ]`
pub(super) fn if_stmt(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, cond) = preceded(tok(TokenKind::If), cut(expr)).parse(i)?;
    if_rest(i, cond)
}

/// The part of an `if` after its condition.
pub(super) fn if_rest(i: Input<'_>, cond: ExprId) -> Res<'_, StmtKind> {
    // Blocks are called without combinators around them: they nest, and each combinator uses more stack.
    let (i, then) = block(i)?;
    let is_sound = match i.kind() {
        TokenKind::Else => i.kind_ahead(1) == TokenKind::OpenCurly,
        kind => kind == TokenKind::Newline,
    };
    if !is_sound && let Some(second) = mistakes::else_if(i) {
        let (i, otherwise) = i.session.nested(second, else_if_block)?;
        return Ok((i, StmtKind::If { cond, then, otherwise: Some(otherwise) }));
    }
    if i.kind() != TokenKind::Else {
        i.session.expect(i.index(), Expected::Token(TokenKind::Else));
        return Ok((i, StmtKind::If { cond, then, otherwise: None }));
    }
    let (i, otherwise) = block(i.bump().0)?;
    Ok((i, StmtKind::If { cond, then, otherwise: Some(otherwise) }))
}

/// The block of a wrong `else if`, from its condition on.
fn else_if_block(i: Input<'_>) -> Res<'_, Block> {
    let start = i.span();
    let (i, cond) = expr(i)?;
    let (i, kind) = if_rest(i, cond)?;
    let span = i.span_from(start);
    Ok((i, Block { stmts: vec![i.session.stmt(kind, span)], span }))
}

/// `( "for" | "forkv" ) var_id "," var_id "in" expr "{" prog "}"`
fn for_stmt(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, (over, first, second, subject)) = for_head(i)?;
    let (i, body) = block(i)?;
    Ok((i, StmtKind::For { over, first, second, subject, body }))
}

fn for_head(i: Input<'_>) -> Res<'_, (LoopOver, Param, Param, ExprId)> {
    let word = alt((
        tok(TokenKind::For).map(|_| LoopOver::List), //
        tok(TokenKind::ForKv).map(|_| LoopOver::Map),
    ));
    let vars = (loop_var, second_loop_var);
    let (i, (over, ((first, second), subject))) = (word, cut((vars, preceded(tok(TokenKind::In), expr)))).parse(i)?;
    // Only a mistake leaves the second variable without a name: then the first one was meant for the values.
    let (first, second) = if second.name.is_empty() { (second, first) } else { (first, second) };
    Ok((i, (over, first, second, subject)))
}

fn second_loop_var(i: Input<'_>) -> Res<'_, Param> {
    match i.kind() {
        TokenKind::Comma => loop_var(i.bump().0),
        _ => mistakes::second_loop_var(i),
    }
}

pub(super) fn loop_var(i: Input<'_>) -> Res<'_, Param> {
    let (i, (name, span)) = var_id(i)?;
    Ok((i, Param { name, span, ty: None }))
}

/// `"func" id "(" args ")" [ type ] func_body`
fn func_stmt(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, _) = tok(TokenKind::Func)(i)?;
    let name_span = i.span();
    let (i, (name, func)) = cut((id, func_rest)).parse(i)?;
    Ok((i, StmtKind::Func { name, name_span, func: Box::new(func) }))
}

/// `"class" colon_id [ "(" args ")" ] "{" prog "}"`
fn class_stmt(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, _) = tok(TokenKind::Class)(i)?;
    let name_span = i.span();
    let (i, name) = cut(colon_id).parse(i)?;
    let name_span = i.span_from(name_span);
    let (i, params) = if i.kind() == TokenKind::OpenParen { params.map(Some).parse(i)? } else { (i, None) };
    let (i, body) = block(i)?;
    Ok((i, StmtKind::Class { name, name_span, params, body }))
}

/// `"include" dotted_id [ "(" callargs ")" ] [ "as" id ]`
fn include_stmt(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, _) = tok(TokenKind::Include)(i)?;
    let class_span = i.span();
    let (i, class) = cut(dotted_id).parse(i)?;
    if i.kind() == TokenKind::Colon && !i.session.is_attempt() {
        return mistakes::double_colons(i);
    }
    let class_span = i.span_from(class_span);
    let (i, args) = if i.kind() == TokenKind::OpenParen { call_args.map(Some).parse(i)? } else { (i, None) };
    let (i, alias) = opt(preceded(tok(TokenKind::As), cut(id))).parse(i)?;
    Ok((i, StmtKind::Include { class, class_span, args, alias }))
}

/// `"import" STRING [ "as" ( id | "*" ) ]`
fn import_stmt(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, _) = tok(TokenKind::Import)(i)?;
    if i.kind() != TokenKind::Str
        && let Some(list) = mistakes::import_list(i)
    {
        return Ok(list);
    }
    let (i, token) = cut(tok(TokenKind::Str)).parse(i)?;
    let session = i.session;
    if session.is_unreadable(i.index() - 1) {
        return Ok((i, StmtKind::Error));
    }
    let path = import_path(i, token);
    let star = tok(TokenKind::Multiply).map(|_| Alias::Star);
    let (i, alias) = opt(preceded(tok(TokenKind::As), cut(alt((id.map(Alias::Name), star))))).parse(i)?;
    let alias = alias.unwrap_or(Alias::Default);
    Ok((i, StmtKind::Import { path, path_span: session.span_of(token), alias }))
}

/// The path that an import names.
pub(super) fn import_path(i: Input<'_>, token: Token) -> Name {
    let bytes = i.session.bytes(token);
    let raw = bytes.strip_prefix(b"\"").unwrap_or(bytes);
    let raw = raw.strip_suffix(b"\"").unwrap_or(raw);
    i.session.intern(&String::from_utf8_lossy(raw))
}
