//! [`Watchdog`]: ends a call into the sandbox that takes too long.
//!
//! One thread per sandbox, which sleeps without a timer while no call runs, so an idle agent does not wake up. During
//! calls it checks about every second whether the same call still runs, so a call ends at most one check after its
//! limit.
//!
//! All sandboxes share the engine and its epoch: when it moves, each asks its own watchdog whether it is affected
//! ([`Judge`]), and the others continue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};
use wasmtime::Engine;

/// The default limit of one call. A step of a large program takes milliseconds.
pub(super) const LIMIT: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(1000);

pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Thread,
}

struct Shared {
    /// Odd while a call runs; each call has another number.
    call: AtomicU64,
    /// The thread sleeps until a call begins.
    asleep: AtomicBool,
    over: AtomicBool,
    /// The last call that took too long; 0 at first, as calls are odd.
    expired: AtomicU64,
    limit: Duration,
}

/// Says whether the running call of a sandbox must end.
pub(super) struct Judge(Arc<Shared>);

impl Judge {
    pub(super) fn must_end(&self) -> bool {
        self.0.expired.load(Ordering::SeqCst) == self.0.call.load(Ordering::SeqCst)
    }
}

impl Watchdog {
    /// Errors: no thread can be started.
    pub(super) fn new(engine: Engine, limit: Duration) -> std::io::Result<Watchdog> {
        let shared = Arc::new(Shared {
            call: AtomicU64::new(0),
            asleep: AtomicBool::new(false),
            over: AtomicBool::new(false),
            expired: AtomicU64::new(0),
            limit,
        });
        let seen = shared.clone();
        let builder = std::thread::Builder::new().name("watchdog".into()).stack_size(64 << 10);
        let thread = builder.spawn(move || look(&seen, &engine))?.thread().clone();
        Ok(Watchdog { shared, thread })
    }

    pub(super) fn judge(&self) -> Judge {
        Judge(self.shared.clone())
    }

    /// Watches until the returned guard is dropped.
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
            // No call since the last check. Announce the sleep first, then check again, so that a call which begins in
            // between is not missed.
            shared.asleep.store(true, Ordering::SeqCst);
            if shared.call.load(Ordering::SeqCst) == now {
                std::thread::park();
            }
            shared.asleep.store(false, Ordering::SeqCst);
        } else {
            std::thread::park_timeout(LOOK.min(shared.limit / 4));
        }
        let now = shared.call.load(Ordering::SeqCst);
        if now != call {
            (call, since) = (now, Instant::now());
        } else if now % 2 == 1 && since.elapsed() > shared.limit {
            shared.expired.store(now, Ordering::SeqCst);
            engine.increment_epoch();
        }
    }
}
