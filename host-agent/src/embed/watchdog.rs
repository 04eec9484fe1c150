//! [`Watchdog`]: ends a call into the sandbox that takes too long.
//!
//! One thread per sandbox, which sleeps without any timer while nothing runs: an idle agent does not
//! wake up for it. While calls go on it looks about every second whether still the same call
//! runs, so a call ends between [`LIMIT`] and one look later.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};
use wasmtime::Engine;

/// How long one call may take. A step of a large program takes milliseconds.
pub(super) const LIMIT: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(1000);

pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Thread,
}

struct Shared {
    /// Odd while a call runs; each call has a number of its own.
    call: AtomicU64,
    /// The thread sleeps until it is told that a call began.
    asleep: AtomicBool,
    over: AtomicBool,
}

impl Watchdog {
    /// Errors: no thread can be started.
    pub(super) fn new(engine: Engine) -> std::io::Result<Watchdog> {
        let shared =
            Arc::new(Shared { call: AtomicU64::new(0), asleep: AtomicBool::new(false), over: AtomicBool::new(false) });
        let seen = shared.clone();
        let builder = std::thread::Builder::new().name("watchdog".into()).stack_size(64 << 10);
        let thread = builder.spawn(move || look(&seen, &engine))?.thread().clone();
        Ok(Watchdog { shared, thread })
    }

    /// Watches until the answer is dropped.
    pub(super) fn watch(&self) -> Watched {
        self.shared.call.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.swap(false, Ordering::SeqCst) {
            self.thread.unpark();
        }
        Watched(self.shared.clone())
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

pub(super) struct Watched(Arc<Shared>);

impl Drop for Watched {
    fn drop(&mut self) {
        self.0.call.fetch_add(1, Ordering::SeqCst);
    }
}

fn look(shared: &Shared, engine: &Engine) {
    let (mut call, mut since) = (0, Instant::now());
    while !shared.over.load(Ordering::SeqCst) {
        let now = shared.call.load(Ordering::SeqCst);
        if now == call && now.is_multiple_of(2) {
            // Quiet since the last look. Announce the sleep first, then look again, so that a call
            // which begins in between is not missed.
            shared.asleep.store(true, Ordering::SeqCst);
            if shared.call.load(Ordering::SeqCst) == now {
                std::thread::park();
            }
            shared.asleep.store(false, Ordering::SeqCst);
        } else {
            std::thread::park_timeout(LOOK);
        }
        let now = shared.call.load(Ordering::SeqCst);
        if now != call {
            (call, since) = (now, Instant::now());
        } else if now % 2 == 1 && since.elapsed() > LIMIT {
            engine.increment_epoch();
        }
    }
}
