//! `firewalld`: Opens or closes services and ports in a firewalld zone (run-time configuration).
//! Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::known_state;
use crate::kinds::{Constant, Field, Kind, KindDecl, Traits, Want};

/// The kind `firewalld`.
pub(crate) struct Firewalld;

static DECL: KindDecl = KindDecl {
    name: "firewalld",
    doc: "Opens or closes services and ports in a firewalld zone (run-time configuration).",
    fields: &[
        Field::str("zone", "Zone", "Zone; empty asks firewalld for its default."),
        Field::str("state", "State", "exists, absent or empty (treated as exists)."),
        Field::strs("services", "Services", "Service names."),
        Field::strs("ports", "Ports", "port/protocol entries."),
    ],
    traits: Traits::NONE,
    constants: &[
        ("state.exists", Constant::Str("exists")),
        ("state.absent", Constant::Str("absent")),
        ("state.undefined", Constant::Str("")),
    ],
};

impl Kind for Firewalld {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        known_state(&want.text("state"), &["exists", "absent", ""])?;
        ensure(want.texts("services").iter().all(|service| !service.is_empty()), "a service is empty")?;
        for entry in want.texts("ports") {
            let (port, protocol) =
                entry.split_once('/').ok_or_else(|| format!("port/protocol was invalid: {entry}"))?;
            ensure(
                port.parse::<i64>().is_ok_and(|port| port > 0),
                format!("a port must be a positive number: {entry}"),
            )?;
            ensure(!protocol.is_empty() && !protocol.contains('/'), "protocol is empty")?;
        }
        Ok(())
    }
}
