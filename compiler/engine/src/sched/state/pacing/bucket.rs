//! [`Bucket`]: the token bucket of the meta parameters `limit` and `burst`. Engine spec, 7.2.

use crate::protocol::Moment;

/// Tokens are added at a steady rate up to a maximum; each event takes one, on credit if necessary.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    per_second: f64,
    size: f64,
    tokens: f64,
    at: Moment,
}

impl Bucket {
    /// A full bucket, or `None` if there is no limit.
    pub(crate) fn new(limit: f64, burst: i64, now: Moment) -> Option<Bucket> {
        if !limit.is_finite() {
            return None;
        }
        Some(Bucket { per_second: limit.max(0.0), size: burst as f64, tokens: burst as f64, at: now })
    }

    /// Takes tokens for `n_events`; returns when the first of them is due. `None`: never.
    pub(crate) fn reserve(&mut self, n_events: u32, now: Moment) -> Option<Moment> {
        if self.size < 1.0 {
            return None;
        }
        let seconds = now.0.saturating_sub(self.at.0) as f64 / 1e9;
        self.at = now;
        self.tokens = (self.tokens + seconds * self.per_second).min(self.size);
        let after_first = self.tokens - 1.0;
        self.tokens -= f64::from(n_events);
        if after_first >= 0.0 {
            return Some(now);
        }
        if self.per_second == 0.0 {
            return None;
        }
        let wait = (-after_first / self.per_second * 1e9).ceil();
        Some(Moment(now.0.saturating_add(wait as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_exceeds_the_burst_waits_for_its_token() {
        let mut bucket = Bucket::new(0.5, 1, Moment(0)).unwrap();
        assert_eq!(bucket.reserve(1, Moment(0)), Some(Moment(0)));
        assert_eq!(bucket.reserve(2, Moment(0)), Some(Moment(2_000_000_000)));
        assert_eq!(bucket.reserve(1, Moment(0)), Some(Moment(6_000_000_000)));
    }

    #[test]
    fn a_rate_of_zero_serves_the_burst_and_then_never() {
        let mut bucket = Bucket::new(0.0, 1, Moment(0)).unwrap();
        assert_eq!(bucket.reserve(1, Moment(5)), Some(Moment(5)));
        assert_eq!(bucket.reserve(1, Moment(u64::MAX)), None);
        assert!(Bucket::new(f64::INFINITY, 0, Moment(0)).is_none());
        assert_eq!(Bucket::new(1.0, -1, Moment(0)).unwrap().reserve(1, Moment(0)), None);
    }
}
