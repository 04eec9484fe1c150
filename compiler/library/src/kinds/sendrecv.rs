//! Whether a value of one resource may be sent to a field of another. Language spec, 9.3; engine spec, 13.
//!
//! The answer comes from the kinds alone, before any value is known. If either side is nullable or of type `variant`
//! every pair passes, and a value that does not fit fails when it is stored.

use super::decl::KindDecl;
use super::host_type::HostType;
use crate::diag::suggest;
use crate::types::Type;

/// Why an edge cannot send.
#[derive(Debug)]
pub struct Unfit {
    /// The reason, as a message.
    pub reason: String,
    /// The part of the edge that is wrong.
    pub end: End,
    /// The field that may be meant.
    pub near: Option<&'static str>,
}

/// A part of an edge with fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The field that is sent.
    Sender,
    /// The field that receives.
    Receiver,
    /// The sender, whose kind never sends.
    SenderKind,
    /// The receiver, whose kind never receives.
    ReceiverKind,
}

/// Checks one send/recv edge. An unknown kind passes: it is reported separately.
pub fn check(sender: &str, key: &str, receiver: &str, field: &str) -> Result<(), Unfit> {
    match (super::lookup(sender), super::lookup(receiver)) {
        (Some(sender), Some(receiver)) => check_decls(sender.decl(), key, receiver.decl(), field),
        (None, _) | (_, None) => Ok(()),
    }
}

fn check_decls(sender: &KindDecl, key: &str, receiver: &KindDecl, field: &str) -> Result<(), Unfit> {
    let unfit = |end, reason| Unfit { reason, end, near: None };
    if sender.traits.sends.is_empty() {
        return Err(unfit(End::SenderKind, format!("`{}` does not send values", sender.name)));
    }
    if !receiver.traits.recvable {
        return Err(unfit(End::ReceiverKind, format!("`{}` does not receive values", receiver.name)));
    }
    let sent = sender.sendable(key).ok_or_else(|| unknown_sent(sender, key))?;
    let into = receiver.field(field).ok_or_else(|| unknown_received(receiver, field))?;
    if sent.nullable || into.nullable || sent.host == HostType::Any || into.host == HostType::Any {
        return Ok(());
    }
    if sent.host.kind() != into.host.kind() {
        let (sent, into) = (sent.host.kind(), into.host.kind());
        return Err(unfit(End::Receiver, format!("`{key}` is `{sent}`, but `{field}` expects `{into}`")));
    }
    if sent.host != into.host {
        let reason = format!("`{key}` is `{}`, but `{field}` expects `{}`", sent.host, into.host);
        return Err(unfit(End::Receiver, reason));
    }
    Ok(())
}

/// The types of an edge that passes [`check`], but whose values never fit when they are stored: what is sent, and what
/// the field holds.
pub fn never_fits(sender: &str, key: &str, receiver: &str, field: &str) -> Option<(Type, Type)> {
    let sent = super::lookup(sender)?.decl().sendable(key)?.host;
    let into = super::lookup(receiver)?.decl().field(field)?.host;
    if holds_any(sent) || holds_any(into) {
        return None;
    }
    let (sent, into) = (sent.language()?, into.language()?);
    (sent != into).then_some((sent, into))
}

/// Whether it is a variant, or a list or map of them.
fn holds_any(host: HostType) -> bool {
    match host {
        HostType::Any => true,
        HostType::List(element) => holds_any(*element),
        HostType::Map(key, value) => holds_any(*key) || holds_any(*value),
        _ => false,
    }
}

fn unknown_sent(sender: &KindDecl, key: &str) -> Unfit {
    let sends = sender.traits.sends;
    let reason = format!("`{}` does not send `{key}`", sender.name);
    let only = if let [only] = sends { Some(only.name) } else { None };
    Unfit { reason, end: End::Sender, near: suggest::near(key, sends.iter().map(|field| field.name)).or(only) }
}

fn unknown_received(receiver: &KindDecl, field: &str) -> Unfit {
    if receiver.fields.iter().any(|known| known.name == field) {
        let reason = format!("`{field}` of `{}` cannot be set", receiver.name);
        return Unfit { reason, end: End::Receiver, near: None };
    }
    let reason = format!("unknown field `{field}` of `{}`", receiver.name);
    let near = suggest::near(field, receiver.fields.iter().map(|field| field.name));
    Unfit { reason, end: End::Receiver, near }
}

#[cfg(test)]
mod tests {
    fn check(edge: (&str, &str, &str, &str), expect: &str) {
        let got = super::check(edge.0, edge.1, edge.2, edge.3);
        assert_eq!(got.err().map(|unfit| unfit.reason).unwrap_or_default(), expect, "{edge:?}");
    }

    #[test]
    fn the_reasons_come_in_order() {
        check(("noop", "x", "virt:builder", "y"), "`noop` does not send values");
        check(("password", "password", "virt:builder", "y"), "`virt:builder` does not receive values");
        check(("password", "length", "print", "msg"), "`password` does not send `length`");
        check(("password", "password", "print", "nope"), "unknown field `nope` of `print`");
        check(("password", "password", "test", "complex64"), "`complex64` of `test` cannot be set");
        check(("test", "answer", "test", "int8"), "`answer` is `int`, but `int8` expects `int8`");
        check(("test", "answer", "test", "uint"), "`answer` is `int`, but `uint` expects `uint`");
        check(
            ("test", "answer", "kv", "skipcmpstyle"),
            "`answer` is `int`, but `skipcmpstyle` expects `resources.KVResSkipCmpStyle`",
        );
    }

    #[test]
    fn values_of_other_types_never_fit() {
        let fits = |edge: (&str, &str, &str, &str)| super::never_fits(edge.0, edge.1, edge.2, edge.3).is_none();
        assert!(!fits(("exec", "output", "file", "recurse")));
        assert!(!fits(("exec", "output", "file", "fragments")));
        assert!(fits(("exec", "output", "file", "content")));
        assert!(fits(("exec", "output", "value", "any")));
        assert!(fits(("test", "answer", "test", "int8")));
        assert!(fits(("exec", "nope", "file", "recurse")));
    }

    #[test]
    fn what_is_nullable_or_a_variant_fits_everything() {
        check(("test", "hello", "test", "int8"), "");
        check(("test", "answer", "test", "int8ptr"), "");
        check(("test", "answer", "value", "any"), "");
        check(("test", "answer", "test", "int"), "");
    }
}
