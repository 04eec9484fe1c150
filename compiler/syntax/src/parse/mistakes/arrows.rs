//! Mistakes with the arrows `=>` and `->`, and with the keys before them.

use super::{find_on_line, text_ahead, words};
use crate::ast::ExprId;
use crate::diag::codes;
use crate::ident::Name;
use crate::lex::{Token, TokenKind};
use crate::parse::input::{Expected, Input, Res, tok};

/// A word as the key of a map.
pub(in crate::parse) fn bare_key(i: Input<'_>) -> Option<(Input<'_>, ExprId)> {
    let next = i.kind_ahead(1);
    let is_key = matches!(next, TokenKind::Rocket | TokenKind::Colon | TokenKind::Equals);
    if i.kind() != TokenKind::Ident || !is_key || i.session.is_attempt() || i.session.knows(i.index() + 1) {
        return None;
    }
    i.session.mistake(i.index() + 1, || match is_in_meta(i) {
        true => words::meta_key(text_ahead(i, 0), i.span()),
        false => words::bare_key(text_ahead(i, 0), i.span()),
    });
    Some((i.bump().0, i.session.error_expr(i.span())))
}

/// Whether the map around here is the value of `Meta`.
fn is_in_meta(i: Input<'_>) -> bool {
    let before = &i.session.tokens.tokens[..i.index()];
    let Some(open) = before.iter().rposition(|token| token.kind == TokenKind::OpenCurly) else { return false };
    match &before[..open] {
        [.., meta, rocket] => rocket.kind == TokenKind::Rocket && i.session.text(*meta) == "Meta",
        _ => false,
    }
}

/// Arrows of other languages between the ends of an edge.
pub(in crate::parse) fn foreign_arrow(i: Input<'_>) -> bool {
    let is_foreign = matches!(i.kind(), TokenKind::Rocket | TokenKind::Gt) && i.kind_ahead(1) == TokenKind::CapIdent;
    if !is_foreign || i.session.is_attempt() {
        return false;
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Arrow));
    i.session.mistake(i.index(), || words::sign(text_ahead(i, 0), "->", i.span(), "edges are written `->`".to_owned()));
    true
}

/// The arrow of another language in place of `=>`, or no arrow at all.
pub(in crate::parse) fn rocket<'a>(i: Input<'a>, place: &str) -> Res<'a, Token> {
    if i.session.is_attempt() {
        return tok(TokenKind::Rocket)(i);
    }
    let at = i.index();
    i.session.expect(at, Expected::Token(TokenKind::Rocket));
    i.session.unless_known(at)?;
    match i.kind() {
        TokenKind::Equals | TokenKind::Colon | TokenKind::Arrow | TokenKind::Eq | TokenKind::Gte => {
            i.session.expect(at, Expected::Token(TokenKind::Rocket));
            i.session.mistake(at, || {
                words::sign(text_ahead(i, 0), "=>", i.span(), format!("in {place}, write `=>` between name and value"))
            });
            Ok(i.bump())
        }
        TokenKind::Str | TokenKind::Int | TokenKind::Bool
            if i.kind_ahead(1) == TokenKind::Comma && find_on_line(i, TokenKind::OpenCurly).is_none() =>
        {
            i.session.expect(at, Expected::Token(TokenKind::Rocket));
            i.session.mistake(at, || {
                let before = i.at(at - 1).span();
                words::error(codes::FOREIGN_SIGN, "missing `=>` before this value", i.span(), "expected `=>`")
                    .help(format!("write `{} => {}`", i.session.text(i.session.tokens.tokens[at - 1]), text_shown(i)))
                    .edit(before.at_end(), " =>", "add `=>`")
            });
            Ok((i, i.session.tokens.tokens[at]))
        }
        _ => tok(TokenKind::Rocket)(i),
    }
}

/// The next token's text, if it is short.
fn text_shown(i: Input<'_>) -> Name {
    let text = text_ahead(i, 0);
    i.session.intern(if text.len() <= 40 && !text.is_empty() { text } else { "…" })
}
