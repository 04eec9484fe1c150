//! `kind {`: the name of the resource is among its fields, or it has none.

use super::notation::{Field, fields, translated};
use super::phrases::is_kind;
use super::{text_ahead, words};
use crate::diag::Diagnostic;
use crate::lex::TokenKind;
use crate::parse::input::Input;
use crate::parse::written;

/// The message. `i` is at the kind.
pub(super) fn said(i: Input<'_>) -> Diagnostic {
    let said = words::foreign(
        "the name of a resource goes before its `{`",
        i.at(i.index() + 1).span(),
        "expected the name of the resource",
        format!("write `{}`", resource(i)),
    );
    // `settings {` may be a block of another tool.
    let field = if i.kind_ahead(2) == TokenKind::Newline { 3 } else { 2 };
    match is_kind(text_ahead(i, 0)) || i.kind_ahead(field + 1) == TokenKind::Rocket {
        true => said,
        false => said.help(format!("to define a variable, write `${} = …`", text_ahead(i, field))),
    }
}

/// `resource "file" "motd" {`, if it is a kind of MCL as well: the resource in MCL. `i` is at the first word.
pub(super) fn of_hcl(i: Input<'_>) -> Option<String> {
    let kind = written::kind(text_ahead(i, 1).trim_matches('"'));
    (text_ahead(i, 0) == "resource" && is_kind(kind)).then(|| described(i, kind, i.index() + 3, text_ahead(i, 2)))
}

/// The resource in MCL, as far as it can be read.
fn resource(i: Input<'_>) -> String {
    let kind = written::kind(text_ahead(i, 0));
    if i.kind_ahead(2) == TokenKind::Str {
        return format!("{kind} {} {{ … }}", text_ahead(i, 2));
    }
    described(i, kind, i.index() + 1, "\"name\"")
}

/// The resource whose body begins at `open`. `unnamed` is its name if none of its fields is one.
fn described(i: Input<'_>, kind: &str, open: usize, unnamed: &str) -> String {
    let Some(close) = i.session.partners.closer(open) else { return format!("{kind} {unnamed} {{ … }}") };
    let (all, end) = fields(i.at(open + 1), close);
    let (names, others): (Vec<Field<'_>>, Vec<Field<'_>>) = all.into_iter().partition(|field| is_name(kind, field));
    match &names[..] {
        [name] if end == close => {
            written::resource(kind, &written::as_value(name.value), &with_state(kind, translated(kind, &others)))
        }
        [name, ..] => format!("{kind} {} {{ … }}", written::as_value(name.value)),
        [] => format!("{kind} {unnamed} {{ … }}"),
    }
}

/// The fields with a state for a kind that needs one: in other tools, what is described exists.
fn with_state(kind: &str, mut fields: Vec<(String, String)>) -> Vec<(String, String)> {
    let needs_state = matches!(kind, "file" | "user" | "group" | "mount");
    if needs_state && !fields.iter().any(|(name, _)| name == "state") {
        fields.push(("state".to_owned(), "\"exists\"".to_owned()));
    }
    fields
}

/// Whether this is the name in another tool.
fn is_name(kind: &str, field: &Field<'_>) -> bool {
    matches!((kind, field.name), (_, "name" | "names" | "title") | ("file", "path" | "dest"))
}
