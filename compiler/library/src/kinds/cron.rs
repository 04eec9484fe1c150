//! `cron`: Manages a systemd timer unit: its unit file, its enablement and its activation. Resource
//! spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Claim, Field, FieldDefault, Kind, KindDecl, Traits, Want};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        one_of(&want.text("state"), &["absent", "exists"], || "state must be 'absent' or 'exists'".into())?;
        one_of(&want.text("startup"), &["enabled", "disabled", ""], || {
            "startup must be enabled, disabled or empty".into()
        })?;
        let trigger = want.text("trigger");
        if want.text("state") == "absent" && trigger.is_empty() {
            return Ok(());
        }
        ensure(!trigger.is_empty() && !want.text("time").is_empty(), "the Trigger and the Time must both be set")?;
        one_of(&trigger, TRIGGERS, || "invalid trigger".into())
    }

    /// The unit that it triggers, and its own unit file. Where a user's units live is not known here.
    fn claims(&self, want: &Want) -> Vec<Claim> {
        let (unit, session) = (want.text("unit"), want.bool("session"));
        let unit = if unit.is_empty() { format!("{}.service", want.name) } else { unit.into_owned() };
        let mut claims = vec![Claim::Cron { unit, session }];
        if !session {
            claims.push(Claim::File(format!("/etc/systemd/system/{}.timer", want.name)));
        }
        claims
    }
}

/// What may set off a timer.
static TRIGGERS: &[&str] =
    &["OnCalendar", "OnActiveSec", "OnBootSec", "OnStartupSec", "OnUnitActiveSec", "OnUnitInactiveSec"];
