//! `exit`: Ends the whole program with the given status code. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want};

/// The kind `exit`.
pub(crate) struct Exit;

static DECL: KindDecl = KindDecl {
    name: "exit",
    doc: "Ends the whole program with the given status code.",
    fields: &[Field::int("code", "Code", HostType::Uint8, "Exit status 0..125.")],
    traits: Traits::NONE,
    constants: &[],
};

impl Kind for Exit {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.int("code") <= 125, "the Code must be in the range [0, 125]")
    }
}
