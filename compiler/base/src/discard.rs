//! [`discard`]: letting go of what is large, as cheaply as its place allows.
//!
//! A sandbox that answers one question ends with its answer, and its memory with it; taking graphs of millions of
//! parts apart before that would only cost time (an eighth of a check). Everywhere else they are dropped.

use std::sync::atomic::{AtomicBool, Ordering};

static IS_LAST: AtomicBool = AtomicBool::new(false);

/// Declares that the call that runs is the last one of this process or sandbox.
pub fn last_call() {
    IS_LAST.store(true, Ordering::Relaxed);
}

/// Drops a value, or leaves it as it is in the last call.
pub fn discard<T>(value: T) {
    if IS_LAST.load(Ordering::Relaxed) {
        std::mem::forget(value);
    }
}
