//! [`Clock`]: the time, and timers in order.

use super::Slot;
use crate::protocol::Moment;
use std::collections::BTreeMap;

/// The purpose of a timer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Timer {
    /// The rate limit of a vertex allows it to proceed.
    Limited(Slot),
    /// A failed check is retried.
    Retry(Slot),
    /// A polled vertex is checked again.
    Poll(Slot),
    /// A failed watch is set up again.
    Rewatch(Slot),
    /// A failed resource is looked at again: its cause may be gone.
    Recheck(Slot),
    /// A resource that flaps has rested.
    Rest(Slot),
    /// It may be quiet by now.
    Quiet(Slot),
    /// Unreadable undo records are requested again.
    Undo,
    /// Failed removals of publications are retried.
    Prune,
    /// A check has reached its `timeout`.
    Deadline(Slot),
}

/// Id of an armed timer: its moment, and a number that orders equal moments.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct TimerKey {
    at: Moment,
    number: u64,
}

impl TimerKey {
    /// The moment that it was armed for.
    pub(crate) fn at(self) -> Moment {
        self.at
    }
}

#[derive(Clone)]
pub(crate) struct Clock {
    began: Moment,
    now: Moment,
    armed: BTreeMap<TimerKey, Timer>,
    next: u64,
}

impl Clock {
    pub(crate) fn new(now: Moment) -> Clock {
        Clock { began: now, now, armed: BTreeMap::new(), next: 0 }
    }

    pub(crate) fn now(&self) -> Moment {
        self.now
    }

    /// When the scheduler started.
    pub(crate) fn began(&self) -> Moment {
        self.began
    }

    /// Sets the time; it never goes backwards.
    pub(crate) fn advance(&mut self, now: Moment) {
        self.now = self.now.max(now);
    }

    pub(crate) fn arm(&mut self, at: Moment, timer: Timer) -> TimerKey {
        let key = TimerKey { at, number: self.next };
        self.next += 1;
        self.armed.insert(key, timer);
        key
    }

    pub(crate) fn arm_in(&mut self, ms: u64, timer: Timer) -> TimerKey {
        self.arm(self.now.plus_ms(ms), timer)
    }

    pub(crate) fn cancel(&mut self, key: impl Into<Option<TimerKey>>) {
        if let Some(key) = key.into() {
            self.armed.remove(&key);
        }
    }

    /// The earliest due timer, disarmed.
    pub(crate) fn due(&mut self) -> Option<(TimerKey, Timer)> {
        let (&key, &timer) = self.armed.first_key_value()?;
        if key.at > self.now {
            return None;
        }
        self.armed.remove(&key);
        Some((key, timer))
    }

    pub(crate) fn any(&self, is: impl Fn(&Timer) -> bool) -> bool {
        self.armed.values().any(is)
    }

    pub(crate) fn next_at(&self) -> Option<Moment> {
        self.armed.first_key_value().map(|(key, _)| key.at)
    }
}
