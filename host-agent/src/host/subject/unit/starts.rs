//! [`Starts`]: the outcomes of unit starts, and how long a unit rests after them.
//!
//! A start that the process does not survive has failed. Another start may be requested, for example by `Meta:retry`;
//! but a unit that keeps failing by itself is not started again before it has rested, each time twice as long. A
//! process that survives its start but exits soon may be started again immediately a few times; then the next start is
//! delayed. One that exits after a longer time is started again immediately. The counters of systemd's own limit are
//! cleared before each start, unless the last one from here failed or too many did not last: then the limit holds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

/// A process that runs for this long after its execution has survived its start.
pub(super) const SURVIVES: Duration = Duration::from_millis(200);
/// The rest after the first failed start, and the longest one.
const RESTS: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(300));
/// A unit that must be restarted within this time was short-lived.
const SHORT: Duration = Duration::from_secs(10);
/// How many short-lived starts are repeated at once.
const AT_ONCE: u32 = 5;

#[derive(Default)]
pub(super) struct Starts {
    of: BTreeMap<String, Tries>,
}

struct Tries {
    /// Successive failed starts.
    n_failed: u32,
    /// Successive starts that survived but were short-lived.
    n_short: u32,
    /// When the last start ended, successful or not.
    last: Instant,
    /// The same, for the journal.
    last_by_clock: SystemTime,
    rests_until: Instant,
    /// A check after the rest is scheduled.
    is_awaited: bool,
}

/// Whether a unit may be started.
#[derive(Debug, PartialEq)]
pub(super) enum May {
    Start,
    /// Not before it has rested: this many starts were short-lived.
    Wait {
        n_starts: u32,
        /// When the last one ended.
        since: SystemTime,
    },
}

impl Starts {
    pub(super) fn may(&self, name: &str, now: Instant) -> May {
        match self.of.get(name) {
            Some(tries) if tries.n_failed == 0 && now < tries.rests_until => {
                May::Wait { n_starts: tries.n_short + 1, since: tries.last_by_clock }
            }
            Some(_) | None => May::Start,
        }
    }

    /// The end of the rest, on the first call only.
    pub(super) fn await_rest(&mut self, name: &str) -> Option<Instant> {
        let tries = self.of.get_mut(name)?;
        (!std::mem::replace(&mut tries.is_awaited, true)).then_some(tries.rests_until)
    }

    /// Whether the current rest ends at this moment.
    pub(super) fn rests_until(&self, name: &str, moment: Instant) -> bool {
        self.of.get(name).is_some_and(|tries| tries.rests_until == moment)
    }

    /// Whether its last start has failed so recently that being down is not a change yet.
    pub(super) fn rests(&self, name: &str, now: Instant) -> bool {
        self.of.get(name).is_some_and(|tries| tries.n_failed > 0 && now < tries.rests_until)
    }

    /// Whether systemd's counters may be cleared before the next start.
    pub(super) fn clears(&self, name: &str) -> bool {
        self.of.get(name).is_none_or(|tries| tries.n_failed == 0 && tries.n_short < AT_ONCE)
    }

    /// Another program started or stopped it: its lifetime does not count.
    pub(super) fn somebody_acts(&mut self, name: &str) {
        if let Some(tries) = self.of.get_mut(name).filter(|tries| tries.n_failed == 0) {
            (tries.n_short, tries.rests_until) = (0, tries.last);
        }
    }

    /// It is not the started unit.
    pub(super) fn forget(&mut self, name: &str) {
        self.of.remove(name);
    }

    /// Records that its process did not survive the start; returns the number of successive failures.
    pub(super) fn failed(&mut self, name: &str, now: Instant) -> u32 {
        let tries = self.tries(name, now);
        tries.n_failed += 1;
        tries.rests_until = now + rest(tries.n_failed);
        tries.n_failed
    }

    /// Records that its process survived the start.
    pub(super) fn survived(&mut self, name: &str, now: Instant) {
        let before = self.of.get(name).filter(|tries| tries.n_failed == 0).map(|tries| tries.last);
        // The duration of the start itself does not count as lifetime.
        let is_short = before.is_some_and(|last| now.duration_since(last) < SHORT + SURVIVES);
        let tries = self.tries(name, now);
        tries.n_short = if is_short { tries.n_short + 1 } else { 0 };
        let n_slow = (tries.n_short + 2).saturating_sub(AT_ONCE);
        tries.n_failed = 0;
        tries.rests_until = now + if n_slow == 0 { Duration::ZERO } else { rest(n_slow) };
    }

    fn tries(&mut self, name: &str, now: Instant) -> &mut Tries {
        let fresh = || Tries {
            n_failed: 0,
            n_short: 0,
            last: now,
            last_by_clock: SystemTime::now(),
            rests_until: now,
            is_awaited: false,
        };
        let tries = self.of.entry(name.to_owned()).or_insert_with(fresh);
        (tries.last, tries.last_by_clock, tries.is_awaited) = (now, SystemTime::now(), false);
        tries
    }
}

fn rest(n_times: u32) -> Duration {
    RESTS.1.min(RESTS.0 * 2_u32.saturating_pow(n_times.saturating_sub(1).min(16)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);
    const NAME: &str = "a.service";

    #[test]
    fn what_fails_rests_longer_and_longer_and_leaves_the_limit_of_systemd_alone() {
        let (mut starts, mut now) = (Starts::default(), Instant::now());
        assert!(starts.clears(NAME) && !starts.rests(NAME, now));
        let mut rests = Vec::new();
        for n_failed in 1..=10 {
            assert_eq!(starts.failed(NAME, now), n_failed);
            assert!(starts.rests(NAME, now) && !starts.clears(NAME));
            assert_eq!(starts.may(NAME, now), May::Start, "any caller with a reason can try again");
            let until = starts.await_rest(NAME).unwrap();
            assert_eq!(starts.await_rest(NAME), None, "it is awaited once");
            assert!(starts.rests_until(NAME, until));
            rests.push((until - now).as_secs());
            now = until;
            assert!(!starts.rests(NAME, now));
        }
        assert_eq!(rests, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        starts.survived(NAME, now);
        assert!(starts.clears(NAME) && !starts.rests(NAME, now));
    }

    #[test]
    fn another_attempt_begins_another_rest() {
        let (mut starts, now) = (Starts::default(), Instant::now());
        starts.failed(NAME, now);
        let first = starts.await_rest(NAME).unwrap();
        starts.failed(NAME, now + S);
        assert!(!starts.rests_until(NAME, first));
        assert_eq!(starts.await_rest(NAME), Some(now + 5 * S));
        starts.forget(NAME);
        assert!(starts.clears(NAME) && !starts.rests(NAME, now + S));
    }

    #[test]
    fn what_never_lasts_is_slowed_and_what_lasts_is_not() {
        let (mut starts, mut now) = (Starts::default(), Instant::now());
        let waits = |starts: &Starts, at| matches!(starts.may(NAME, at), May::Wait { .. });
        for _ in 0..AT_ONCE - 1 {
            assert_eq!(starts.may(NAME, now), May::Start);
            now += 3 * S;
            starts.survived(NAME, now);
        }
        assert_eq!(starts.may(NAME, now), May::Start);
        now += 3 * S;
        starts.survived(NAME, now);
        assert!(matches!(starts.may(NAME, now + S), May::Wait { n_starts: AT_ONCE, .. }));
        assert!(!waits(&starts, now + 2 * S) && starts.clears(NAME));
        now += 2 * S;
        starts.survived(NAME, now);
        assert!(!starts.clears(NAME));
        assert!(waits(&starts, now + 3 * S) && !waits(&starts, now + 4 * S));
        starts.somebody_acts(NAME);
        assert_eq!(starts.may(NAME, now), May::Start);
        assert!(starts.clears(NAME));
        now += 60 * S;
        starts.survived(NAME, now);
        for _ in 0..100 {
            now += 20 * S;
            starts.survived(NAME, now);
            assert_eq!(starts.may(NAME, now), May::Start);
        }
    }
}
