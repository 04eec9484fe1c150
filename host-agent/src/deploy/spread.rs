//! When each host applies a deploy that is spread over a period, so that not all of them change at once.
//!
//! ```text
//! delay: the first 8 bytes of SHA-256("mclive-spread-v1" 0 HOST), as a fraction of 2^64, of the time
//! ```
//!
//! So hosts come in the same order in each deploy. It differs from that of percentages (`Targets`): the hosts of `10%`
//! are spread over the whole period, too.
//!
//! A host measures the time since it first saw the deploy, so its clock does not matter. A host that first sees it
//! after the period does not wait: it is new, was off, or is restarted before its turn comes.

use sha2::{Digest, Sha256};
use std::time::Duration;

/// The longest time over which a deploy can be spread. Units: seconds.
pub(super) const LONGEST: u64 = 86_400;
/// How far the clocks of hosts and operators may be apart: with a deploy that seems older than it is, all hosts would come
/// at once. Units: seconds.
const APART: u64 = 3600;
/// What is hashed: never the same bytes as for another purpose.
const PURPOSE: &str = "mclive-spread-v1";

/// How long a host waits, which is less than `seconds`.
pub(super) fn delay(host: &str, seconds: u64) -> Duration {
    let hash = Sha256::digest([PURPOSE.as_bytes(), b"\0", host.as_bytes()].concat());
    let number = hash.iter().take(8).fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
    let milliseconds = (number * u128::from(seconds) * 1000) >> 64;
    Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0))
}

/// Whether the time of a deploy that was created `at` is certainly over. All units: seconds, since 1970 for times.
pub(super) fn is_over(at: u64, seconds: u64, now: u64) -> bool {
    now >= at.saturating_add(seconds).saturating_add(APART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_spread_over_the_time_and_keep_their_places() {
        let hosts: Vec<String> = (0..200).map(|n| format!("web{n}")).collect();
        let mut quarters = [0; 4];
        for host in &hosts {
            let after = delay(host, 40);
            assert!(after < Duration::from_secs(40), "{host}");
            quarters[usize::try_from(after.as_secs() / 10).unwrap()] += 1;
            let twice = delay(host, 80);
            let rounded = Duration::from_millis(1);
            assert!((after * 2..=after * 2 + rounded).contains(&twice), "{host}");
        }
        assert!(quarters.iter().all(|n| *n >= 20), "{quarters:?}");
        assert_eq!(delay("web1", 0), Duration::ZERO);
        assert!(delay("web1", LONGEST) < Duration::from_secs(LONGEST));
    }
}
