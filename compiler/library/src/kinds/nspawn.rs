//! `nspawn`: Runs or stops a systemd-nspawn machine through its template service. Resource spec, 9.

use crate::kinds::rules::known_state;
use crate::kinds::rules::{ensure, file_exists};
use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits, Want};
use crate::vocab::{Datum, FactSpec, file};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.name.chars().count() <= 64, "name must be 64 characters or less")?;
        let state = want.text("state");
        known_state(&state, &["running", "stopped"])
    }

    fn asks_host(&self, _want: &Want) -> Vec<FactSpec> {
        vec![FactSpec::File(file::Fact::State { path: "/run/systemd/system".into() })]
    }

    fn validate_there(&self, _want: &Want, facts: &[Option<Datum>]) -> Result<(), String> {
        let running = facts.iter().flatten().all(file_exists);
        ensure(running, "systemd is not running")
    }
}
