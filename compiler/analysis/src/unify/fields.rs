//! Messages about fields of resources that do not exist, or that an edge cannot send to.

use super::foreign;
use super::mismatch::error;
use crate::diag::{Diagnostic, codes};
use crate::ident::capitalized;
use crate::kinds::sendrecv::{End, Unfit};
use crate::kinds::{self, KindDecl};
use crate::scope::linked::Half;
use crate::span::Span;
use crate::value::Value;

/// A resource sets a field that its kind does not have. `literal` is the value with its span, if it is written out;
/// `near` the nearest field.
pub(super) fn unknown_field(
    kind: &str,
    field: &str,
    literal: Option<(&Value, Span)>,
    near: Option<&str>,
    span: Span,
) -> Diagnostic {
    let message = format!("unknown field `{field}` of `{kind}`");
    let diagnostic = error(codes::UNKNOWN_FIELD, message, span, format!("`{kind}` has no such field"));
    if let Some((value, at)) = literal
        && let Some((items, more)) = foreign::items(kind, field, value)
    {
        let said = diagnostic.help(format!("write `{items},`"));
        let said = if let Some(more) = more { said.help(more) } else { said };
        let is_whole = at.file == span.file && at.start >= span.end;
        let title = format!("write `{items}`");
        return if is_whole { said.edit(Span { end: at.end, ..span }, items, title) } else { said };
    }
    match (foreign::field(field, has(kind)), near) {
        (Some((None, help)), _) => diagnostic.help(help),
        (Some((Some(ours), help)), _) => diagnostic.help(help).edit(span, ours, format!("rename to `{ours}`")),
        (None, Some(near)) => {
            diagnostic.help(format!("did you mean `{near}`?")).edit(span, near, format!("rename to `{near}`"))
        }
        (None, None) => diagnostic.help(fields(kind)),
    }
}

/// A value cannot be sent by the edge between two halves with fields.
pub(super) fn cannot_send(unfit: Unfit, from: &Half, to: &Half, span: Span) -> Diagnostic {
    let place = match unfit.end {
        End::Sender => field_of(from),
        End::Receiver => field_of(to),
        End::SenderKind => from.span,
        End::ReceiverKind => to.span,
    };
    let said = error(codes::CANNOT_SEND, unfit.reason, place, here(unfit.end)).reported_at(span);
    match (unfit.end, unfit.near) {
        (End::SenderKind | End::ReceiverKind, _) => {
            let (sent, received) = (from.field.as_deref().unwrap_or_default(), to.field.as_deref().unwrap_or_default());
            let is_swapped = kinds::sendrecv::check(&to.kind, received, &from.kind, sent).is_ok();
            let (from, to) = (capitalized(&from.kind), capitalized(&to.kind));
            if is_swapped {
                let help = format!("swap the two ends: `{to}[\"…\"].{received} -> {from}[\"…\"].{sent}`");
                return said.help(help);
            }
            said.help(format!("without fields, the edge sets the order only: `{from}[\"…\"] -> {to}[\"…\"]`"))
        }
        (End::Sender | End::Receiver, Some(near)) => {
            said.help(format!("did you mean `{near}`?")).edit(place, near, format!("rename to `{near}`"))
        }
        (End::Sender, None) => {
            let sends = kinds::lookup(&from.kind).map_or(&[][..], |kind| kind.decl().traits.sends);
            let names: Vec<&str> = sends.iter().map(|sent| sent.name).collect();
            said.help(format!("it sends {}", listed(&names)))
        }
        (End::Receiver, None) => {
            let kind = &*to.kind;
            let received = to.field.as_deref().unwrap_or_default();
            let decl = kinds::lookup(kind).map(|kind| kind.decl());
            if decl.is_some_and(|decl| decl.field(received).is_some()) {
                return said;
            }
            match foreign::field(received, has(kind)) {
                Some((Some(ours), help)) => said.help(help).edit(place, ours, format!("rename to `{ours}`")),
                Some((None, _)) | None => said.help(fields(kind)),
            }
        }
    }
}

fn here(end: End) -> &'static str {
    match end {
        End::Sender => "sent here",
        End::Receiver => "received here",
        End::SenderKind => "this end sends",
        End::ReceiverKind => "this end receives",
    }
}

/// The field at the end of a half: `content` of `File["/a"].content`.
fn field_of(half: &Half) -> Span {
    let len = half.field.as_deref().map_or(0, str::len) as u32;
    Span { start: half.span.end.saturating_sub(len).max(half.span.start), ..half.span }
}

fn has(kind: &str) -> impl Fn(&str) -> bool {
    let decl = kinds::lookup(kind).map(|kind| kind.decl());
    move |field: &str| decl.is_some_and(|decl| decl.field(field).is_some())
}

/// Fields that most programs set, the more frequent ones first.
const FREQUENT: [&str; 26] = [
    "state", "content", "source", "cmd", "args", "shell", "cwd", "env", "file", "mode", "owner", "group", "startup",
    "image", "ports", "uid", "gid", "homedir", "trigger", "time", "unit", "device", "type", "value", "url", "data",
];

/// All fields of a kind if they are few, otherwise those that are most often meant.
fn fields(kind: &str) -> String {
    const FEW: usize = 10;
    const MOST: usize = 5;
    let names = kinds::lookup(kind).map(|kind| names(kind.decl())).unwrap_or_default();
    if names.is_empty() {
        return format!("`{kind}` has no fields");
    }
    if names.len() <= FEW {
        return match &*names {
            [only] => format!("its only field is `{only}`"),
            names => format!("its fields are {}", listed(names)),
        };
    }
    let frequent: Vec<&str> = FREQUENT.into_iter().filter(|name| names.contains(name)).take(MOST).collect();
    if frequent.is_empty() {
        return format!("`mclive docs {kind}` lists its {} fields", names.len());
    }
    format!("`mclive docs {kind}` lists its {} fields, such as {}", names.len(), listed(&frequent))
}

/// The fields that a program can set, in the order of the declaration.
fn names(decl: &KindDecl) -> Vec<&'static str> {
    decl.fields.iter().filter(|field| field.host.language().is_some()).map(|field| field.name).collect()
}

fn listed(names: &[&str]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
