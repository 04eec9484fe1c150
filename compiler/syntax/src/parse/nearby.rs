//! What is near a token: its line, the braces around it, and the word that it begins.

use super::session::Session;
use crate::lex::{Token, TokenKind};
use crate::span::Span;
use std::borrow::Cow;

/// The word that begins with a token, and its place: capital letters and words are separate tokens.
pub(super) fn word_at<'s>(session: &'s Session<'_>, at: usize) -> (Cow<'s, str>, Span) {
    let rest = &session.tokens.tokens[at..];
    let is_part = |token: &Token| session.text(*token).bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let touching = rest.windows(2).take_while(|pair| pair[0].end == pair[1].start && is_part(&pair[1])).count();
    let word = &rest[..=touching];
    let place = Span { end: word[touching].end, ..session.span_of(word[0]) };
    (word.iter().map(|token| session.text(*token)).collect(), place)
}

/// Whether a word looks like `HOME`.
pub(super) fn is_variable_of_the_environment(session: &Session<'_>, at: usize) -> bool {
    let (word, _) = word_at(session, at);
    word.len() > 1 && !word.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// Whether the word that begins with a token is the name of a called function.
pub(super) fn is_called(session: &Session<'_>, at: usize) -> bool {
    let (_, word) = word_at(session, at);
    session.source.text.get(word.end as usize) == Some(&b'(')
}

/// Whether the line of a token begins with this word.
pub(super) fn begins_with(session: &Session<'_>, at: usize, word: TokenKind) -> bool {
    let before = session.tokens.tokens[..at].iter().rev();
    before.take_while(|token| token.kind != TokenKind::Newline).last().is_some_and(|first| first.kind == word)
}

/// The word at the start of a line whose braces end before a token, as in `web {}`, and the index of its `{`.
pub(super) fn word_of_braces<'s>(session: &'s Session<'_>, at: usize) -> Option<(&'s str, usize)> {
    let word = before_braces(session, at).filter(|word| is_first(session, *word))?;
    Some((session.text(session.tokens.tokens[word]), word + 1))
}

/// The kind in `collect file {}`, whose braces end before a token.
pub(super) fn collected<'s>(session: &'s Session<'_>, at: usize) -> Option<&'s str> {
    let tokens = &session.tokens.tokens;
    let is_collected = |word: &usize| word.checked_sub(1).is_some_and(|at| tokens[at].kind == TokenKind::Collect);
    before_braces(session, at).filter(is_collected).map(|word| session.text(tokens[word]))
}

/// The word before the braces that end before a token.
fn before_braces(session: &Session<'_>, at: usize) -> Option<usize> {
    const MOST: usize = 200;
    let close = at.checked_sub(1)?;
    let open = (0..close).rev().take(MOST).find(|open| session.partners.closer(*open) == Some(close))?;
    let word = open.checked_sub(1)?;
    (session.tokens.tokens[word].kind == TokenKind::Ident).then_some(word)
}

/// Whether the braces that end before a token are the body of a resource: `file "/a" { … }`.
pub(super) fn ends_resource(session: &Session<'_>, at: usize) -> bool {
    const MOST: usize = 200;
    let tokens = &session.tokens.tokens;
    let Some(close) = at.checked_sub(1) else { return false };
    let open = (0..close).rev().take(MOST).find(|open| session.partners.closer(*open) == Some(close));
    open.is_some_and(|open| {
        open > 0 && tokens[open - 1].kind == TokenKind::Str && begins_with(session, open, TokenKind::Ident)
    })
}

/// Whether the innermost open brace before a token is that of an `if`.
pub(super) fn is_within_if(session: &Session<'_>, at: usize) -> bool {
    const MOST: usize = 1_000;
    let is_open = |open: &usize| {
        session.tokens.tokens[*open].kind == TokenKind::OpenCurly
            && session.partners.closer(*open).is_none_or(|close| close > at)
    };
    let open = (0..at).rev().take(MOST).find(is_open);
    open.is_some_and(|open| begins_with(session, open, TokenKind::If))
}

/// Whether a token begins its line.
pub(super) fn is_first(session: &Session<'_>, at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| session.tokens.tokens[before].kind == TokenKind::Newline)
}

/// Whether each `{` of these tokens is closed.
pub(super) fn is_closed(tokens: &[Token]) -> bool {
    let count = |kind: TokenKind| tokens.iter().filter(|token| token.kind == kind).count();
    count(TokenKind::OpenCurly) <= count(TokenKind::CloseCurly)
}

/// Whether the line of a token begins a class or a function before it.
pub(super) fn has_parameters(session: &Session<'_>, at: usize) -> bool {
    let mut line = session.tokens.tokens[..at].iter().rev().take_while(|token| token.kind != TokenKind::Newline);
    line.any(|token| matches!(token.kind, TokenKind::Class | TokenKind::Func))
}

/// `-e` in a shell command: `set -e`, `if [ -f … ]`.
pub(super) fn is_option(session: &Session<'_>, at: usize) -> bool {
    let tokens = &session.tokens.tokens;
    let kind = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or(TokenKind::Newline, |token| token.kind);
    let is_word = kind(Some(at + 1)) == TokenKind::Ident && tokens[at].end == tokens[at + 1].start;
    let before = (kind(at.checked_sub(2)), kind(at.checked_sub(1)));
    is_word && matches!(before, (TokenKind::If, TokenKind::OpenBrack) | (TokenKind::Newline, TokenKind::Ident))
}
