//! [`Batching`]: under a flood, events are read in fewer and larger batches.
//!
//! The kernel merges equal events of one path in a batch. A single batch is read immediately; after many in quick
//! succession, events are collected for a moment first.

use std::time::{Duration, Instant};

/// Batches closer together than this are in quick succession; events are then collected for this long.
const MOMENT: Duration = Duration::from_millis(10);
/// How many such batches are still read at once.
const FREE: u32 = 32;

#[derive(Default)]
pub(super) struct Batching {
    last: Option<Instant>,
    n_close: u32,
}

impl Batching {
    /// A batch has arrived. Returns how long to wait before reading it.
    pub(super) fn before(&mut self, now: Instant) -> Option<Duration> {
        let is_close = self.last.is_some_and(|last| now.saturating_duration_since(last) < MOMENT);
        self.n_close = if is_close { self.n_close.saturating_add(1) } else { 0 };
        let pause = (self.n_close > FREE).then_some(MOMENT);
        self.last = Some(now + pause.unwrap_or_default());
        pause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_batches_never_wait_and_a_flood_is_read_a_hundred_times_a_second() {
        let mut batching = Batching::default();
        let mut now = Instant::now();
        for _ in 0..1000 {
            assert_eq!(batching.before(now), None);
            now += MOMENT;
        }
        let began = now;
        let mut n_batches = 0;
        while now < began + Duration::from_secs(1) {
            now += batching.before(now).unwrap_or_default() + Duration::from_micros(100);
            n_batches += 1;
        }
        assert!((100..=140).contains(&n_batches), "{n_batches}");
        now += MOMENT;
        assert_eq!(batching.before(now), None, "it is quiet again");
    }
}
