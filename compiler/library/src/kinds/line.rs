//! `line`: Ensures that a block of one or more lines is present in, or absent from, a text file.
//! Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Field, Kind, KindDecl, Traits, Want};

/// The kind `line`.
pub(crate) struct Line;

static DECL: KindDecl = KindDecl {
    name: "line",
    doc: "Ensures that a block of one or more lines is present in, or absent from, a text file.",
    fields: &[
        Field::str("file", "File", "Absolute path, or a ~ / ~user path.").required(),
        Field::str("state", "State", "exists or absent (mandatory).").required(),
        Field::str("content", "Content", "One or more lines. Empty makes the resource a no-op."),
        Field::bool("trim", "Trim", "Strip surrounding whitespace from content first."),
    ],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Line {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        check_file(&want.text("file"))?;
        one_of(&want.text("state"), &["exists", "absent"], || "the State is invalid".into())
    }
}

/// An absolute path, or one in a home directory, of something that is no directory.
pub(super) fn check_file(file: &str) -> Result<(), String> {
    ensure(file.starts_with(['/', '~']), "the File must be absolute")?;
    ensure(!file.ends_with('/'), "the File must not end with a slash")
}
