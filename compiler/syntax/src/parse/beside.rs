//! What is meant by two parts of the language side by side that the grammar keeps apart: edges, bodies, variables.

use super::input::ExpectedSet;
use super::nearby::{begins_with, ends_resource};
use super::session::Session;
use super::unfinished;
use crate::lex::TokenKind;

/// The help at the second part, which is the unexpected token.
pub(super) fn help(session: &Session<'_>, at: usize, expected: ExpectedSet) -> Option<String> {
    let tokens = &session.tokens.tokens;
    let before = tokens[at.checked_sub(1)?];
    let touches = before.end == tokens[at].start;
    let ahead = at.checked_sub(2).map_or("", |at| session.text(tokens[at]));
    let next = tokens.get(at + 1).filter(|next| next.kind == TokenKind::Ident).map(|next| session.text(*next));
    let follows_edge = || before.kind == TokenKind::CloseBrack && begins_with(session, at, TokenKind::CapIdent);
    let ends_statement = expected.has(TokenKind::Newline);
    Some(match tokens[at].kind {
        TokenKind::Comma if ends_statement && follows_edge() => "write each edge on a separate line".into(),
        TokenKind::OpenCurly if ends_statement && follows_edge() => "an edge has no body: remove the braces".into(),
        TokenKind::OpenCurly if ends_statement && ends_resource(session, at) => {
            "a resource has one body: write all its fields into the first braces".into()
        }
        TokenKind::Dollar if before.kind == TokenKind::Dollar => format!("a variable has one `$`: write `${}`", next?),
        TokenKind::Dollar if before.kind == TokenKind::Ident && touches && ahead == "$" => {
            format!("strings are joined with `+`: write `${} + ${}`", session.text(before), next?)
        }
        _ if expected.has(TokenKind::In)
            && !expected.has(TokenKind::OpenCurly)
            && begins_with(session, at, TokenKind::ForKv) =>
        {
            "write a loop over a map as `forkv $key, $value in $map { … }`".into()
        }
        TokenKind::CloseParen | TokenKind::CloseBrack | TokenKind::CloseCurly if expected.has_expression() => {
            return unfinished::after_open(session, at);
        }
        _ => return None,
    })
}
