//! The clocks of the host.

use super::subject::never;
use super::{Changes, Learn, Listen};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Step }

/// Fires after each period, which is not zero. Units: milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Watch {
    /// Counted from the start of the watch.
    Every { ms: u64 },
    /// At each full period of the wall clock.
    Full { ms: u64 },
}

/// Clocks. Periods are in milliseconds.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Fact {
    /// `Int`: seconds since 1970, reported at once and at each full period.
    Clock { period_ms: u64 },
    /// `Bytes`: the local time zone as a TZif file (RFC 8536); empty for UTC. Sampled.
    Zone,
    /// `Int`: whole seconds since the host booted, reported at once and at each full period.
    Uptime { period_ms: u64 },
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the clock")
    }

    fn is_periodic(&self) -> bool {
        true
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(match self {
            Fact::Clock { .. } => "the clock",
            Fact::Zone => "the time zone",
            Fact::Uptime { .. } => "the uptime",
        })
    }

    fn changes(&self) -> Changes {
        match self {
            Fact::Clock { period_ms } | Fact::Uptime { period_ms } => {
                Changes::With(vec![Watch::Full { ms: (*period_ms).max(1) }.into()])
            }
            Fact::Zone => Changes::Never,
        }
    }
}
