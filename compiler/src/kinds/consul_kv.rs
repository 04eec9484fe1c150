//! `consul:kv`: Keeps a key in a Consul server's KV store. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `consul:kv`.
pub(crate) struct ConsulKv;

static DECL: KindDecl = KindDecl {
    name: "consul:kv",
    doc: "Keeps a key in a Consul server's KV store.",
    fields: &[
        Field::str("key", "Key", "Key; empty parses the resource name as a URL."),
        Field::str("value", "Value", "Value."),
        Field::str("scheme", "Scheme", "http or https."),
        Field::str("address", "Address", "Consul address."),
        Field::str("token", "Token", "ACL token."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for ConsulKv {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
