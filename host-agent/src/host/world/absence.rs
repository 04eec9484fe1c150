//! [`Absence`]: the time without a connection to the store: what is reported about it, and when to try again.

use crate::show::counted;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tokio::time::Instant;

/// The first and the longest pause before the next connection.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(8));
/// The longest pause after the store has refused this host. Changed credentials end it.
const REFUSED: Duration = Duration::from_secs(30);

/// An interruption.
#[derive(Default)]
pub(super) struct Absence {
    since: Option<Instant>,
    n_tries: u32,
    is_told: bool,
    /// It has received the report that the store refuses this host.
    is_refusal_told: bool,
    /// Values that changed in the meantime.
    pub(super) n_changed: usize,
}

impl Absence {
    /// A connection was lost, or could not be made. A short one is not worth a word.
    pub(super) fn goes_on(&mut self, why: &str, is_refused: bool) {
        self.since.get_or_insert_with(Instant::now);
        self.n_tries += 1;
        if is_refused && !self.is_refusal_told {
            (self.is_told, self.is_refusal_told) = (true, true);
            crate::output::tell(&format!(
                "mclive: warning: cannot use the shared store; this host keeps its last values: {why}"
            ));
        }
        if self.n_tries > 1 && !self.is_told {
            self.is_told = true;
            crate::output::tell(&format!(
                "mclive: warning: the shared store is unreachable; this host keeps its last values: {why}"
            ));
        }
    }

    /// The store is reachable again, and its values are known.
    pub(super) fn ends(&mut self) {
        let absence = std::mem::take(self);
        if let Some(since) = absence.since.filter(|_| absence.is_told) {
            let changed = match absence.n_changed {
                0 => "nothing changed".to_owned(),
                n => format!("{} changed", counted(n, "value")),
            };
            crate::output::tell(&format!(
                "mclive: the shared store is reachable again after {} s; {changed} in the meantime",
                since.elapsed().as_secs()
            ));
        }
    }

    /// A random time up to a limit that doubles, so that the hosts of a cluster do not come back at once.
    pub(super) fn pause(&self, is_refused: bool) -> Duration {
        let most = PAUSES.1.min(PAUSES.0 * 2u32.saturating_pow(self.n_tries.min(16)));
        let random = (RandomState::new().hash_one(0) % 1000) as f64 / 1000.0;
        // Each attempt with a wrong password costs etcd 0.1 s.
        if is_refused { REFUSED.mul_f64(0.5 + random / 2.0) } else { most.mul_f64(random) }
    }
}
