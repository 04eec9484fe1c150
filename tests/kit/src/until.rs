//! [`until`]: waits for a condition, never for a stretch of time.

use std::time::{Duration, Instant};

/// What a machine with a small part of a processor may take. A promise that is broken is broken for good, so only a test
/// that fails waits for so long.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until something holds; `state` says what is instead.
#[track_caller]
pub fn until(what: &str, mut met: impl FnMut() -> bool, state: impl FnOnce() -> String) {
    let began = Instant::now();
    while !met() {
        assert!(began.elapsed() < PATIENCE, "timed out: {what}\n{}", state());
        std::thread::sleep(Duration::from_millis(2));
    }
}
