//! [`Starts`]: how often units were started in vain, and when each may be started next.
//!
//! A start that a process does not survive has failed, and the next one waits, each time twice as long as before. One
//! that survives and ends soon all the same may be repeated at once a few times, and is slowed likewise then. What ended
//! after a longer time is started at once. The counters of systemd's own limit are cleared only for a unit that did not fail
//! with its last start, so that the limit holds for one that does.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A process that is up for so long after its start has survived it.
pub(super) const SURVIVES: Duration = Duration::from_secs(1);
/// The pause after the first start in vain, and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(300));
/// One that is to be started again within this time has not lasted.
const SHORT: Duration = Duration::from_secs(10);
/// So many starts that did not last are repeated at once.
const AT_ONCE: u32 = 5;

#[derive(Default)]
pub(super) struct Starts {
    /// Those that failed, or did not last.
    of: BTreeMap<String, Tries>,
}

struct Tries {
    /// In a row.
    n_failed: u32,
    /// In a row, of those that survived their start.
    n_short: u32,
    /// When the last start ended, well or not.
    last: Instant,
    not_before: Instant,
    /// Why the last one failed; empty when it did not.
    why: String,
    /// Somebody is told when the pause is over.
    is_awaited: bool,
}

/// What may be done about a unit that is to be started.
#[derive(Debug, PartialEq)]
pub(super) enum May {
    Start,
    /// Not before this moment, and why. `is_first`: nobody waits for that moment yet.
    Wait {
        until: Instant,
        why: String,
        is_first: bool,
    },
}

impl Starts {
    pub(super) fn may(&mut self, name: &str, now: Instant) -> May {
        let Some(tries) = self.of.get_mut(name) else { return May::Start };
        if now < tries.not_before {
            let is_first = !std::mem::replace(&mut tries.is_awaited, true);
            let why = match tries.why.as_str() {
                "" => format!("start {name}: it has ended soon after each of {} starts", tries.n_short + 1),
                why => why.to_owned(),
            };
            return May::Wait { until: tries.not_before, why, is_first };
        }
        tries.is_awaited = false;
        May::Start
    }

    /// Whether systemd's own counters may be cleared before the next start.
    pub(super) fn clears(&self, name: &str) -> bool {
        self.of.get(name).is_none_or(|tries| tries.n_failed == 0 && tries.n_short < AT_ONCE)
    }

    /// It is another one than the one that was started.
    pub(super) fn forget(&mut self, name: &str) {
        self.of.remove(name);
    }

    /// Its process did not survive the start.
    pub(super) fn failed(&mut self, name: &str, now: Instant, why: String) {
        let tries = self.tries(name, now);
        tries.n_failed += 1;
        let why = match tries.n_failed {
            1 => why,
            n_failed => format!("{why} ({n_failed} starts in a row have failed)"),
        };
        (tries.last, tries.not_before, tries.why) = (now, now + pause(tries.n_failed), why);
        tries.is_awaited = false;
    }

    /// Its process survived the start.
    pub(super) fn survived(&mut self, name: &str, now: Instant) {
        let tries = self.tries(name, now);
        // That of the start itself is no time for which it lasted.
        let is_short = tries.n_failed == 0 && now.duration_since(tries.last) < SHORT + SURVIVES;
        tries.n_short = if is_short && tries.last < now { tries.n_short + 1 } else { 0 };
        let n_slow = (tries.n_short + 2).saturating_sub(AT_ONCE);
        let pause = if n_slow == 0 { Duration::ZERO } else { pause(n_slow) };
        (tries.n_failed, tries.last, tries.not_before) = (0, now, now + pause);
        tries.why.clear();
    }

    fn tries(&mut self, name: &str, now: Instant) -> &mut Tries {
        self.of.entry(name.to_owned()).or_insert_with(|| Tries {
            n_failed: 0,
            n_short: 0,
            last: now,
            not_before: now,
            why: String::new(),
            is_awaited: false,
        })
    }
}

fn pause(n_failed: u32) -> Duration {
    PAUSES.1.min(PAUSES.0 * 2_u32.saturating_pow(n_failed.saturating_sub(1).min(16)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    fn waits(starts: &mut Starts, now: Instant) -> Option<Duration> {
        match starts.may("a.service", now) {
            May::Wait { until, .. } => Some(until - now),
            May::Start => None,
        }
    }

    #[test]
    fn starts_in_vain_wait_longer_and_longer_and_leave_the_limit_of_systemd_alone() {
        let (mut starts, mut now) = (Starts::default(), Instant::now());
        assert_eq!(starts.may("a.service", now), May::Start);
        let mut pauses = Vec::new();
        for _ in 0..10 {
            starts.failed("a.service", now, "status 1".into());
            let pause = waits(&mut starts, now).unwrap();
            pauses.push(pause.as_secs());
            now += pause;
            assert_eq!((starts.may("a.service", now), starts.clears("a.service")), (May::Start, false));
        }
        assert_eq!(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
        starts.survived("a.service", now);
        assert_eq!((starts.may("a.service", now + S), starts.clears("a.service")), (May::Start, true));
    }

    #[test]
    fn a_wait_says_why_and_is_awaited_once() {
        let (mut starts, now) = (Starts::default(), Instant::now());
        starts.failed("a.service", now, "status 1".into());
        let wait = |is_first| May::Wait { until: now + 2 * S, why: "status 1".into(), is_first };
        assert_eq!(starts.may("a.service", now), wait(true));
        assert_eq!(starts.may("a.service", now), wait(false));
        starts.failed("a.service", now + 2 * S, "status 1".into());
        let May::Wait { why, is_first, .. } = starts.may("a.service", now + 3 * S) else { panic!("it waits") };
        assert_eq!((why.as_str(), is_first), ("status 1 (2 starts in a row have failed)", true));
        assert_eq!(starts.may("b.service", now), May::Start);
    }

    #[test]
    fn what_never_lasts_is_slowed_and_what_lasts_is_not() {
        let (mut starts, mut now) = (Starts::default(), Instant::now());
        for _ in 0..AT_ONCE {
            assert_eq!(starts.may("a.service", now), May::Start);
            now += 3 * S;
            starts.survived("a.service", now);
        }
        assert_eq!(waits(&mut starts, now), Some(2 * S));
        now += 2 * S;
        assert_eq!(starts.may("a.service", now), May::Start);
        starts.survived("a.service", now);
        assert_eq!(waits(&mut starts, now), Some(4 * S));
        now += 60 * S;
        starts.survived("a.service", now);
        assert_eq!(starts.may("a.service", now), May::Start);
        for _ in 0..100 {
            now += 20 * S;
            starts.survived("a.service", now);
            assert_eq!(waits(&mut starts, now), None);
        }
    }
}
