//! [`until`]: waits for a condition, never for a fixed time.

use std::time::{Duration, Instant};

/// The limit for a machine with a small share of a processor. Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until a condition holds; `state` describes the actual state.
#[track_caller]
pub fn until(what: &str, mut met: impl FnMut() -> bool, state: impl FnOnce() -> String) {
    let began = Instant::now();
    while !met() {
        assert!(began.elapsed() < PATIENCE, "timed out: {what}\n{}", state());
        std::thread::sleep(Duration::from_millis(2));
    }
}
