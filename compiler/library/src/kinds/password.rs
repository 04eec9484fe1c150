//! `password`: Generates a random password once and sends it to other resources. Resource spec, 9.

use crate::kinds::{Field, FieldDefault, HostType, Kind, KindDecl, Sendable, Traits};

/// The kind `password`.
pub(crate) struct Password;

static DECL: KindDecl = KindDecl {
    name: "password",
    doc: "Generates a random password once and sends it to other resources.",
    fields: &[
        Field::int("length", "Length", HostType::Uint16, "Number of characters.").default(FieldDefault::Int(64)),
        Field::bool("saved", "Saved", "Keep the clear text in the state directory so that it can be sent again later."),
        Field::bool(
            "check_recovery",
            "CheckRecovery",
            "Regenerate instead of failing when the stored token is corrupt.",
        ),
    ],
    traits: Traits {
        refreshable: true,
        uses_vardir: true,
        sends: &[Sendable { name: "password", host: HostType::Str, nullable: true }],
        ..Traits::NONE
    },
    constants: &[],
};

impl Kind for Password {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
