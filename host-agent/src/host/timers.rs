//! Timers of the driver's thread, without a thread or descriptor: the driver waits until the next one. A probe may add
//! one, since the driver looks for the next one after each answer.

use mclive_base::protocol::Ticket;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[derive(Default)]
pub(super) struct Timers {
    due: BTreeMap<(Instant, Ticket), Every>,
}

/// How a timer repeats.
pub(super) enum Every {
    /// After each period.
    Period(Duration),
    /// At each full period of the wall clock.
    Full(Duration),
    /// Looks for a path after each period. It is due when the path exists, and ends then.
    Missing { path: String, period: Duration },
}

impl Every {
    fn next(&self, last: Instant) -> Instant {
        let now = Instant::now();
        match self {
            // After a suspension, missed periods are skipped.
            Every::Period(period) | Every::Missing { period, .. } => {
                if last + *period > now {
                    last + *period
                } else {
                    now + *period
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

    /// Looks for a path after each period, unless that is already done for this ticket.
    pub(super) fn look_for(&mut self, ticket: Ticket, path: &str, period: Duration) {
        let looks = |every: &Every| matches!(every, Every::Missing { path: other, .. } if other == path);
        if !self.due.iter().any(|((_, other), every)| *other == ticket && looks(every)) {
            self.add(ticket, Every::Missing { path: path.to_owned(), period });
        }
    }

    pub(super) fn remove(&mut self, ticket: Ticket) {
        self.due.retain(|(_, other), _| *other != ticket);
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.due.keys().next().map(|(at, _)| *at)
    }

    /// The due tickets, each with the path that it has waited for. Each timer that continues is set to its next time.
    pub(super) fn take_due(&mut self) -> Vec<(Ticket, Option<String>)> {
        let now = Instant::now();
        let mut due = Vec::new();
        while let Some(entry) = self.due.first_entry() {
            let (at, ticket) = *entry.key();
            if at > now {
                break;
            }
            let every = entry.remove();
            match every {
                Every::Missing { path, .. } if Path::new(&path).exists() => {
                    due.push((ticket, Some(path)));
                    continue;
                }
                Every::Missing { .. } => {}
                Every::Period(_) | Every::Full(_) => due.push((ticket, None)),
            }
            self.due.insert((every.next(at), ticket), every);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    #[test]
    fn a_missing_path_is_looked_for_until_it_exists() {
        let dir = Scratch::new("timers");
        let path = dir.join("parameter").display().to_string();
        let mut timers = Timers::default();
        timers.look_for(Ticket(7), &path, Duration::ZERO);
        for _ in 0..2 {
            assert!(timers.take_due().is_empty());
            assert!(timers.next().is_some());
        }
        std::fs::write(&path, "1").unwrap();
        assert_eq!(timers.take_due(), [(Ticket(7), Some(path.clone()))]);
        assert_eq!(timers.next(), None, "nothing wakes the agent any more");
        std::fs::remove_file(&path).unwrap();
        for _ in 0..2 {
            timers.look_for(Ticket(7), &path, Duration::ZERO);
        }
        assert!(timers.take_due().is_empty() && timers.next().is_some());
        std::fs::write(&path, "1").unwrap();
        assert_eq!(timers.take_due(), [(Ticket(7), Some(path))], "once");
        assert_eq!(timers.next(), None);
    }
}
