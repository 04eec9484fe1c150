//! `timer`: Emits an event every N seconds so that things notified by it run periodically. Resource
//! spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `timer`.
pub(crate) struct Timer;

static DECL: KindDecl = KindDecl {
    name: "timer",
    doc: "Emits an event every N seconds so that things notified by it run periodically.",
    fields: &[Field::int("interval", "Interval", HostType::Uint32, "Period in seconds.")],
    traits: Traits { refreshable: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Timer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
