//! The comma separated constructs, which all come in two forms. Language spec, 2.1.

use super::input::{Expected, Input, Res, tok};
use crate::lex::TokenKind;

/// `[ element { "," element } ]` or `NL { element "," NL | NL }`, then the closing bracket.
///
/// A newline behind the opening bracket decides which.
pub(super) fn comma_list<'a, T>(
    i: Input<'a>,
    close: TokenKind,
    element: impl Fn(Input<'a>) -> Res<'a, T>,
) -> Res<'a, Vec<T>> {
    if i.kind() == TokenKind::Newline { lines(i, close, element) } else { one_line(i, close, element) }
}

fn one_line<'a, T>(i: Input<'a>, close: TokenKind, element: impl Fn(Input<'a>) -> Res<'a, T>) -> Res<'a, Vec<T>> {
    if i.kind() == close {
        return Ok((i.bump().0, Vec::new()));
    }
    i.session.expect(i.index(), Expected::Token(close));
    let (mut i, first) = element(i)?;
    let mut items = vec![first];
    while i.kind() == TokenKind::Comma {
        let (after, item) = element(i.bump().0)?;
        items.push(item);
        i = after;
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Comma));
    let (i, _) = tok(close)(i)?;
    Ok((i, items))
}

fn lines<'a, T>(mut i: Input<'a>, close: TokenKind, element: impl Fn(Input<'a>) -> Res<'a, T>) -> Res<'a, Vec<T>> {
    let mut items = Vec::new();
    loop {
        if i.kind() == TokenKind::Newline {
            i = i.bump().0;
        } else if i.kind() == close {
            return Ok((i.bump().0, items));
        } else {
            i.session.expect(i.index(), Expected::Token(close));
            let (after, item) = element(i)?;
            items.push(item);
            let (after, _) = tok(TokenKind::Comma)(after)?;
            let (after, _) = tok(TokenKind::Newline)(after)?;
            i = after;
        }
    }
}
