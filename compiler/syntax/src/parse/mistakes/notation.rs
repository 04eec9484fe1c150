//! Bodies of resources in the notation of another tool: `{state: running}`, `{ mode = "0644" }`.
//!
//! Such a body is one mistake, however many of its signs are wrong: its help is the whole resource in MCL.

use super::local::is_variable;
use super::{text_ahead, touches, words};
use crate::ast::{Item, ItemKind};
use crate::diag::{Diagnostic, codes};
use crate::lex::TokenKind;
use crate::parse::input::{Expected, Input};
use crate::parse::written;
use crate::span::Span;

/// The maximum number of fields that are read.
const MOST: usize = 24;

/// A field as it was written.
pub(super) struct Field<'a> {
    pub(super) name: &'a str,
    name_span: Span,
    pub(super) value: &'a str,
    /// The index after its value.
    end: usize,
}

/// The fields from here on, up to `close`, or to what is not a field.
pub(super) fn fields<'a>(i: Input<'a>, close: usize) -> (Vec<Field<'a>>, usize) {
    let mut fields = Vec::new();
    let mut at = i.index();
    while at < close && fields.len() < MOST {
        if matches!(i.at(at).kind(), TokenKind::Newline | TokenKind::Comma) {
            at += 1;
            continue;
        }
        let Some(field) = field(i.at(at), close) else { break };
        at = field.end;
        fields.push(field);
    }
    (fields, at)
}

/// `name: value`, `name = value` or `name => value`, with a value of one part.
fn field(i: Input<'_>, close: usize) -> Option<Field<'_>> {
    let is_sign = matches!(i.kind_ahead(1), TokenKind::Colon | TokenKind::Equals | TokenKind::Rocket);
    if i.kind() != TokenKind::Ident || !is_sign || i.index() + 2 >= close {
        return None;
    }
    let value = i.at(i.index() + 2);
    let end = end_of_value(value, close)?;
    let ends = |kind| matches!(kind, TokenKind::Newline | TokenKind::Comma | TokenKind::Semicolon);
    if end != close && !ends(i.at(end).kind()) {
        return None;
    }
    let span = value.at(end).span_from(value.span());
    Some(Field { name: text_ahead(i, 0), name_span: i.span(), value: text_of(i, span)?, end })
}

/// The index after a string, a word, a variable, a list or a path.
fn end_of_value(i: Input<'_>, close: usize) -> Option<usize> {
    let at = i.index();
    match i.kind() {
        TokenKind::Str | TokenKind::Bool => Some(at + 1),
        TokenKind::OpenBrack => {
            let end = i.session.partners.closer(at)?;
            let is_part = |at: usize| {
                let kind = i.at(at).kind();
                matches!(kind, TokenKind::Str | TokenKind::Ident | TokenKind::Int | TokenKind::Bool | TokenKind::Comma)
            };
            (end < close && (at + 1..end).all(is_part)).then_some(end + 1)
        }
        TokenKind::CapIdent if i.kind_ahead(1) == TokenKind::OpenBrack => {
            let end = i.session.partners.closer(at + 1)?;
            (end == at + 3 && i.kind_ahead(2) == TokenKind::Str).then_some(end + 1)
        }
        TokenKind::Dollar if i.kind_ahead(1) == TokenKind::Ident => Some(at + 2),
        TokenKind::Ident | TokenKind::Int | TokenKind::Divide | TokenKind::CapIdent => {
            let mut end = at + 1;
            let is_part = |kind| {
                let is_word = matches!(kind, TokenKind::Ident | TokenKind::CapIdent | TokenKind::Int);
                is_word || matches!(kind, TokenKind::Float | TokenKind::Dot | TokenKind::Divide | TokenKind::Minus)
            };
            while end < close && touches(i, end) && is_part(i.at(end).kind()) {
                end += 1;
            }
            Some(end)
        }
        _ => None,
    }
}

pub(super) fn text_of<'a>(i: Input<'a>, span: Span) -> Option<&'a str> {
    std::str::from_utf8(&i.session.source.text[span.start as usize..span.end as usize]).ok()
}

/// The fields in MCL.
pub(super) fn translated(kind: &str, fields: &[Field<'_>]) -> Vec<(String, String)> {
    let of = |field: &Field<'_>| match (written::edge(field.name), field.value.split_once('[')) {
        (Some(edge), Some((kind, name))) if kind.starts_with(|first: char| first.is_ascii_uppercase()) => {
            let name = written::as_value(name.trim_end_matches(']'));
            vec![(edge.to_owned(), format!("{}[{name}]", written::referred_kind(kind)))]
        }
        _ => written::fields(kind, field.name, field.value),
    };
    fields.iter().flat_map(of).collect()
}

/// The beginnings of values that other tools compute.
fn is_computed(value: &str) -> bool {
    ["each.", "var.", "local.", "data.", "module.", "count.", "pkgs.", "lib.", "node.", "item."]
        .iter()
        .any(|start| value.starts_with(start))
}

/// Fields that stand for something else than a field.
pub(super) fn is_no_field(name: &str) -> bool {
    matches!(
        name,
        "when" | "loop" | "with_items" | "count" | "for_each" | "register" | "become" | "tags" | "provider" | "action"
    )
}

/// The body of a resource whose first field is written with the sign of another tool: the input after its `}`, and what
/// is known of its items.
pub(in crate::parse) fn body(i: Input<'_>, open: usize) -> Option<(Input<'_>, Vec<Item>)> {
    let is_foreign = i.kind() == TokenKind::Ident && matches!(i.kind_ahead(1), TokenKind::Colon | TokenKind::Equals);
    if !is_foreign || i.session.is_attempt() {
        return None;
    }
    let at = i.index() + 1;
    let close = i.session.partners.closer(open)?;
    let (fields, end) = fields(i, close);
    let last = fields.last()?.end;
    if end != close || fields.iter().any(|field| is_no_field(field.name) || is_computed(field.value)) {
        return None;
    }
    i.session.expect(at, Expected::Token(TokenKind::Rocket));
    if i.session.knows(at) {
        return None;
    }
    let (kind, head) = head(i, open);
    i.session.mistake(at, || {
        // A word may be any variable of the file: they are looked up for a message only.
        let ours = with_variables(i, translated(kind, &fields), &fields);
        let (sign, span) = (text_ahead(i, 1), i.at(at).span());
        let said = words::error(
            codes::FOREIGN_SIGN,
            format!("expected `=>`, found `{sign}`"),
            span,
            "in a resource, write `=>` between name and value",
        );
        let body = i.at(last).span_from(i.span());
        help_and_edit(said, i, body, &ours, &head)
    });
    i.session.cover(i.span().start as usize, i.at(close).span().start as usize);
    Some((i.at(close + 1), items(i, kind, &fields)))
}

/// The fields in MCL, with words that are names of variables as these.
fn with_variables(i: Input<'_>, mut ours: Vec<(String, String)>, fields: &[Field<'_>]) -> Vec<(String, String)> {
    for (_, value) in &mut ours {
        let word = written::unquoted(value);
        if fields.iter().any(|field| field.value == word) && is_variable(i.session, word) {
            *value = format!("${word}");
        }
    }
    ours
}

/// The items of MCL that are meant by fields, without their values.
pub(super) fn items<'f, 'a: 'f>(
    i: Input<'_>,
    kind: &str,
    fields: impl IntoIterator<Item = &'f Field<'a>>,
) -> Vec<Item> {
    let meant = fields.into_iter().filter(|field| written::edge(field.name).is_none());
    let meant = meant.filter_map(|field| {
        let (name, _) = written::fields(kind, field.name, field.value).into_iter().next()?;
        Some(Item {
            kind: ItemKind::Field { name: i.session.intern(&name), value: i.session.error_expr(field.name_span) },
            cond: None,
            span: field.name_span,
            name_span: field.name_span,
        })
    });
    meant.collect()
}

/// The help and the change for the fields of a body.
fn help_and_edit(
    said: Diagnostic,
    i: Input<'_>,
    body: Span,
    ours: &[(String, String)],
    head: &(String, String),
) -> Diagnostic {
    let lines: Vec<String> = ours.iter().map(|(name, value)| format!("{name} => {value},")).collect();
    let is_long = text_of(i, body).is_some_and(|text| text.contains('\n'));
    // The indentation of the first field.
    let before = &i.session.source.text[..body.start as usize];
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let indent = String::from_utf8_lossy(&before[start..]).into_owned();
    let is_indent = indent.trim().is_empty();
    let text = if is_long && is_indent { lines.join(&format!("\n{indent}")) } else { lines.join(" ") };
    // The last comma is part of the new text.
    let has_comma = i.session.source.text.get(body.end as usize) == Some(&b',');
    let body = Span { end: body.end + u32::from(has_comma), ..body };
    let whole = written::resource(&head.0, &head.1, ours);
    said.help(format!("write `{whole}`")).edit(body, text, "write the fields in MCL")
}

/// The kind of the resource that a `{` opens, and its kind and name as they are written in MCL.
pub(super) fn head(i: Input<'_>, open: usize) -> (&str, (String, String)) {
    let tokens = &i.session.tokens.tokens;
    let before = tokens[..open]
        .iter()
        .rev()
        .take_while(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::OpenCurly | TokenKind::CloseCurly));
    let first = open - before.count();
    if first == open {
        return ("kind", ("kind".to_owned(), "\"name\"".to_owned()));
    }
    // A kind may have several parts: `docker:container`.
    let mut name = first + 1;
    while name + 1 < open && tokens[name].kind == TokenKind::Colon {
        name += 2;
    }
    let kind = i.at(name).span_from(i.at(first).span());
    let kind = written::kind(text_of(i, kind).unwrap_or("kind"));
    let name = i.at(open).span_from(i.at(name.min(open)).span());
    let name = text_of(i, name).filter(|name| !name.is_empty() && name.len() <= 60 && !name.contains('\n'));
    (kind, (kind.to_owned(), name.map_or_else(|| "\"name\"".to_owned(), |name| name.replace('\'', "\""))))
}

/// The `{` around a token.
pub(super) fn enclosing(i: Input<'_>) -> Option<usize> {
    let mut n_closed = 0usize;
    (0..i.index()).rev().find(|at| match i.at(*at).kind() {
        TokenKind::CloseCurly => {
            n_closed += 1;
            false
        }
        TokenKind::OpenCurly if n_closed > 0 => {
            n_closed -= 1;
            false
        }
        kind => kind == TokenKind::OpenCurly,
    })
}
