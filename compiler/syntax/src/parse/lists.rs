//! Comma-separated constructs, which all come in two forms. Language spec, 2.1.

use super::input::{Expected, Fail, Input, Res, Why, tok};
use super::mistakes;
use super::recover::begins_statement;
use super::unfinished::ends_list;
use crate::lex::TokenKind;

/// `[ element { "," element } ]` or `NL { element "," NL | NL }`, then the closing bracket.
///
/// A newline after the opening bracket selects the form.
pub(super) fn comma_list<'a, T>(
    i: Input<'a>,
    close: TokenKind,
    element: impl Fn(Input<'a>) -> Res<'a, T>,
) -> Res<'a, Vec<T>> {
    let open = i.index() - 1;
    if i.kind() == TokenKind::Newline { lines(i, open, close, element) } else { one_line(i, close, element) }
}

fn one_line<'a, T>(i: Input<'a>, close: TokenKind, element: impl Fn(Input<'a>) -> Res<'a, T>) -> Res<'a, Vec<T>> {
    if i.kind() == close {
        return Ok((i.bump().0, Vec::new()));
    }
    i.session.expect(i.index(), Expected::Token(close));
    let (mut i, first) = element(i)?;
    let mut items = vec![first];
    // The first line end tells how such a list is written; it holds for the others, too.
    let mut was_said = false;
    let mut said_once = |i: Input<'a>| if std::mem::replace(&mut was_said, true) { newlines(i) } else { said(i) };
    while i.kind() == TokenKind::Comma {
        let next = i.bump().0;
        let goes_on = next.kind() == TokenKind::Newline && !ends_list(newlines(next), close);
        let next = if goes_on { said_once(next) } else { next };
        if next.kind() == close {
            return Ok((said_once(next).bump().0, items));
        }
        let (after, item) = element(next)?;
        items.push(item);
        i = after;
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Comma));
    let i = if i.session.closes_later(i.index(), close) { said_once(i) } else { i };
    let (i, _) = tok(close)(i)?;
    Ok((i, items))
}

fn lines<'a, T>(
    mut i: Input<'a>,
    open: usize,
    close: TokenKind,
    element: impl Fn(Input<'a>) -> Res<'a, T>,
) -> Res<'a, Vec<T>> {
    let mut items = Vec::new();
    loop {
        if i.kind() == TokenKind::Newline {
            i = i.bump().0;
        } else if i.kind() == close {
            return Ok((i.bump().0, items));
        } else if i.kind() == TokenKind::Divide && mistakes::begins_comment(i) {
            i = mistakes::comment(i, i.index());
        } else {
            i.session.expect(i.index(), Expected::Token(close));
            if begins_statement(i) || i.kind() == TokenKind::CapIdent {
                mistakes::unclosed_list(i, open, &element)?;
            }
            let (after, item) = element(i)?;
            items.push(item);
            i = end_of_element(after, close)?;
        }
    }
}

/// `"," NL`. A missing part is reported, and treated as present.
fn end_of_element(after: Input<'_>, close: TokenKind) -> Result<Input<'_>, nom::Err<Fail>> {
    if after.kind() == close || after.session.closes_later(after.index(), close) {
        after.session.expect(after.index(), Expected::Token(TokenKind::Comma));
        return Ok(said(after));
    }
    let (after, _) = tok(TokenKind::Comma)(after)?;
    let is_comment = after.kind() == TokenKind::Divide && mistakes::begins_comment(after);
    let after = if is_comment { mistakes::comment(after, after.index()) } else { after };
    if after.kind() == close {
        after.session.expect(after.index(), Expected::Token(TokenKind::Newline));
        return Ok(said(after));
    }
    Ok(tok(TokenKind::Newline)(after)?.0)
}

/// Reports the next token as unexpected, and skips superfluous newlines.
fn said(i: Input<'_>) -> Input<'_> {
    i.session.refuse(Fail { at: i.index(), why: Why::Unexpected });
    newlines(i)
}

fn newlines(mut i: Input<'_>) -> Input<'_> {
    while i.kind() == TokenKind::Newline {
        i = i.bump().0;
    }
    i
}
