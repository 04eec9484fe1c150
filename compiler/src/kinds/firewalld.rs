//! `firewalld`: Opens or closes services and ports in a firewalld zone (run-time configuration).
//! Resource spec, 9.

use crate::kinds::{Constant, Field, Kind, KindDecl, Traits};

/// The kind `firewalld`.
pub(crate) struct Firewalld;

static DECL: KindDecl = KindDecl {
    name: "firewalld",
    doc: "Opens or closes services and ports in a firewalld zone (run-time configuration).",
    fields: &[
        Field::str("zone", "Zone", "Zone; empty asks firewalld for its default."),
        Field::str("state", "State", "exists, absent or empty (treated as exists)."),
        Field::strs("services", "Services", "Service names."),
        Field::strs("ports", "Ports", "port/protocol entries."),
    ],
    traits: Traits::NONE,
    constants: &[
        ("state.exists", Constant::Str("exists")),
        ("state.absent", Constant::Str("absent")),
        ("state.undefined", Constant::Str("")),
    ],
};

impl Kind for Firewalld {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
