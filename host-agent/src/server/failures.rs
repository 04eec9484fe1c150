//! [`Failures`]: reports of failures that every request may repeat: at most one per minute and cause, with the number
//! of repetitions.

use crate::lock::Mutex;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_secs(60);
const FORGOTTEN: Duration = Duration::from_secs(3600);
/// The maximum number of causes that are distinguished at a time; all others count as one.
const MOST: usize = 100;
const OTHERS: &str = "others";

#[derive(Default)]
pub(super) struct Failures(Mutex<BTreeMap<String, Told>>);

struct Told {
    at: Instant,
    /// Those since then.
    n_more: u64,
}

impl Failures {
    /// Reports a failure, unless one of this cause was reported within the last minute.
    pub(super) fn tell(&self, cause: &str, why: &str, now: Instant) {
        if let Some(n_more) = self.due(cause, now) {
            let more = if n_more > 0 { format!(" ({n_more} more times since the last report)") } else { String::new() };
            crate::output::tell(&format!("mclive: error: {why}{more}"));
        }
    }

    /// The number of those that were not reported; `None`: neither is this one.
    fn due(&self, cause: &str, now: Instant) -> Option<u64> {
        let mut told = self.0.lock();
        told.retain(|_, told| now.duration_since(told.at) < FORGOTTEN);
        let cause = if told.contains_key(cause) || told.len() < MOST { cause } else { OTHERS };
        match told.get_mut(cause) {
            Some(told) if now.duration_since(told.at) < PAUSE => {
                told.n_more += 1;
                None
            }
            Some(told) => {
                told.at = now;
                Some(std::mem::take(&mut told.n_more))
            }
            None => {
                told.insert(cause.to_owned(), Told { at: now, n_more: 0 });
                Some(0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failure_in_a_minute_is_reported_with_the_number_of_the_others() {
        let failures = Failures::default();
        let begin = Instant::now();
        let due = |cause: &str, seconds: u64| failures.due(cause, begin + Duration::from_secs(seconds));
        assert_eq!((due("disk", 0), due("disk", 1), due("disk", 59)), (Some(0), None, None));
        assert_eq!((due("file", 59), due("file", 60)), (Some(0), None), "another cause is told at once");
        assert_eq!((due("disk", 60), due("disk", 61)), (Some(2), None));
        assert_eq!(due("disk", 1_000), Some(1));
    }

    #[test]
    fn the_number_of_causes_is_bounded() {
        let failures = Failures::default();
        let now = Instant::now();
        let n_told = (0..10 * MOST).filter(|n| failures.due(&n.to_string(), now).is_some()).count();
        assert!(n_told <= MOST + 1 && failures.0.lock().len() <= MOST + 1, "{n_told}");
        failures.due("later", now + FORGOTTEN);
        assert_eq!(failures.0.lock().len(), 1, "what is over is forgotten");
    }
}
