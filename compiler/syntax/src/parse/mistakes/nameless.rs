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
    match is_kind(text_ahead(i, 0)) || i.kind_ahead(4) == TokenKind::Rocket {
        true => said,
        false => said.help(format!("to define a variable, write `${} = …`", text_ahead(i, 3))),
    }
}

/// The resource in MCL, as far as it can be read.
fn resource(i: Input<'_>) -> String {
    let kind = written::kind(text_ahead(i, 0));
    if i.kind_ahead(2) == TokenKind::Str {
        return format!("{kind} {} {{ … }}", text_ahead(i, 2));
    }
    let open = i.index() + 1;
    let Some(close) = i.session.partners.closer(open) else { return format!("{kind} \"name\" {{ … }}") };
    let (all, end) = fields(i.at(open + 1), close);
    let (names, others): (Vec<Field<'_>>, Vec<Field<'_>>) = all.into_iter().partition(|field| is_name(kind, field));
    match &names[..] {
        [name] if end == close => {
            written::resource(kind, &written::as_value(name.value), &with_state(kind, translated(kind, &others)))
        }
        [name, ..] => format!("{kind} {} {{ … }}", written::as_value(name.value)),
        [] => format!("{kind} \"name\" {{ … }}"),
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
