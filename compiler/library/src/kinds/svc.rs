//! `svc`: Keeps a systemd service unit running or stopped and enabled or disabled; reloads it when
//! notified. Resource spec, 9.

use crate::kinds::rules::one_of;
use crate::kinds::{Claim, Direction, Field, Kind, KindDecl, Traits, Want, WantBatch};

/// The kind `svc`.
pub(crate) struct Svc;

static DECL: KindDecl = KindDecl {
    name: "svc",
    doc: "Keeps a systemd service unit running or stopped and enabled or disabled; reloads it when notified.",
    fields: &[
        Field::str("state", "State", "running, stopped, or empty for unmanaged."),
        Field::str("startup", "Startup", "enabled, disabled, or empty for unmanaged."),
        Field::bool("session", "Session", "Use the user (session) manager instead of the system one."),
    ],
    traits: Traits { edgeable: true, groupable: true, refreshable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Svc {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        one_of(&want.text("state"), &["running", "stopped", ""], || "state must be running, stopped or empty".into())?;
        one_of(&want.text("startup"), &["enabled", "disabled", ""], || {
            "startup must be enabled, disabled or empty".into()
        })
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::Svc { name: want.name.to_owned(), session: want.bool("session") }]
    }

    /// Its unit file comes before it, its timer after it. Where a user's units live is not known here.
    fn wants(&self, want: &Want) -> Vec<WantBatch> {
        let (unit, session) = (format!("{}.service", want.name), want.bool("session"));
        let file = |dir: &str| (Claim::File(format!("{dir}{unit}")), Direction::Before);
        let files = vec![file("/etc/systemd/system/"), file("/usr/lib/systemd/system/")];
        let timer = vec![(Claim::Cron { unit: unit.clone(), session }, Direction::After)];
        vec![
            WantBatch { claims: if session { Vec::new() } else { files }, first_only: true },
            WantBatch { claims: timer, first_only: false },
        ]
    }
}
