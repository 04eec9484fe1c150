//! `cron`: Manages a systemd timer unit: its unit file, its enablement and its activation. Resource
//! spec, 9.

use crate::kinds::{Field, FieldDefault, Kind, KindDecl, Traits};

/// The kind `cron`.
pub(crate) struct Cron;

static DECL: KindDecl = KindDecl {
    name: "cron",
    doc: "Manages a systemd timer unit: its unit file, its enablement and its activation.",
    fields: &[
        Field::str("unit", "Unit", "Unit the timer triggers; empty lets systemd pick NAME.service."),
        Field::str("state", "State", "exists or absent.").default(FieldDefault::Str("exists")),
        Field::str("startup", "Startup", "enabled, disabled, or empty.").default(FieldDefault::Str("enabled")),
        Field::bool("session", "Session", "Use the user manager and the user's unit directory.").not_compared(),
        Field::str(
            "trigger",
            "Trigger",
            "OnCalendar, OnActiveSec, OnBootSec, OnStartupSec, OnUnitActiveSec or OnUnitInactiveSec.",
        ),
        Field::str("time", "Time", "Value for the trigger, in systemd syntax."),
        Field::str("accuracysec", "AccuracySec", "AccuracySec= value, omitted when empty."),
        Field::str("randomizeddelaysec", "RandomizedDelaySec", "RandomizedDelaySec= value, omitted when empty."),
        Field::bool("persistent", "Persistent", "Persistent=true when set."),
        Field::bool("wakesystem", "WakeSystem", "WakeSystem=true when set."),
        Field::bool("remainafterelapse", "RemainAfterElapse", "RemainAfterElapse=false is written when this is false.")
            .default(FieldDefault::Bool(true)),
        Field::str(
            "description",
            "Description",
            "Description= text; null uses a stock sentence, empty string omits the line.",
        )
        .nullable(),
    ],
    traits: Traits { edgeable: true, refreshable: true, recvable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Cron {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
