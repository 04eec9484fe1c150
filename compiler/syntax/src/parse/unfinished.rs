//! What is meant where a list continues after the end of its line, an arrow follows a body, and an `else` has no `if`.

use super::input::Input;
use super::recover::begins_statement;
use super::session::Session;
use crate::ident::capitalized;
use crate::lex::TokenKind;

/// The help at the end of a line after a comma.
pub(super) fn after_comma(session: &Session<'_>, at: usize) -> String {
    let tokens = &session.tokens.tokens;
    let Some(open) = innermost_open(session, at) else {
        return "write all elements on one line, or begin a new line after the opening bracket and after each comma"
            .into();
    };
    let sign = session.text(tokens[open]);
    let (close, own) = match tokens[open].kind {
        TokenKind::OpenParen => (")", TokenKind::CloseParen),
        TokenKind::OpenBrack => ("]", TokenKind::CloseBrack),
        _ => ("}", TokenKind::CloseCurly),
    };
    let next = tokens[at..].iter().position(|token| token.kind != TokenKind::Newline);
    let next = Input::new(session).at(at + next.unwrap_or(0));
    if begins_statement(next) || next.kind() == TokenKind::End {
        format!("replace the comma with the missing `{close}`")
    } else if ends_list(next, own) {
        format!("write the missing `{close}` before the comma")
    } else {
        format!("write all elements on one line, or begin a new line after the `{sign}` and after each comma")
    }
}

/// The help at a closing bracket directly after an open one, which may be on another line: `f(`, and `}` below it, or
/// the empty body of a function.
pub(super) fn after_open(session: &Session<'_>, at: usize) -> Option<String> {
    let tokens = &session.tokens.tokens;
    let open = tokens[..at].iter().rev().find(|token| token.kind != TokenKind::Newline)?;
    let own = match open.kind {
        TokenKind::OpenParen => TokenKind::CloseParen,
        TokenKind::OpenBrack => TokenKind::CloseBrack,
        TokenKind::OpenCurly => TokenKind::CloseCurly,
        _ => return None,
    };
    Some(match own {
        TokenKind::CloseCurly if own == tokens[at].kind => "write a value in the braces: `{ … }`".into(),
        _ if own == tokens[at].kind => "write a value in the brackets".into(),
        TokenKind::CloseParen => "add the missing `)`".into(),
        TokenKind::CloseBrack => "add the missing `]`".into(),
        _ => "add the missing `}`".into(),
    })
}

/// The help at a closing bracket after a comma.
pub(super) fn before_close(session: &Session<'_>, at: usize) -> String {
    match session.tokens.tokens[at].kind {
        _ if closes_other(session, at) => after_comma(session, at),
        TokenKind::CloseParen => "remove the trailing comma".into(),
        _ => "remove the trailing comma: it is only allowed with one element per line".into(),
    }
}

/// Whether a closing bracket is not that of the innermost bracket which is open on its line, as in `["a", }`.
fn closes_other(session: &Session<'_>, at: usize) -> bool {
    let tokens = &session.tokens.tokens;
    innermost_open(session, at).is_some_and(|open| {
        let own = match tokens[open].kind {
            TokenKind::OpenParen => TokenKind::CloseParen,
            TokenKind::OpenBrack => TokenKind::CloseBrack,
            _ => TokenKind::CloseCurly,
        };
        tokens[at].kind != own
    })
}

/// Whether a list that ends with `own` cannot continue here: a statement begins, another bracket is closed, or the file
/// ends.
pub(super) fn ends_list(i: Input<'_>, own: TokenKind) -> bool {
    let closes = matches!(i.kind(), TokenKind::CloseParen | TokenKind::CloseBrack | TokenKind::CloseCurly);
    begins_statement(i) || i.kind() == TokenKind::End || closes && i.kind() != own
}

/// The innermost bracket that is open at a token, if it is on the same line.
fn innermost_open(session: &Session<'_>, at: usize) -> Option<usize> {
    let mut n_closed = 0usize;
    for before in (0..at).rev() {
        match session.tokens.tokens[before].kind {
            TokenKind::Newline => return None,
            TokenKind::CloseParen | TokenKind::CloseBrack | TokenKind::CloseCurly => n_closed += 1,
            TokenKind::OpenParen | TokenKind::OpenBrack | TokenKind::OpenCurly if n_closed > 0 => n_closed -= 1,
            TokenKind::OpenParen | TokenKind::OpenBrack | TokenKind::OpenCurly => return Some(before),
            _ => {}
        }
    }
    None
}

/// The edge that is meant by `} -> svc "x" {`; `at` is the arrow.
pub(super) fn edge_between(session: &Session<'_>, at: usize) -> String {
    let tokens = &session.tokens.tokens;
    let kind = |at: usize| tokens.get(at).map_or(TokenKind::End, |token| token.kind);
    let half = |at: usize| {
        let is_resource = kind(at) == TokenKind::Ident && kind(at + 1) == TokenKind::Str;
        is_resource.then(|| format!("{}[{}]", capitalized(session.text(tokens[at])), session.text(tokens[at + 1])))
    };
    let close = at.saturating_sub(1);
    let open = (0..close).rev().find(|open| session.partners.closer(*open) == Some(close));
    let first = open.and_then(|open| open.checked_sub(2)).filter(|at| *at == 0 || kind(at - 1) == TokenKind::Newline);
    match (first.and_then(half), half(at + 1)) {
        (Some(first), Some(second)) => format!("write the edge after both resources: `{first} -> {second}`"),
        _ => "an edge is a separate statement: `Kind[\"a\"] -> Kind[\"b\"]`".into(),
    }
}

/// Whether the line before a token ends the block of an `if`.
pub(super) fn follows_if(session: &Session<'_>, at: usize) -> bool {
    let tokens = &session.tokens.tokens;
    let mut before = (0..at).rev().skip_while(|at| tokens[*at].kind == TokenKind::Newline);
    let Some(close) = before.next().filter(|close| tokens[*close].kind == TokenKind::CloseCurly) else { return false };
    let mut n_closed = 1usize;
    for at in (0..close).rev() {
        match tokens[at].kind {
            TokenKind::CloseCurly => n_closed += 1,
            TokenKind::OpenCurly => n_closed -= 1,
            _ => {}
        }
        if n_closed == 0 {
            let mut line = tokens[..at].iter().rev().take_while(|token| token.kind != TokenKind::Newline);
            return line.any(|token| token.kind == TokenKind::If);
        }
    }
    false
}
