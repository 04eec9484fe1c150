//! Recovery after a syntax error: finds where the next statement or item begins.

use super::input::Input;
use crate::lex::{Token, TokenKind};

/// Matching brackets; computed once, so that skipping a bracketed part costs nothing.
pub struct Partners {
    /// By token index; 0 for an opening bracket without a partner, and for all other tokens.
    closer: Vec<u32>,
}

impl Partners {
    /// Matches all brackets of a file.
    pub fn new(tokens: &[Token]) -> Partners {
        let mut closer = vec![0; tokens.len()];
        let mut open: Vec<(TokenKind, usize)> = Vec::new();
        let mut n_open_curly = 0usize;
        for (at, token) in tokens.iter().enumerate() {
            let Some(opener) = opener_of(token.kind) else {
                if is_opener(token.kind) {
                    n_open_curly += usize::from(token.kind == TokenKind::OpenCurly);
                    open.push((token.kind, at));
                }
                continue;
            };
            // A `}` closes everything left open inside it; the other brackets never match across braces.
            if opener == TokenKind::OpenCurly && n_open_curly == 0 {
                continue;
            }
            while let Some((kind, from)) = open.last().copied() {
                if kind == TokenKind::OpenCurly && opener != TokenKind::OpenCurly {
                    break;
                }
                open.pop();
                if kind == opener {
                    n_open_curly -= usize::from(kind == TokenKind::OpenCurly);
                    closer[from] = at as u32;
                    break;
                }
            }
        }
        Partners { closer }
    }

    /// The last unclosed opening bracket.
    pub(super) fn unclosed(&self, tokens: &[Token]) -> Option<usize> {
        (0..tokens.len()).rev().find(|at| is_opener(tokens[*at].kind) && self.closer[*at] == 0)
    }

    /// The index of the closing bracket.
    pub fn closer(&self, opener: usize) -> Option<usize> {
        let closer = self.closer[opener] as usize;
        (closer > 0).then_some(closer)
    }
}

/// Whether this token opens a bracket.
pub fn is_opener(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::OpenCurly | TokenKind::OpenParen | TokenKind::OpenBrack)
}

/// The opening bracket of a closing one.
fn opener_of(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::CloseCurly => Some(TokenKind::OpenCurly),
        TokenKind::CloseParen => Some(TokenKind::OpenParen),
        TokenKind::CloseBrack => Some(TokenKind::OpenBrack),
        _ => None,
    }
}

/// Whether the place is inside braces that a `}` closes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    File,
    Braces,
}

/// The end of a broken statement: the newline after it, or the `}` of the block around it.
///
/// Brackets open at the error are closed first, unless a line begins like a statement: then a closing bracket is
/// missing.
pub(super) fn statement_end(from: Input<'_>, error_at: usize, within: Within) -> Input<'_> {
    let tokens = &from.session.tokens.tokens;
    let mut n_open = 0usize;
    for token in &tokens[from.index()..error_at] {
        if is_opener(token.kind) {
            n_open += 1;
        } else if opener_of(token.kind).is_some() {
            n_open = n_open.saturating_sub(1);
        }
    }
    let mut at = error_at;
    loop {
        let kind = tokens[at].kind;
        match kind {
            TokenKind::End => return from.at(at),
            TokenKind::Newline if n_open == 0 || begins_statement(from.at(at + 1)) => return from.at(at),
            TokenKind::CloseCurly if n_open == 0 && within == Within::Braces => return from.at(at),
            _ if is_opener(kind) => at = from.session.partners.closer(at).unwrap_or(at),
            _ if opener_of(kind).is_some() => n_open = n_open.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
}

/// The end of a broken item of a resource: after its comma, or at the end of its line. `None` if it does not look like
/// an item, as when the `}` of the resource is missing.
pub(super) fn item_end(from: Input<'_>, error_at: usize) -> Option<Input<'_>> {
    let tokens = &from.session.tokens.tokens;
    let has_rocket = tokens[from.index()..error_at].iter().any(|token| token.kind == TokenKind::Rocket);
    if begins_statement(from) {
        return None;
    }
    let mut at = from.index();
    loop {
        let kind = tokens[at].kind;
        match kind {
            TokenKind::End => return None,
            TokenKind::Comma if at >= error_at => return Some(from.at(at + 1)),
            TokenKind::Newline | TokenKind::CloseCurly => {
                return (has_rocket && at >= error_at).then(|| from.at(at));
            }
            _ if is_opener(kind) => at = from.session.partners.closer(at)?,
            _ => {}
        }
        at += 1;
    }
}

/// Whether a line that begins here looks like a statement, and like nothing else.
pub(super) fn begins_statement(i: Input<'_>) -> bool {
    match i.kind() {
        TokenKind::Class | TokenKind::Import | TokenKind::Include | TokenKind::For | TokenKind::ForKv => true,
        TokenKind::Panic => i.kind_ahead(1) == TokenKind::OpenParen,
        TokenKind::Func => i.kind_ahead(1) == TokenKind::Ident,
        TokenKind::Dollar => i.kind_ahead(1) == TokenKind::Ident && i.kind_ahead(2) == TokenKind::Equals,
        TokenKind::Ident => i.kind_ahead(1) == TokenKind::Str && i.kind_ahead(2) == TokenKind::OpenCurly,
        TokenKind::CapIdent => i.kind_ahead(1) == TokenKind::OpenBrack,
        _ => false,
    }
}
