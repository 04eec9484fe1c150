//! `ssh:authorized_key`: Ensures one line in an authorized_keys file, creating ~/.ssh when needed.
//! Resource spec, 9.

use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits};

/// The kind `ssh:authorized_key`.
pub(crate) struct SshAuthorizedKey;

static DECL: KindDecl = KindDecl {
    name: "ssh:authorized_key",
    doc: "Ensures one line in an authorized_keys file, creating ~/.ssh when needed.",
    fields: &[
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::str("file", "File", "File path (may use ~); takes precedence over user."),
        Field::str("user", "User", "Use ~user/.ssh/authorized_keys and own created files by this user."),
        Field::str("content", "Content", "Whole key line; excludes options, type, key, comment."),
        Field::strs("options", "Options", "Key options.").empty_differs(),
        Field::str("type", "Type", "Key type such as ssh-ed25519; needs key."),
        Field::str("key", "Key", "Base64 key; needs type."),
        Field::str("comment", "Comment", "Trailing comment."),
        Field::bool("mkdir", "Mkdir", "Create a missing .ssh directory (0700).").default(FieldDefault::Bool(true)),
    ],
    traits: Traits { edgeable_inert: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for SshAuthorizedKey {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
