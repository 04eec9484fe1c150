//! Mistakes made by users of other languages: a missing `$`, `elsif`, `foreach`, `//`, `=` for `=>`.
//!
//! The grammar asks a function when it cannot continue with the next tokens, so a valid program never comes here. If a
//! function recognises the intention, it reports it ([`Session::mistake`](super::session::Session::mistake)) and returns
//! the input after it, so that the rule continues as if the correct text were there and later errors are still found.
//!
//! Invariant: nothing is reported where the grammar could continue. So a valid program is read as if there were no such
//! functions, and the first error keeps the token at which the reference implementation reports it
//! (`tests/lalr_reference.rs`).

mod arrows;
mod exact;
mod expression;
mod function;
mod item;
mod local;
mod meant;
mod modules;
mod nameless;
mod notation;
mod phrases;
mod puppet;
mod repeated;
mod statement;
mod within;
mod words;

pub(super) use arrows::{bare_key, foreign_arrow, rocket};
pub(super) use expression::{bare_word, braced_variable, expression, is_dangling_dot, missing_dollar, unit};
pub(super) use item::{
    accepts_lowercase, bare_resource_name, comma, continued, foreign_edge, lowercase_half, semicolon, unclosed_body,
    unclosed_list, with_form,
};
pub(super) use modules::{double_colons, import_list};
pub(super) use notation::body;
pub(super) use puppet::ensure;
pub(super) use repeated::repeated;
pub(super) use statement::{may_be_statement, statement};
pub(super) use within::{after_statement, assignment_sign, else_if, lower_brace, second_loop_var};

use super::input::Input;
use crate::lex::{Token, TokenKind};

/// `//` or `/*`.
pub(super) fn begins_comment(i: Input<'_>) -> bool {
    let next = matches!(i.kind_ahead(1), TokenKind::Divide | TokenKind::Multiply);
    i.kind() == TokenKind::Divide && next && touches(i, i.index() + 1)
}

/// `//` between two values, as in `$n // 2` and `{…} // {…}`: an operator of another language. `i` is at the first `/`.
pub(super) fn is_quotient(i: Input<'_>) -> bool {
    use TokenKind::{CloseCurly, Dollar, Float, Ident, Int, Newline, OpenCurly};
    let behind = |n: usize| i.index().checked_sub(n).map_or(Newline, |before| i.at(before).kind());
    let is_map = behind(1) == CloseCurly || behind(1) == Ident && behind(2) == Dollar;
    match [i.kind_ahead(2), i.kind_ahead(3), i.kind_ahead(4)] {
        [OpenCurly, ..] => is_map,
        [Int | Float, Newline, _] | [Dollar, Ident, Newline] => true,
        _ => false,
    }
}

/// Skips such a comment. `at` is the unexpected token.
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

/// Whether the token begins where the previous one ends.
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

/// The text of a token further ahead.
fn text_ahead(i: Input<'_>, ahead: usize) -> &str {
    i.session.tokens.tokens.get(i.index() + ahead).map_or("", |token: &Token| i.session.text(*token))
}
