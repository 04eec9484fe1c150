//! Mistakes of people who know another language: a missing `$`, `elsif`, `foreach`, `//`, `=` for `=>`.
//!
//! Each function looks at a place where the grammar has no way on. If it knows what was meant, it says so
//! ([`Session::mistake`](super::session::Session::mistake)) and returns the input behind it, so that the rule goes on
//! as if the right thing stood there, and what is wrong further on is still found.
//!
//! Invariant: nothing is said where the grammar could go on. Hence a sound program never comes here, and the first
//! error keeps the token at which the reference implementation reports it.

mod expression;
mod item;
mod phrases;
mod statement;
mod words;

pub(super) use expression::{
    bare_key, bare_word, braced_variable, expression, foreign_arrow, is_dangling_dot, missing_dollar, rocket, unit,
};
pub(super) use item::{
    accepts_lowercase, bare_resource_name, comma, foreign_edge, lowercase_half, semicolon, unclosed_body, unclosed_list,
};
pub(super) use statement::{
    after_statement, assignment_sign, double_colons, else_if, may_be_statement, second_loop_var, statement,
    swapped_loop_vars,
};

use super::input::Input;
use crate::lex::{Token, TokenKind};

/// `//` or `/*`.
pub(super) fn begins_comment(i: Input<'_>) -> bool {
    let next = matches!(i.kind_ahead(1), TokenKind::Divide | TokenKind::Multiply);
    i.kind() == TokenKind::Divide && next && touches(i, i.index() + 1)
}

/// Passes over such a comment. `at` is the token that cannot follow.
pub(super) fn comment(i: Input<'_>, at: usize) -> Input<'_> {
    let session = i.session;
    let text = &session.source.text;
    let start = i.span().start as usize;
    let line_end = text[start..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |len| start + len);
    let is_block = i.kind_ahead(1) == TokenKind::Multiply;
    let end = match is_block {
        true => text[start..].windows(2).position(|two| two == b"*/").map_or(line_end, |len| start + len + 2),
        false => line_end,
    };
    let span = crate::span::Span { end: end as u32, ..i.span() };
    session.mistake(at, || words::comment(span, is_block, &text[start..line_end.min(end)]));
    session.skip(span);
    let behind = session.tokens.tokens.partition_point(|token| (token.start as usize) < end);
    i.at(behind.clamp(at, session.tokens.tokens.len() - 1))
}

/// The token begins where the one before it ends.
fn touches(i: Input<'_>, at: usize) -> bool {
    let tokens = &i.session.tokens.tokens;
    tokens.get(at).is_some_and(|token| at > 0 && tokens[at - 1].end == token.start)
}

/// The first token of a kind on the rest of the line.
fn find_on_line(i: Input<'_>, kind: TokenKind) -> Option<usize> {
    let tokens = &i.session.tokens.tokens[i.index()..];
    let mut line = tokens.iter().take_while(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::End));
    line.position(|token| token.kind == kind).map(|ahead| i.index() + ahead)
}

/// The text of the token that many places on.
fn text_ahead(i: Input<'_>, ahead: usize) -> &str {
    i.session.tokens.tokens.get(i.index() + ahead).map_or("", |token: &Token| i.session.text(*token))
}
