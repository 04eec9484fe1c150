//! [`discard`]: skips dropping large values when the process is about to end.
//!
//! A sandbox that answers one question ends with its answer, and its memory with it; dropping graphs of millions of
//! parts first would take an eighth of the time of a check. Everywhere else values are dropped normally.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_LAST: AtomicBool = AtomicBool::new(false);

/// Declares that the current call is the last one of this process or sandbox.
pub fn last_call() {
    IS_LAST.store(true, Ordering::Relaxed);
}

/// Drops a value, or leaks it during the last call.
pub fn discard<T>(value: T) {
    if IS_LAST.load(Ordering::Relaxed) {
        std::mem::forget(value);
    }
}
