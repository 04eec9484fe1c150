//! `consul:kv`: Keeps a key in a Consul server's KV store. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::url::Url;
use crate::kinds::{Field, Kind, KindDecl, Traits, Want};

/// The kind `consul:kv`.
pub(crate) struct ConsulKv;

static DECL: KindDecl = KindDecl {
    name: "consul:kv",
    doc: "Keeps a key in a Consul server's KV store.",
    fields: &[
        Field::str("key", "Key", "Key; empty reads the resource name as a URL."),
        Field::str("value", "Value", "Value."),
        Field::str("scheme", "Scheme", "http or https."),
        Field::str("address", "Address", "Consul address."),
        Field::str("token", "Token", "ACL token.").secret(),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for ConsulKv {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        let (key, scheme) = (want.text("key"), want.text("scheme"));
        // The name is only read when nothing else gives the key.
        let url = if key.is_empty() { Url::parse(want.name).unwrap_or_default() } else { Url::default() };
        let name_key = url.path.strip_prefix('/').unwrap_or(url.path);
        ensure(!key.is_empty() || !name_key.is_empty(), "`key` is empty")?;
        let scheme = if scheme.is_empty() { url.scheme.into() } else { scheme };
        one_of(&scheme, &["", "http", "https"], || "unknown Scheme".into())
    }
}
