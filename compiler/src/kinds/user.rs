//! `user`: Manages a local user account with the shadow utilities. Resource spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `user`.
pub(crate) struct User;

static DECL: KindDecl = KindDecl {
    name: "user",
    doc: "Manages a local user account with the shadow utilities.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::int("uid", "UID", HostType::Uint32, "Numeric id.").nullable(),
        Field::int("gid", "GID", HostType::Uint32, "Numeric primary group id; excludes group.").nullable(),
        Field::str("group", "Group", "Primary group by name; excludes gid.").nullable(),
        Field::strs("groups", "Groups", "Supplementary groups. Null leaves them alone, an empty list removes all."),
        Field::str("homedir", "HomeDir", "Home directory, must end in a slash.").nullable(),
        Field::str("shell", "Shell", "Login shell.").nullable(),
        Field::bool("allowduplicateuid", "AllowDuplicateUID", "Permit a uid already used by another account."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for User {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
