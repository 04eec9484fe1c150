//! `schedule`: Joins (or leaves) a cluster scheduling pool from which a number of hosts is elected.
//! Resource spec, 9.

use crate::kinds::{Field, HostType, Kind, KindDecl, Traits};

/// The kind `schedule`.
pub(crate) struct Schedule;

static DECL: KindDecl = KindDecl {
    name: "schedule",
    doc: "Joins (or leaves) a cluster scheduling pool from which a number of hosts is elected.",
    fields: &[
        Field::str("namespace", "Namespace", "Pool name; empty means the resource name.").effective(),
        Field::str("strategy", "Strategy", "rr or alpha; null uses rr.").nullable(),
        Field::int("max", "Max", HostType::Int, "How many hosts to elect; null means 1.").nullable(),
        Field::bool("persist", "Persist", "Keep the vote after disconnect."),
        Field::int("ttl", "TTL", HostType::Int, "Seconds a vote outlives its host; null means 10.").nullable(),
        Field::bool("withdraw", "Withdraw", "Leave the pool instead of joining."),
    ],
    traits: Traits { background: true, ..Traits::NONE },
    constants: &[],
};

impl Kind for Schedule {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }
}
