//! `timer`: emits an event every N seconds so that things notified by it run periodically. Resource spec, 9.

use crate::kinds::{Decision, Field, HostType, Kind, KindDecl, Seen, Traits, Want};
use crate::vocab::{Watch, time};

/// The kind `timer`.
pub(crate) struct Timer;

static DECL: KindDecl = KindDecl {
    name: "timer",
    doc: "Emits an event at a fixed interval, so that the resources it notifies run periodically.",
    fields: &[Field::int("interval", "Interval", HostType::Uint32, "Interval in seconds.")],
    traits: Traits { refreshable: true, ..Traits::NONE },
    constants: &[],
    policy: &[],
};

impl Kind for Timer {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn backend(&self) -> &'static str {
        "a timer of the agent. Nothing is changed on the host."
    }

    /// A tick finds everything up to date; a notification counts as a change, and the scheduler restarts the period.
    /// Without a period there is no tick to wait for; validation does not check that.
    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        if want.int("interval") == 0 {
            return Decision::CannotTell("the interval must be at least one second".into());
        }
        if seen.refresh { Decision::Mended(Vec::new()) } else { Decision::InState(Vec::new()) }
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        let ms = want.int("interval").unsigned_abs().saturating_mul(1000);
        if ms == 0 { Vec::new() } else { vec![time::Watch::Every { ms }.into()] }
    }
}
