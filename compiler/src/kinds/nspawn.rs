//! `nspawn`: Runs or stops a systemd-nspawn machine through its template service. Resource spec, 9.

use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits};

/// The kind `nspawn`.
pub(crate) struct Nspawn;

static DECL: KindDecl = KindDecl {
    name: "nspawn",
    doc: "Runs or stops a systemd-nspawn machine through its template service.",
    fields: &[Field::str("state", "State", "running or stopped.").default(FieldDefault::Str("running"))],
    traits: Traits { refreshable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Nspawn {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
