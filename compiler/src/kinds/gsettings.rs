//! `gsettings`: Sets a GSettings (dconf) key for a user by driving the gsettings tool. Resource
//! spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `gsettings`.
pub(crate) struct Gsettings;

static DECL: KindDecl = KindDecl {
    name: "gsettings",
    doc: "Sets a GSettings (dconf) key for a user by driving the gsettings tool.",
    fields: &[
        Field::str("schema", "Schema", "Schema; taken from a `schema key` name when empty."),
        Field::str("key", "Key", "Key; taken from the name likewise."),
        Field::str("type", "Type", "bool, str, int or custom (mandatory).").required(),
        Field::new("value", "Value", HostType::Any, "Value of the matching type (custom takes a str passed verbatim).")
            .required(),
        Field::str("user", "User", "User to run as."),
        Field::str("group", "Group", "Group to run as."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Gsettings {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
