//! May a value of one resource be sent to a field of another? Language spec, 9.3; engine spec, 13.
//!
//! The answer comes from the kinds alone, before any value is known. Where either side is nullable
//! or of type `variant` every pair passes, and a value that does not fit fails when it is stored.

use super::decl::{KindDecl, Params};
use super::host_type::HostType;
use super::store;
use crate::value::Value;

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

/// Stores a sent value into the receiving field at `index`. `Ok(true)`: the field changed.
///
/// Null leaves a nullable field of the sender's type alone while that is unset, and can be stored
/// nowhere. Errors: the reason; the field is then as it was. Engine spec, 13.
pub fn transfer(
    sender: &KindDecl,
    key: &str,
    receiver: &KindDecl,
    params: &mut Params,
    index: usize,
    sent: Option<&Value>,
) -> Result<bool, String> {
    let field = &receiver.fields[index];
    let current = params.values[index].as_ref();
    let same_host = sender.sendable(key).is_some_and(|sendable| sendable.host == field.host);
    let Some(sent) = sent else {
        if same_host && field.nullable && current.is_none() {
            return Ok(false);
        }
        return Err("a value that is not there yet cannot be sent".into());
    };
    let held = |current: Option<&Value>| current.cloned().or_else(|| field.unset_value());
    if same_host && held(current).is_some_and(|held| held.is_same(sent)) {
        return Ok(false);
    }
    let fitted = store::fit(field, current, sent)?;
    if held(current).is_some_and(|held| held.is_same(&fitted)) {
        return Ok(false);
    }
    params.values[index] = Some(fitted);
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transferred(edge: (&str, &str, &str, &str), params: &mut Params, sent: Option<Value>) -> Result<bool, String> {
        let (sender, receiver) = (super::super::lookup(edge.0).unwrap(), super::super::lookup(edge.2).unwrap());
        let index = receiver.decl().index_of(edge.3).unwrap();
        transfer(sender.decl(), edge.1, receiver.decl(), params, index, sent.as_ref())
    }

    #[test]
    fn a_value_changes_the_field_once() {
        let edge = ("password", "password", "file", "content");
        let mut params = Params::unset(super::super::lookup("file").unwrap().decl());
        assert_eq!(transferred(edge, &mut params, None), Ok(false));
        assert_eq!(transferred(edge, &mut params, Some("".into())), Ok(true));
        assert_eq!(transferred(edge, &mut params, Some("".into())), Ok(false));
        assert!(transferred(edge, &mut params, None).is_err());
        let edge = ("test", "hello", "test", "int8");
        let mut params = Params::unset(super::super::lookup("test").unwrap().decl());
        assert!(transferred(edge, &mut params, Some("x".into())).is_err());
        assert_eq!(transferred(edge, &mut params, Some(Value::Int(0))), Ok(false));
    }

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
