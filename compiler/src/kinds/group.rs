//! `group`: Manages a local group with the shadow utilities. Resource spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `group`.
pub(crate) struct Group;

static DECL: KindDecl = KindDecl {
    name: "group",
    doc: "Manages a local group with the shadow utilities.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::int("gid", "GID", HostType::Uint32, "Numeric group id.").nullable(),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Group {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
