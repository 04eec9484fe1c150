//! `schedule`: Joins (or leaves) a cluster scheduling pool from which a number of hosts is elected.
//! Resource spec, 9.

use crate::kinds::rules::ensure;
use crate::kinds::rules::one_of;
use crate::kinds::{Field, HostType, Kind, KindDecl, Traits, Want, compare};

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

    fn validate(&self, want: &Want) -> Result<(), String> {
        let strategy = want.text_if_set("strategy");
        if let Some(strategy) = &strategy {
            one_of(strategy, &["rr", "alpha", ""], || format!("undefined strategy: {strategy}"))?;
        }
        let persist = want.bool("persist");
        ensure(!(persist && want.int("ttl") > 0), "`persist` cannot be combined with `ttl`")?;
        if want.bool("withdraw") {
            ensure(strategy.is_none(), "`withdraw` cannot be combined with `strategy`")?;
            ensure(want.set("max").is_none(), "`withdraw` cannot be combined with `max`")?;
            ensure(!persist, "`withdraw` cannot be combined with `persist`")?;
            ensure(want.set("ttl").is_none(), "`withdraw` cannot be combined with `ttl`")?;
        }
        Ok(())
    }

    fn compare(&self, one: &Want, other: &Want) -> Result<(), String> {
        ensure(one.effective("namespace") == other.effective("namespace"), "the Namespace differs")?;
        compare::fields(one, other)
    }
}
