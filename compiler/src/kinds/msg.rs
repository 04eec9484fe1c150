//! `msg`: Logs a message to the engine log and optionally to the system journal. Resource spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `msg`.
pub(crate) struct Msg;

static DECL: KindDecl = KindDecl {
    name: "msg",
    doc: "Logs a message to the engine log and optionally to the system journal.",
    fields: &[
        Field::str("body", "Body", "Message text."),
        Field::str("priority", "Priority", "Emerg, Alert, Crit, Err, Warning, Notice, Info or Debug (mandatory).")
            .required(),
        Field::new("fields", "Fields", HostType::STR_MAP, "Extra journal fields."),
        Field::bool("journal", "Journal", "Also send to the systemd journal.").not_compared(),
        Field::bool("syslog", "Syslog", "Also send to syslog (not implemented upstream).").not_compared(),
    ],
    traits: Traits { refreshable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Msg {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
