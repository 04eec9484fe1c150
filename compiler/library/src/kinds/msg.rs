//! `msg`: Logs a message to the engine log and optionally to the system journal. Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        for (name, _) in want.map("fields").iter() {
            let name = name.as_text().unwrap_or_default();
            let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            ensure(word, format!("invalid character in field {name}"))?;
            ensure(!name.starts_with('_'), "fields cannot begin with _")?;
        }
        let priority = want.text("priority");
        one_of(&priority, PRIORITIES, || format!("invalid Priority '{priority}'"))
    }
}

static PRIORITIES: &[&str] = &["Emerg", "Alert", "Crit", "Err", "Warning", "Notice", "Info", "Debug"];
