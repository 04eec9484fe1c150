//! [`Timers`]: what is to happen at a later moment, in order.

use super::Slot;
use crate::protocol::Moment;
use std::collections::BTreeMap;

/// What a timer is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Timer {
    /// The rate limit of a vertex lets it go on.
    Limited(Slot),
    /// A failed check is tried again.
    Retry(Slot),
    /// A polled vertex is looked at again.
    Poll(Slot),
    /// A failed watch is tried again.
    Rewatch(Slot),
    /// One that is looked at too often has rested.
    Rest(Slot),
    /// It may be quiet by now.
    Quiet(Slot),
    /// The records of what to undo could not be read: they are asked for again.
    Undo,
    /// What was published could not be taken back: it is tried again.
    Prune,
    /// A check has run for its `timeout`.
    Deadline(Slot),
}

/// Names an armed timer: its moment, and a number that keeps equal moments in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct TimerKey {
    pub(super) at: Moment,
    number: u64,
}

#[derive(Default)]
pub(super) struct Timers {
    armed: BTreeMap<TimerKey, Timer>,
    next: u64,
}

impl Timers {
    pub(super) fn arm(&mut self, at: Moment, timer: Timer) -> TimerKey {
        let key = TimerKey { at, number: self.next };
        self.next += 1;
        self.armed.insert(key, timer);
        key
    }

    pub(super) fn cancel(&mut self, key: TimerKey) {
        self.armed.remove(&key);
    }

    /// The earliest timer that is due, disarmed.
    pub(super) fn due(&mut self, now: Moment) -> Option<(TimerKey, Timer)> {
        let (&key, &timer) = self.armed.first_key_value()?;
        if key.at > now {
            return None;
        }
        self.armed.remove(&key);
        Some((key, timer))
    }

    pub(super) fn any(&self, is: impl Fn(&Timer) -> bool) -> bool {
        self.armed.values().any(is)
    }

    pub(super) fn next_at(&self) -> Option<Moment> {
        self.armed.first_key_value().map(|(key, _)| key.at)
    }
}
