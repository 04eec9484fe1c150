//! `ssh:authorized_key`: Ensures one line in an authorized_keys file, creating ~/.ssh when needed.
//! Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::exists_or_absent;
use crate::kinds::rules::is_account_name;
use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits, Want, line, ssh_key};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        exists_or_absent(&want.text("state"))?;
        let user = want.text("user");
        ensure(user.is_empty() || is_account_name(&user), "the User is no valid name")?;
        let (content, kind, key, comment) =
            (want.text("content"), want.text("type"), want.text("key"), want.text("comment"));
        let options = want.texts("options");
        if !content.is_empty() {
            ensure(options.is_empty(), "can't use Content and Options param at the same time")?;
            ensure(kind.is_empty(), "can't use Content and Type param at the same time")?;
            ensure(key.is_empty(), "can't use Content and Key param at the same time")?;
            ensure(comment.is_empty(), "can't use Content and Comment param at the same time")?;
        }
        ensure(kind.is_empty() || !key.is_empty(), "must use Key param when using Type param")?;
        ensure(key.is_empty() || !kind.is_empty(), "must use Type param when using Key param")?;
        if content.is_empty() && !kind.is_empty() {
            let parts = [&*options.join(","), &*kind, &*key, &*comment];
            let given: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            ssh_key::authorized_line(&given.join(" "))?;
        } else {
            ssh_key::authorized_line(&want.effective("content"))?;
        }
        let file = want.text("file");
        if file.is_empty() { Ok(()) } else { line::check_file(&file) }
    }
}
