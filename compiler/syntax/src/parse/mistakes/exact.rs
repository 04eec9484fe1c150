//! Messages whose help repeats the user's text.

use super::statement::{end_of_line, short_value};
use super::{find_on_line, text_ahead, words};
use crate::diag::Diagnostic;
use crate::lex::TokenKind;
use crate::parse::input::Input;
use crate::parse::written;

/// `unless $x {`
pub(super) fn unless(i: Input<'_>) -> Diagnostic {
    const MOST: usize = 60;
    let open = i.at(find_on_line(i, TokenKind::OpenCurly).unwrap_or(i.index() + 1));
    let head = open.span_from(i.span());
    let cond = open.span_from(i.bump().0.span());
    let text = String::from_utf8_lossy(&i.session.source.text[cond.start as usize..cond.end as usize]);
    let is_one = i.bump().0.kind() == TokenKind::OpenParen
        && i.session.partners.closer(i.index() + 1).is_some_and(|close| close + 1 == open.index());
    let is_short = text.len() <= MOST && !text.contains(['`', '\n']);
    let text = match text.trim() {
        _ if !is_short => "$cond".to_owned(),
        text if is_one || !text.contains(' ') => text.replace('\'', "\""),
        text => format!("({})", text.replace('\'', "\"")),
    };
    let said = words::foreign(
        "MCL has no `unless`",
        i.span(),
        "not an MCL statement",
        format!("write `if not {text} {{ … }}`"),
    );
    if is_short { said.edit(head, format!("if not {text}"), format!("write `if not {text}`")) } else { said }
}

/// `variable "port" {` as the definition of a variable, with its default if that is a short one.
pub(super) fn hcl_variable(i: Input<'_>) -> Option<String> {
    if text_ahead(i, 0) != "variable" || i.kind_ahead(1) != TokenKind::Str {
        return None;
    }
    let name = text_ahead(i, 1).trim_matches('"');
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let is_name = name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_part);
    let open = find_on_line(i, TokenKind::OpenCurly)?;
    let close = i.session.partners.closer(open)?;
    let is_default = |at: &usize| text_ahead(i.at(*at), 0) == "default" && i.at(*at).kind_ahead(1) == TokenKind::Equals;
    let value = (open..close).find(is_default).map_or("…", |at| short_value(i.at(at + 2)));
    is_name.then(|| format!("write `${name} = {value}`"))
}

/// `key: value` as the definition of a variable, if the value is a short one.
pub(super) fn yaml_pair(i: Input<'_>) -> Option<String> {
    const MOST: usize = 40;
    // After `-` there may be nothing at all.
    if i.kind() != TokenKind::Ident || i.kind_ahead(1) != TokenKind::Colon || i.kind_ahead(2) == TokenKind::Newline {
        return None;
    }
    let value = i.at(i.index() + 2);
    let span = end_of_line(value).span_from(value.span());
    let text = std::str::from_utf8(&i.session.source.text[span.start as usize..span.end as usize]).ok()?.trim();
    let is_value = !text.is_empty() && text.len() <= MOST && !text.contains(['`', '{', '|', '>', '&', '*', '#', ':']);
    is_value.then(|| format!("${} = {}", text_ahead(i, 0), written::as_value(text)))
}
