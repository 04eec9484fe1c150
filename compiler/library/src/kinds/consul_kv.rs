//! `consul:kv`: keeps a key in a Consul server's KV store. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::{ensure, one_of_named};
use crate::kinds::url::{Url, decoded};
use crate::kinds::walk::{Walk, cannot_tell};
use crate::kinds::{Decision, Field, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::consul::{self, Key, USUAL};
use crate::vocab::password::Secret;
use crate::vocab::{Finding, Watch};

/// The kind `consul:kv`.
pub(crate) struct ConsulKv;

static DECL: KindDecl = KindDecl {
    name: "consul:kv",
    doc: "Sets a key in the KV store of a Consul server.",
    fields: &[
        Field::str("key", "Key", "Key. If empty, the resource name is parsed as a URL."),
        Field::str("value", "Value", "Value."),
        Field::str("scheme", "Scheme", "`http` or `https`."),
        Field::str("address", "Address", "Address of the Consul server."),
        Field::str("token", "Token", "ACL token.").secret(),
    ],
    traits: Traits::NONE,
    constants: &[],
    policy: &[Required::list(PolicyList::Hosts)],
};

impl Kind for ConsulKv {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (key, scheme) = (want.text("key"), want.text("scheme"));
        // The name is only used if nothing else gives the key.
        let url = if key.is_empty() { Url::parse(want.name).unwrap_or_default() } else { Url::default() };
        ensure(!key.is_empty() || !named_key(&url).is_empty(), "`key` is empty")?;
        let scheme = if scheme.is_empty() { url.scheme.into() } else { scheme };
        one_of_named("scheme", &scheme, &["", "http", "https"])
    }

    fn backend(&self) -> &'static str {
        "the Consul HTTP API. The address comes from the fields or the resource name, otherwise from \
         `CONSUL_HTTP_ADDR`, otherwise it is `127.0.0.1:8500`. For this default server, the token defaults to \
         `CONSUL_HTTP_TOKEN`. Changes are detected with a blocking query."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![consul::Watch { key: key(want) }.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (key, value) = (key(want), want.bytes("value").to_vec());
    let now = match &walk.look(vec![consul::Probe { key: key.clone() }.into()])?[0] {
        Finding::Consul(consul::Finding::Value(now)) => now,
        other => return Err(cannot_tell(other)),
    };
    if now.as_ref().is_some_and(|(now, _)| *now == value) {
        return Ok(Decision::InState(Vec::new()));
    }
    walk.mend(vec![consul::Step { key, value, now: now.clone() }.into()])
}

/// The key from the fields, completed from a name that is a URL.
fn key(want: &Want) -> Key {
    let (key, address, scheme) = (want.text("key"), want.text("address"), want.text("scheme"));
    let url = if key.is_empty() { Url::parse(want.name).unwrap_or_default() } else { Url::default() };
    let address = if address.is_empty() { url.host } else { &*address };
    let scheme =
        [&*scheme, url.scheme.as_str(), "http"].into_iter().find(|scheme| !scheme.is_empty()).unwrap_or_default();
    let server = if address.is_empty() { USUAL.to_owned() } else { format!("{scheme}://{address}") };
    Key {
        server,
        is_usual: address.is_empty(),
        token: Secret(want.text("token").into_owned()),
        key: if key.is_empty() { named_key(&url) } else { key.into_owned() },
    }
}

/// The key in a name that is a URL, without its escapes.
fn named_key(url: &Url) -> String {
    decoded(url.path.strip_prefix('/').unwrap_or(url.path))
}
