//! `kv`: Sets or deletes a key in the cluster string store. Resource spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `kv`.
pub(crate) struct Kv;

static DECL: KindDecl = KindDecl {
    name: "kv",
    doc: "Sets or deletes a key in the cluster string store.",
    fields: &[
        Field::str("key", "Key", "Key; empty means the resource name.").effective(),
        Field::str("value", "Value", "Value to store; null deletes the key.").nullable(),
        Field::bool("mapped", "Mapped", "Store in the per-host map under this host's name."),
        Field::bool(
            "skiplessthan",
            "SkipLessThan",
            "Do not overwrite a stored value that is greater than the wanted one.",
        ),
        Field::int(
            "skipcmpstyle",
            "SkipCmpStyle",
            HostType::NamedInt("resources.KVResSkipCmpStyle"),
            "0 compares as integers, 1 as strings.",
        ),
    ],
    traits: Traits { refreshable: true, recvable: true, interruptable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Kv {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
