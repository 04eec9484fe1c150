//! Timers of the driver's thread, without a thread or descriptor: the driver waits until the next one.

use mclive_base::protocol::Ticket;
use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(Default)]
pub(super) struct Timers {
    due: BTreeMap<(Instant, Ticket), Every>,
}

/// How a timer repeats.
#[derive(Clone, Copy)]
pub(super) enum Every {
    /// After each period.
    Period(Duration),
    /// At each full period of the wall clock.
    Full(Duration),
}

impl Every {
    fn next(self, last: Instant) -> Instant {
        let now = Instant::now();
        match self {
            // After a suspension, missed periods are skipped.
            Every::Period(period) => {
                if last + period > now {
                    last + period
                } else {
                    now + period
                }
            }
            Every::Full(period) => {
                let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
                let rest = period.as_nanos() - wall % period.as_nanos();
                now + Duration::from_nanos(u64::try_from(rest).unwrap_or(u64::MAX))
            }
        }
    }
}

impl Timers {
    pub(super) fn add(&mut self, ticket: Ticket, every: Every) {
        self.due.insert((every.next(Instant::now()), ticket), every);
    }

    pub(super) fn remove(&mut self, ticket: Ticket) {
        self.due.retain(|(_, other), _| *other != ticket);
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    /// The due tickets; each timer is set to its next time.
    pub(super) fn take_due(&mut self) -> Vec<Ticket> {
        let now = Instant::now();
        let mut due = Vec::new();
        while let Some(entry) = self.due.first_entry() {
            let ((at, ticket), every) = (*entry.key(), *entry.get());
            if at > now {
                break;
            }
            entry.remove();
            self.due.insert((every.next(at), ticket), every);
            due.push(ticket);
        }
        due
    }
}
