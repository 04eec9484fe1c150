//! `print`: Writes a message to the engine log when it changes (or when notified). Resource spec,
//! 9.

use crate::kinds::{Field, Kind, KindDecl, Traits};

/// The kind `print`.
pub(crate) struct Print;

static DECL: KindDecl = KindDecl {
    name: "print",
    doc: "Writes a message to the engine log when it changes (or when notified).",
    fields: &[
        Field::str("msg", "Msg", "Text to log; empty is shown as <empty>."),
        Field::bool("refresh_only", "RefreshOnly", "Log only when a notification is pending."),
    ],
    traits: Traits { groupable: true, groups_others: true, refreshable: true, recvable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Print {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
