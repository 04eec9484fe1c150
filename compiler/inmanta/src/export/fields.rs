//! The fields of a resource. Spec, 17.1.

use super::kinds::{Field, Registration};
use super::{Resource, Taker, Unnamed};
use crate::fault::{Class, Failure, Fault};
use crate::model::View;
use crate::value::{InstId, NoInstances, Value, message, written};

/// What an instance of a registered entity is.
pub(super) enum Found {
    Resource(Resource),
    /// Its agent or its identity is unknown.
    Unnamed(Unnamed),
    /// The model declares it as not managed.
    Unmanaged,
}

pub(super) fn found(
    view: View<'_>,
    instance: InstId,
    registration: &'static Registration,
    taker: Taker,
) -> Result<Found, Failure> {
    if view.attribute(instance, "managed").and_then(|managed| managed.as_bool()) == Some(false) {
        return Ok(Found::Unmanaged);
    }
    let unnamed = |agent: Option<String>| Ok(Found::Unnamed(Unnamed { instance, registration, agent }));
    let Some(agent) = agent(view, instance, registration)? else { return unnamed(None) };
    let id_value = match view.attribute(instance, registration.id_attribute) {
        Some(Value::Unknown(_)) | None => return unnamed(Some(agent)),
        Some(value) => message(&value, &NoInstances),
    };
    let mut fields = Vec::with_capacity(registration.fields.len());
    for field in registration.fields {
        if taker == Taker::Lowering && matches!(field, Field::Via) {
            continue;
        }
        let (name, value) = field_value(view, instance, *field, taker).map_err(|cause| {
            let name = field_name(*field);
            let text = format!("Failed to get attribute '{name}' for export on '{}'", registration.entity);
            let mut fault = Fault::new(Class::External, text);
            fault.foreign_cause = Some(cause);
            let fault = fault.also(view.place(instance), "of this resource");
            match field_name(*field) {
                "via" => fault.help("set `ip` on its host, or `via` on the resource itself"),
                _ => fault,
            }
        })?;
        fields.push((name, value));
    }
    let is_undefined = fields.iter().any(|(_, value)| has_unknown(value));
    Ok(Found::Resource(Resource { instance, registration, agent, id_value, fields, is_undefined }))
}

fn has_unknown(value: &Value) -> bool {
    match value {
        Value::Unknown(_) => true,
        Value::List(list) => list.items.iter().any(has_unknown),
        Value::Dict(dict) => dict.entries.values().any(has_unknown),
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Instance(_) => false,
    }
}

fn agent(view: View<'_>, instance: InstId, registration: &Registration) -> Result<Option<String>, Failure> {
    let mut value = Value::Instance(instance);
    for step in registration.agent {
        if let Value::List(list) = &value
            && let Some(first) = list.items.first()
        {
            value = first.clone();
        }
        let Value::Instance(here) = value else { return Ok(None) };
        match view.attribute(here, step) {
            Some(next) => value = next,
            None => return Ok(None),
        }
    }
    match value {
        Value::Str(agent) => Ok(Some(agent.to_string())),
        Value::Unknown(_) => Ok(None),
        other => {
            let text = format!(
                "ResourceException: The agent attribute should lead to a string, got {} of type <class '{}'>",
                message(&other, &NoInstances),
                other.kind()
            );
            Err(Fault::new(Class::Internal, text)
                .about(written(&other, &NoInstances))
                .also(view.place(instance), "of this resource"))
        }
    }
}

fn field_name(field: Field) -> &'static str {
    match field {
        Field::Attr(name) | Field::Of(name, _) | Field::Null(name) | Field::Empty(name) => name,
        Field::Hash => "hash",
        Field::Via => "via",
    }
}

fn field_value(view: View<'_>, instance: InstId, field: Field, taker: Taker) -> Result<(&'static str, Value), String> {
    let attribute =
        |name: &str| view.attribute(instance, name).ok_or_else(|| format!("AttributeError: (None, '{name}')"));
    let value = match field {
        Field::Attr(name) | Field::Of(_, name) => attribute(name)?,
        Field::Null(_) => Value::Null,
        Field::Empty(_) => Value::raw_list(Vec::new()),
        Field::Hash => hash(view, instance, taker)?,
        Field::Via => via(view, instance)?,
    };
    Ok((field_name(field), value))
}

fn hash(view: View<'_>, instance: InstId, taker: Taker) -> Result<Value, String> {
    let has_parts = ["prefix_content", "suffix_content"].iter().any(|end| {
        view.attribute(instance, end).is_some_and(|value| value.as_list().is_some_and(|items| !items.is_empty()))
    });
    let is_classic = view.attribute(instance, "content_seperator").is_some();
    if has_parts && !is_classic && taker == Taker::Server {
        // The original uses the old spelling here (*quirk*, spec 17.4); lowering does not.
        return Err("AttributeError: (None, 'content_seperator')".into());
    }
    match crate::lower::content(view, instance) {
        Some(content) => Ok(Value::str(&sha1(content.as_bytes()))),
        None => Ok(view.attribute(instance, "content").unwrap_or(Value::Null)),
    }
}

fn via(view: View<'_>, instance: InstId) -> Result<Value, String> {
    if let Some(Value::Instance(_)) = view.attribute(instance, "via") {
        return Ok(Value::Null);
    }
    let Some(Value::Instance(host)) = view.attribute(instance, "host") else { return Ok(Value::Null) };
    if let Some(Value::Instance(_)) = view.attribute(host, "via") {
        return Ok(Value::Null);
    }
    let ip = view.attribute(host, "ip").unwrap_or(Value::Null);
    if matches!(ip, Value::Null) {
        return Err("NotImplementedError: [No ip] Cannot serialize a mitogen::Context from the current entity, it doesn't define any of the expected relations.".into());
    }
    let of = |name: &str| view.attribute(host, name).unwrap_or(Value::Null);
    let python = match view.attribute(host, "os") {
        Some(Value::Instance(os)) => view.attribute(os, "python_cmd").unwrap_or(Value::Null),
        _ => Value::Null,
    };
    let args = ["-o", "UserKnownHostsFile=/dev/null", "-o", "PasswordAuthentication=no"];
    let entries = [
        ("check_host_keys", Value::str("ignore")),
        ("hostname", ip),
        ("method_name", Value::str("ssh")),
        ("name", of("name")),
        ("port", of("remote_port")),
        ("python_path", Value::raw_list(vec![python])),
        ("ssh_args", Value::raw_list(args.into_iter().map(Value::str).collect())),
        ("username", of("remote_user")),
    ];
    Value::dict(entries.into_iter().map(|(key, value)| (key.into(), value)).collect()).map_err(|_| "ValueError".into())
}

/// The SHA-1 digest in hexadecimal, which names contents in the export.
pub(crate) fn sha1(bytes: &[u8]) -> String {
    let mut state: [u32; 5] = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks_exact(64) {
        let mut words = [0u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        for nr in 16..80 {
            words[nr] = (words[nr - 3] ^ words[nr - 8] ^ words[nr - 14] ^ words[nr - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (nr, word) in words.iter().enumerate() {
            let (mixed, constant) = match nr {
                0..20 => ((b & c) | (!b & d), 0x5a82_7999),
                20..40 => (b ^ c ^ d, 0x6ed9_eba1),
                40..60 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6u32),
            };
            let next = a.rotate_left(5).wrapping_add(mixed).wrapping_add(e).wrapping_add(constant).wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
        }
        for (part, add) in state.iter_mut().zip([a, b, c, d, e]) {
            *part = part.wrapping_add(add);
        }
    }
    state.iter().map(|part| format!("{part:08x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn known_digests() {
        assert_eq!(super::sha1(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(super::sha1(b"x"), "11f6ad8ec52a2984abaafd7c3b516503785c2072");
    }
}
