//! What a statement of another language means: the rest of it is parsed as MCL.

use crate::ast::{LoopOver, Param, StmtKind};
use crate::lex::TokenKind;
use crate::parse::block::block;
use crate::parse::expr::{expr, id, var_id};
use crate::parse::input::{Input, Res, tok};
use crate::parse::resource::body;
use crate::parse::stmt::{bound, if_rest, loop_var};
use crate::span::Span;

/// `name = value` and `name := value`.
pub(super) fn assignment(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, (name, name_span)) = var_id(i)?;
    let i = if i.kind() == TokenKind::Colon { i.bump().0 } else { i };
    let (i, _) = tok(TokenKind::Equals)(i)?;
    bound(i, name, name_span, None)
}

/// The rest after `let`.
pub(super) fn declaration(i: Input<'_>) -> Res<'_, StmtKind> {
    let start = i.span();
    let i = if i.kind() == TokenKind::Dollar { i.bump().0 } else { i };
    let (i, name) = id(i)?;
    let name_span = i.span_from(start);
    let (i, _) = tok(TokenKind::Equals)(i)?;
    bound(i, name, name_span, None)
}

/// The rest after `foreach`.
pub(super) fn for_each(i: Input<'_>) -> Res<'_, StmtKind> {
    let i = if i.kind() == TokenKind::OpenParen { i.bump().0 } else { i };
    let (mut i, mut second) = loop_var(i)?;
    let mut first = unnamed(i, second.span);
    if i.kind() == TokenKind::Comma {
        (first, (i, second)) = (second, loop_var(i.bump().0)?);
    }
    let (i, _) = tok(TokenKind::In)(i)?;
    let (i, subject) = expr(i)?;
    let i = if i.kind() == TokenKind::CloseParen { i.bump().0 } else { i };
    let (i, body) = block(i)?;
    Ok((i, StmtKind::For { over: LoopOver::List, first, second, subject, body }))
}

/// A missing loop variable.
pub(super) fn unnamed(i: Input<'_>, span: Span) -> Param {
    Param { name: i.session.intern(""), span, ty: None }
}

/// The rest after `unless`.
pub(super) fn unless(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, cond) = expr(i)?;
    if_rest(i, cond)
}

/// `kind { "name":` and items.
pub(super) fn puppet(i: Input<'_>) -> Res<'_, StmtKind> {
    let (i, kind) = id(i)?;
    let kind_span = i.span_from(i.at(i.index() - 1).span());
    let open = i.index();
    let colon = (open..).find(|at| matches!(i.at(*at).kind(), TokenKind::Colon | TokenKind::End)).unwrap_or(open);
    let title = i.at(colon - 1);
    let name = i.session.error_expr(title.span());
    let (i, items) = body(i.at(colon + 1), open)?;
    let body_span = i.span_from(title.span());
    let resource = crate::ast::Resource { collect: None, kind, kind_span, name, items, body_span };
    Ok((i, StmtKind::Resource(Box::new(resource))))
}
