//! `svc`: Keeps a systemd service unit running or stopped and enabled or disabled; reloads it when
//! notified. Resource spec, 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

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
}
