//! May a value of one resource be sent to a field of another? Language spec, 9.3; engine spec, 13.
//!
//! The answer comes from the kinds alone, before any value is known. Where either side is nullable
//! or of type `variant` every pair passes, and a value that does not fit fails when it is stored.

use super::decl::KindDecl;
use super::host_type::HostType;

/// Checks one send/recv edge. A kind that does not exist passes: it is reported on its own.
///
/// Errors: the message, or the reason that `cannot send/recv from … to …: …` gives.
pub fn check(sender: &str, key: &str, receiver: &str, field: &str) -> Result<(), String> {
    match (super::lookup(sender), super::lookup(receiver)) {
        (Some(sender), Some(receiver)) => check_decls(sender.decl(), key, receiver.decl(), field),
        (None, _) | (_, None) => Ok(()),
    }
}

fn check_decls(sender: &KindDecl, key: &str, receiver: &KindDecl, field: &str) -> Result<(), String> {
    if sender.traits.sends.is_empty() {
        return Err(format!("cannot send from resource of kind: {}", sender.name));
    }
    if !receiver.traits.recvable {
        return Err(format!("cannot recv to resource of kind: {}", receiver.name));
    }
    let sent = sender.sendable(key).ok_or("key not found in send struct")?;
    let into = receiver.field(field).ok_or("key not found in recv struct")?;
    if sent.nullable || into.nullable || sent.host == HostType::Any || into.host == HostType::Any {
        return Ok(());
    }
    if sent.host.kind() != into.host.kind() {
        let (sent, into) = (sent.host.kind(), into.host.kind());
        return Err(format!("field kind mismatch between {sent} and {into}"));
    }
    if sent.host != into.host {
        return Err(format!("type mismatch between {} and {}", sent.host, into.host));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    fn check(edge: (&str, &str, &str, &str), expect: &str) {
        let got = super::check(edge.0, edge.1, edge.2, edge.3);
        assert_eq!(got.err().unwrap_or_default(), expect, "{edge:?}");
    }

    #[test]
    fn the_reasons_come_in_order() {
        check(("noop", "x", "virt:builder", "y"), "cannot send from resource of kind: noop");
        check(("password", "password", "virt:builder", "y"), "cannot recv to resource of kind: virt:builder");
        check(("password", "length", "print", "msg"), "key not found in send struct");
        check(("password", "password", "print", "nope"), "key not found in recv struct");
        check(("password", "password", "test", "complex64"), "key not found in recv struct");
        check(("test", "answer", "test", "int8"), "field kind mismatch between int and int8");
        check(("test", "answer", "test", "uint"), "field kind mismatch between int and uint");
        check(("test", "answer", "kv", "skipcmpstyle"), "type mismatch between int and resources.KVResSkipCmpStyle");
    }

    #[test]
    fn what_is_nullable_or_a_variant_fits_everything() {
        check(("test", "hello", "test", "int8"), "");
        check(("test", "answer", "test", "int8ptr"), "");
        check(("test", "answer", "value", "any"), "");
        check(("test", "answer", "test", "int"), "");
    }
}
