//! `value`: Holds a value of any type in the host-local value store and forwards it by send/recv.
//! Resource spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Sendable, Traits};

/// The kind `value`.
pub(crate) struct Value;

static DECL: KindDecl = KindDecl {
    name: "value",
    doc: "Holds a value of any type in the host-local value store and forwards it by send/recv.",
    fields: &[Field::new("any", "Any", HostType::Any, "The value; null when nothing is known yet.").nullable()],
    traits: Traits {
        recvable: true,
        sends: &[Sendable { name: "any", host: HostType::Any, nullable: true }],
        ..Traits::NONE
    },
    constants: &[],
};

impl Kind for Value {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
