//! A resource that one of its fields repeats: `for_each = toset(["a", "b"])`, `count = 3`, `loop: [a, b]`.
//!
//! It is one mistake, however the other fields are written: its help is the loop, and the resource within.

use super::notation::{Field, fields, head, is_no_field, items, text_of, translated};
use super::{text_ahead, words};
use crate::ast::Item;
use crate::lex::TokenKind;
use crate::parse::input::{Expected, Input};
use crate::parse::written;

/// What a resource is repeated over.
struct Over {
    /// The head of the loop.
    head: String,
    /// The variable for the key of each element, and the one for the element.
    key: &'static str,
    /// Whether the elements are numbers, which a string cannot hold.
    is_number: bool,
}

/// The body of a resource with such a field, written in the notation of another tool: the input after its `}`, and what
/// is known of its items.
pub(in crate::parse) fn repeated(i: Input<'_>, open: usize) -> Option<(Input<'_>, Vec<Item>)> {
    let is_foreign = i.kind() == TokenKind::Ident && matches!(i.kind_ahead(1), TokenKind::Colon | TokenKind::Equals);
    if !is_foreign || i.session.is_attempt() {
        return None;
    }
    let close = i.session.partners.closer(open)?;
    let at = repeats_at(i, close)?;
    let end = end_of_field(i.at(at), close);
    let value = text_of(i, i.at(end).span_from(i.at(at + 2).span()))?;
    let over = over(value.trim());
    let (before, reached) = fields(i, at);
    let (after, last) = fields(i.at(end), close);
    let (kind, (_, name)) = head(i, open);
    let known = items(i, kind, before.iter().chain(&after));
    let sign = i.index() + 1;
    i.session.expect(sign, Expected::Token(TokenKind::Rocket));
    i.session.mistake(sign, || {
        let word = text_ahead(i.at(at), 0);
        let span = i.at(end).span_from(i.at(at).span());
        let import = if over.is_number { ", after `import \"iter\"`" } else { "" };
        let help = format!("write a loop around the resource: `{} {{ … }}`{import}", over.head);
        let said = words::foreign(format!("MCL has no `{word}`"), span, "expected a field", help);
        let others = || before.iter().chain(&after);
        let is_read = reached == at && last == close && !others().any(|field| is_no_field(field.name));
        let ours: Option<Vec<_>> = others().map(|field| within(kind, field, &over)).collect();
        let named = match over.is_number {
            true => counted(&name),
            false => inserted(&name, &over),
        };
        let named = named.unwrap_or_else(|| name.clone());
        let resource = match ours.filter(|_| is_read) {
            Some(ours) => written::resource(kind, &named, &ours.concat()),
            None => format!("{kind} {named} {{ … }}"),
        };
        let differs = match over.is_number {
            true if named.contains("fmt.") => ", after `import \"fmt\"`",
            false if named.contains('$') => "",
            true => ", with another name for each number: `[fmt.printf(\"name-%d\", $value)]`, after `import \"fmt\"`",
            false => ", with another name for each element: `\"name-${value}\"`",
        };
        said.help(format!("in the loop, write `{resource}`{differs}"))
    });
    i.session.cover(i.span().start as usize, i.at(close).span().start as usize);
    Some((i.at(close + 1), known))
}

/// The index of the field that repeats the resource.
fn repeats_at(i: Input<'_>, close: usize) -> Option<usize> {
    let mut at = i.index();
    while at < close {
        let here = i.at(at);
        let is_word = matches!(text_ahead(here, 0), "for_each" | "count" | "loop" | "with_items" | "with_list");
        if here.kind() == TokenKind::Ident
            && is_word
            && matches!(here.kind_ahead(1), TokenKind::Colon | TokenKind::Equals)
            && !matches!(here.kind_ahead(2), TokenKind::Newline | TokenKind::CloseCurly)
        {
            return Some(at);
        }
        at = end_of_field(here, close) + 1;
    }
    None
}

/// The index of the newline, comma or brace after a field.
fn end_of_field(i: Input<'_>, close: usize) -> usize {
    let mut at = i.index();
    while at < close && !matches!(i.at(at).kind(), TokenKind::Newline | TokenKind::Comma) {
        at = i.session.partners.closer(at).filter(|end| *end < close).unwrap_or(at) + 1;
    }
    at.min(close)
}

/// The loop over a value of another notation.
fn over(value: &str) -> Over {
    let inner = ["toset(", "tolist("].iter().find_map(|start| value.strip_prefix(start)?.strip_suffix(')'));
    let value = inner.unwrap_or(value).trim();
    let is_name = |name: &str| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
            && name.starts_with(|first: char| first.is_ascii_lowercase())
    };
    let variable =
        ["var.", "local.", "$"].iter().find_map(|start| value.strip_prefix(start)).filter(|name| is_name(name));
    let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let list = match variable {
        Some(name) => format!("${name}"),
        None if is_number => format!("iter.range({value})"),
        None if value.starts_with('[') && value.len() <= 60 && !value.contains(['{', '(', '\n']) => {
            written::as_value(value)
        }
        None if value.starts_with('{') => "$map".to_owned(),
        None => "$list".to_owned(),
    };
    match value.starts_with('{') {
        true => Over { head: format!("forkv $key, $value in {list}"), key: "key", is_number },
        false => Over { head: format!("for $index, $value in {list}"), key: "value", is_number },
    }
}

/// A field of the resource within the loop.
fn within(kind: &str, field: &Field<'_>, over: &Over) -> Option<Vec<(String, String)>> {
    let value = match field.value {
        "each.key" => format!("${}", over.key),
        "each.value" | "count.index" | "item" => "$value".to_owned(),
        value => match value.strip_prefix("each.value.").or_else(|| value.strip_prefix("item.")) {
            Some(part) if !part.contains('.') => format!("$value->{part}"),
            Some(_) => return None,
            None => match inserted(value, over) {
                Some(text) => text,
                None if value.contains("{{") || value.contains("${") => return None,
                None => return Some(translated(kind, std::slice::from_ref(field))),
            },
        },
    };
    Some(written::fields(kind, field.name, &value))
}

/// A string with the variable of the loop in it, as in `"/tmp/${each.key}"`; nothing for any other.
fn inserted(text: &str, over: &Over) -> Option<String> {
    if over.is_number {
        return None;
    }
    let holes = [("${each.key}", over.key), ("${each.value}", "value"), ("{{ item }}", "value"), ("{{item}}", "value")];
    let is_one = text.starts_with(['"', '\'']) && holes.iter().any(|(hole, _)| text.contains(hole));
    is_one.then(|| holes.iter().fold(text.to_owned(), |text, (hole, name)| text.replace(hole, &format!("${{{name}}}"))))
}

/// A name with the number of the loop in it, as in `"f${count.index}"`: a list, for a call alone is not a name.
fn counted(text: &str) -> Option<String> {
    let (before, after) = text.split_once("${count.index}")?;
    let is_one = before.starts_with('"') && !text.contains('%') && !after.contains("${");
    is_one.then(|| format!("[fmt.printf({before}%d{after}, $value)]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_is_written_in_mcl() {
        let cases = [
            ("toset([\"a\", \"b\"])", "for $index, $value in [\"a\", \"b\"]"),
            ("[a, 'b']", "for $index, $value in [\"a\", \"b\"]"),
            ("3", "for $index, $value in iter.range(3)"),
            ("var.users", "for $index, $value in $users"),
            ("toset(local.users)", "for $index, $value in $users"),
            ("{ a = 1 }", "forkv $key, $value in $map"),
            ("length(var.users)", "for $index, $value in $list"),
        ];
        for (value, head) in cases {
            assert_eq!(over(value).head, head, "{value}");
        }
        assert_eq!(inserted("\"/a/${each.key}\"", &over("[]")).as_deref(), Some("\"/a/${value}\""));
        assert_eq!(counted("\"/a/${count.index}\"").as_deref(), Some("[fmt.printf(\"/a/%d\", $value)]"));
    }
}
