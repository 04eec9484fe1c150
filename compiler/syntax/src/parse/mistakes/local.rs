//! Variables that are defined as in other languages.

use super::expression::end_of_name;
use super::{find_on_line, phrases};
use crate::lex::{Token, TokenKind};
use crate::parse::input::Input;
use crate::parse::session::Session;

/// Whether the file has a variable of this name, or defines one as another language does: `let name = 1`, `name := 1`.
pub(super) fn is_variable(session: &Session<'_>, name: &str) -> bool {
    let begins_line = |token: Token| {
        let before = (token.start as usize).checked_sub(1);
        before.is_none_or(|before| session.source.text[before] == b'\n')
    };
    let mut threes = session.tokens.tokens.windows(3);
    session.has_variable(name)
        || is_parameter(session, name)
        || threes.any(|three| {
            let is_bind = matches!(
                [three[1].kind, three[2].kind],
                [TokenKind::Equals, _] | [TokenKind::Colon, TokenKind::Equals]
            );
            is_bind && begins_line(three[0]) && session.text(three[0]) == name
                || phrases::declares_variable(session.text(three[0])) && session.text(three[1]) == name
        })
}

/// Whether a function or class of the file has a parameter of this name without its `$`: `func greet(name)`.
fn is_parameter(session: &Session<'_>, name: &str) -> bool {
    let tokens = &session.tokens.tokens;
    tokens.windows(3).enumerate().any(|(at, three)| {
        let is_head = matches!(three[0].kind, TokenKind::Func | TokenKind::Class)
            && three[1].kind == TokenKind::Ident
            && three[2].kind == TokenKind::OpenParen;
        let Some(close) = session.partners.closer(at + 2).filter(|_| is_head) else { return false };
        tokens[at + 2..close].windows(2).any(|pair| {
            let begins = matches!(pair[0].kind, TokenKind::OpenParen | TokenKind::Comma);
            begins && pair[1].kind == TokenKind::Ident && session.text(pair[1]) == name
        })
    })
}

/// A variable defined on its own line where a block has a value, as in the body of a function: `let x = 1`, `x := 1`.
/// Its name, and the end of that block, whose value is not known.
pub(super) fn local_variable<'a>(after: Input<'a>, name: &str) -> Option<(String, Input<'a>)> {
    let session = after.session;
    let variable = match name {
        "let" | "const" | "var" | "val" | "final" | "local" | "readonly" | "my" | "auto" => {
            let first = if after.kind() == TokenKind::Dollar { after.bump().0 } else { after };
            let is_name = matches!(first.kind(), TokenKind::Ident | TokenKind::CapIdent);
            find_on_line(first, TokenKind::Equals).filter(|_| is_name)?;
            let whole = end_of_name(first).span_from(first.span());
            String::from_utf8_lossy(&session.source.text[whole.start as usize..whole.end as usize]).into_owned()
        }
        _ => {
            let colon = usize::from(after.kind() == TokenKind::Colon);
            if after.kind_ahead(colon) != TokenKind::Equals {
                return None;
            }
            name.to_owned()
        }
    };
    let tokens = &session.tokens.tokens;
    let word = after.index().checked_sub(1)?;
    let before = tokens[word.checked_sub(1)?].kind;
    if !matches!(before, TokenKind::Newline | TokenKind::OpenCurly) {
        return None;
    }
    let closes_later = |open: &usize| session.partners.closer(*open).is_some_and(|close| close > word);
    let open = (0..word).rev().find(closes_later)?;
    let close = session.partners.closer(open)?;
    // After these signs, the brace begins a map.
    let is_map = tokens[..open].iter().rfind(|token| token.kind != TokenKind::Newline).is_some_and(|before| {
        use TokenKind::{Comma, Equals, OpenBrack, OpenParen, Rocket};
        matches!(before.kind, Comma | Equals | OpenBrack | OpenParen | Rocket)
    });
    (tokens[open].kind == TokenKind::OpenCurly && !is_map).then(|| (variable, after.at(close)))
}
