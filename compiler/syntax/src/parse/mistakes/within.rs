//! Mistakes within a statement of MCL: in the head of a loop, after the name of a bind, between two branches, after
//! the statement.

use super::meant::unnamed;
use super::notation::enclosing;
use super::statement::end_of_line;
use super::{text_ahead, touches, words};
use crate::ast::Param;
use crate::diag::codes;
use crate::lex::TokenKind;
use crate::parse::expr::newlines;
use crate::parse::input::{Expected, Input, Res, tok};
use crate::parse::recover::begins_statement;
use crate::parse::stmt::loop_var;
use crate::span::Span;

/// `"," var_id` in the head of a loop, missing in other languages.
pub(in crate::parse) fn second_loop_var(i: Input<'_>) -> Res<'_, Param> {
    i.session.unless_known(i.index())?;
    if i.kind() != TokenKind::In || i.session.is_attempt() {
        let (i, _) = tok(TokenKind::Comma)(i)?;
        return loop_var(i);
    }
    i.session.expect(i.index(), Expected::Token(TokenKind::Comma));
    let first = i.at(i.index() - 1);
    let is_over_map = i.index() > 2 && i.at(i.index() - 3).kind() == TokenKind::ForKv;
    i.session.mistake(i.index(), || {
        let name = text_ahead(first, 0);
        let (message, help) = match is_over_map {
            true => (
                "a `forkv` loop has two variables",
                format!(
                    "write `forkv $key, ${name} in …` for the values, or `forkv ${name}, $value in …` for the keys"
                ),
            ),
            false => (
                "a `for` loop has two variables",
                format!("write `for $index, ${name} in …`; over a map, `forkv $key, $value in …`"),
            ),
        };
        words::error(codes::FOREIGN_SYNTAX, message, first.span(), "found only one").help(help)
    });
    Ok((i, unnamed(i, i.span())))
}

/// A `{` on a later line where it is needed on this one: the input at it.
pub(in crate::parse) fn lower_brace(i: Input<'_>) -> Option<Input<'_>> {
    let session = i.session;
    if i.kind() != TokenKind::Newline || session.is_attempt() {
        return None;
    }
    let (open, ()) = newlines(i).ok()?;
    if open.kind() != TokenKind::OpenCurly {
        return None;
    }
    let end = session.tokens.tokens[i.index().checked_sub(1)?].end;
    let between = session.source.text.get(end as usize..open.span().start as usize).unwrap_or_default();
    // A comment in between would be lost.
    let moved = between.iter().all(u8::is_ascii_whitespace).then_some(Span { start: end, ..open.span() });
    session.expect(i.index(), Expected::Token(TokenKind::OpenCurly));
    session.mistake(i.index(), || words::lower_brace(i.span(), moved));
    Some(open)
}

/// `:=` or `+=` after the name of a bind.
pub(in crate::parse) fn assignment_sign<'a>(i: Input<'a>, name: &str) -> Option<Input<'a>> {
    let at = i.index();
    let is_sign = matches!(
        i.kind(),
        TokenKind::Colon | TokenKind::Plus | TokenKind::Minus | TokenKind::Multiply | TokenKind::Divide
    ) && i.kind_ahead(1) == TokenKind::Equals
        && touches(i, at + 1);
    let is_step = matches!(i.kind(), TokenKind::Plus | TokenKind::Minus) && i.kind_ahead(1) == i.kind();
    if i.session.is_attempt() || !(is_sign || is_step) {
        return None;
    }
    let end = i.at(at + 2);
    let span = end.span_from(i.span());
    if i.kind() == TokenKind::Colon {
        i.session.mistake(at, || words::sign(":=", "=", span, "a variable is defined with `=`"));
        return Some(end);
    }
    // The variable keeps its value: the rest of the line is ignored.
    let after = end_of_line(end);
    i.session.mistake(at, || {
        let operand = if is_step { "1".into() } else { text_between(end, after) };
        let is_list = operand.starts_with('[') && i.kind() == TokenKind::Plus;
        let help = match is_in_loop(i) {
            true if is_step => "a loop cannot count: for the number of elements, write `len($list)`".to_owned(),
            true if is_list => {
                "a loop does not collect values: write `iter.map($list, func($x) { … })`, after `import \"iter\"`".to_owned()
            }
            true => format!(
                "a loop does not add up values: write `iter.reduce(${name}, $list, func($acc, $x) {{ $acc {} $x }})`, after \
                 `import \"iter\"`",
                text_ahead(i, 0)
            ),
            false if is_list => {
                format!("define another variable: `$more = list.concat(${name}, {operand})`, after `import \"list\"`")
            }
            false => format!("define another variable: `$next = ${name} {} {operand}`", text_ahead(i, 0)),
        };
        words::error(codes::FOREIGN_SIGN, "a variable cannot be changed", span, format!("`${name}` has one value"))
            .help(help)
    });
    Some(after)
}

/// Whether a token is in the body of a loop.
fn is_in_loop(i: Input<'_>) -> bool {
    let Some(open) = enclosing(i) else { return false };
    let head = i.session.tokens.tokens[..open].iter().rev().take_while(|token| token.kind != TokenKind::Newline);
    head.last().is_some_and(|first| matches!(first.kind, TokenKind::For | TokenKind::ForKv))
}

/// The text from one place to another on the same line, if it is short.
fn text_between(from: Input<'_>, to: Input<'_>) -> String {
    const MOST: usize = 60;
    let (start, end) = (from.span().start as usize, to.span().start as usize);
    let text = from.session.source.text.get(start..end).unwrap_or_default();
    match String::from_utf8_lossy(text).trim() {
        text if text.is_empty() || text.len() > MOST || text.contains(['`', '#']) => "…".to_owned(),
        text => text.to_owned(),
    }
}

/// `else if` and its synonyms: the input at the condition.
pub(in crate::parse) fn else_if(i: Input<'_>) -> Option<Input<'_>> {
    let (at, word) = match (i.kind(), i.kind_ahead(1)) {
        (TokenKind::Else, TokenKind::If) => (i.index() + 1, "else if"),
        (TokenKind::Ident, _) if matches!(text_ahead(i, 0), "elsif" | "elif" | "elseif" | "elsf") => {
            (i.index(), text_ahead(i, 0))
        }
        _ => return None,
    };
    let span = i.at(at + 1).span_from(i.span());
    i.session.expect(at, Expected::Token(TokenKind::OpenCurly));
    i.session.mistake(at, || words::else_if(word, span));
    Some(i.at(at + 1))
}

/// A known mistake after a valid statement on the same line: where to continue.
pub(in crate::parse) fn after_statement(i: Input<'_>) -> Option<Input<'_>> {
    let next = match i.kind() {
        TokenKind::Semicolon => {
            i.session.mistake(i.index(), || match i.kind_ahead(1) {
                TokenKind::Newline => words::semicolon(i.span()),
                _ => words::semicolon_between(i.span()),
            });
            i.bump().0
        }
        TokenKind::Divide if super::begins_comment(i) => super::comment(i, i.index()),
        _ if begins_statement(i) => {
            i.session.mistake(i.index(), || {
                words::error(
                    codes::FOREIGN_SYNTAX,
                    "two statements on one line",
                    i.span(),
                    "expected the end of the line",
                )
                .help("start each statement on a new line")
            });
            return Some(i);
        }
        _ => return None,
    };
    Some(if next.kind() == TokenKind::Newline { next.bump().0 } else { next })
}
