//! [`Watchdog`]: ends a call into the sandbox that takes too long.
//!
//! One thread per sandbox, which sleeps without a timer while no call runs, so an idle agent does not wake up. During
//! calls it checks about every second whether the same call still runs, so a call ends at most one check after its
//! limit.
//!
//! The limit is time on the processor: on a busy machine, or under a quota, a harmless call may take a minute by the
//! clock and must not count as a crash. The clock is the last resort ([`PATIENCE`]).
//!
//! All sandboxes share the engine and its epoch: when it moves, each asks its own watchdog whether it is affected
//! ([`Judge`]), and the others continue.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};
use wasmtime::Engine;

/// The default limit of one call. A step of a large program takes milliseconds.
pub(super) const LIMIT: Duration = Duration::from_secs(30);
const LOOK: Duration = Duration::from_millis(1000);
/// After this many times its limit by the clock, a call ends even if it was hardly ever on a processor.
const PATIENCE: u32 = 10;

pub(super) struct Watchdog {
    shared: Arc<Shared>,
    thread: Thread,
}

struct Shared {
    /// Odd while a call runs; each call has another number.
    call: AtomicU64,
    /// The thread of the latest call.
    caller: AtomicI32,
    /// The thread sleeps until a call begins.
    asleep: AtomicBool,
    over: AtomicBool,
    /// The last call that took too long; 0: none.
    expired: AtomicU64,
    limit: Duration,
}

impl Shared {
    fn new(limit: Duration) -> Shared {
        Shared {
            call: AtomicU64::new(0),
            caller: AtomicI32::new(0),
            asleep: AtomicBool::new(false),
            over: AtomicBool::new(false),
            expired: AtomicU64::new(0),
            limit,
        }
    }
}

/// Says whether the running call of a sandbox must end.
pub(super) struct Judge(Arc<Shared>);

impl Judge {
    /// A sandbox that is being started has no call yet: the end of another one's call must not end it.
    pub(super) fn must_end(&self) -> bool {
        let call = self.0.call.load(Ordering::SeqCst);
        !call.is_multiple_of(2) && self.0.expired.load(Ordering::SeqCst) == call
    }
}

impl Watchdog {
    /// Errors: no thread can be started.
    pub(super) fn new(engine: Engine, limit: Duration) -> std::io::Result<Watchdog> {
        let shared = Arc::new(Shared::new(limit));
        let seen = shared.clone();
        let builder = std::thread::Builder::new().name("watchdog".into()).stack_size(64 << 10);
        let thread = builder.spawn(move || look(&seen, &engine))?.thread().clone();
        Ok(Watchdog { shared, thread })
    }

    pub(super) fn judge(&self) -> Judge {
        Judge(self.shared.clone())
    }

    /// Watches this thread until the returned guard is dropped.
    pub(super) fn watch(&self) -> Watched {
        self.shared.caller.store(rustix::thread::gettid().as_raw_nonzero().get(), Ordering::SeqCst);
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
    let (mut call, mut since) = (0, Since::now(0));
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
        let (now, caller) = (shared.call.load(Ordering::SeqCst), shared.caller.load(Ordering::SeqCst));
        if now != call {
            (call, since) = (now, Since::now(caller));
        } else if now % 2 == 1 && since.is_over(caller, shared.limit) {
            shared.expired.store(now, Ordering::SeqCst);
            engine.increment_epoch();
        }
    }
}

/// When a call was first seen, in both kinds of time.
struct Since {
    clock: Instant,
    used: Option<Duration>,
}

impl Since {
    fn now(caller: i32) -> Since {
        Since { clock: Instant::now(), used: used(caller) }
    }

    fn is_over(&self, caller: i32, limit: Duration) -> bool {
        let waited = self.clock.elapsed();
        // Without a look at the processor time, as long as the clock alone gives the answer.
        waited > limit
            && is_over(waited, self.used.zip(used(caller)).map(|(before, now)| now.saturating_sub(before)), limit)
    }
}

/// Whether a call that took so long by the clock, and so long on a processor if that is known, has exceeded its limit.
fn is_over(waited: Duration, used: Option<Duration>, limit: Duration) -> bool {
    used.unwrap_or(waited) > limit || waited > limit * PATIENCE
}

/// The processor time of a thread of this process. `None`: it has ended, or `/proc` is not mounted.
fn used(thread: i32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?;
    // The name in parentheses may contain anything; the state and ten numbers come before these two.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    let (user, system) = (ticks()?, ticks()?);
    Some(Duration::from_millis((user + system) * 1000 / rustix::param::clock_ticks_per_second().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_without_a_processor_is_not_at_fault() {
        let (limit, short) = (Duration::from_secs(30), Duration::from_millis(240));
        for (waited, used, expect) in [
            (limit + short, Some(short), false),
            (limit + short, Some(limit + short), true),
            (limit + short, None, true),
            (limit, None, false),
            (limit * PATIENCE, Some(short), false),
            (limit * PATIENCE + short, Some(short), true),
        ] {
            assert_eq!(is_over(waited, used, limit), expect, "{waited:?} {used:?}");
        }
    }

    #[test]
    fn only_the_call_that_took_too_long_must_end() {
        let judge = Judge(Arc::new(Shared::new(Duration::from_secs(1))));
        let at = |call: u64, expired: u64| {
            judge.0.call.store(call, Ordering::SeqCst);
            judge.0.expired.store(expired, Ordering::SeqCst);
            judge.must_end()
        };
        assert!(!judge.must_end(), "its start is no call");
        assert!(at(1, 1) && !at(1, 0) && !at(2, 1) && !at(3, 1) && at(3, 3));
    }

    #[test]
    fn the_time_of_a_thread_is_its_work() {
        let own = rustix::thread::gettid().as_raw_nonzero().get();
        let before = used(own).expect("/proc is mounted");
        let mut n = 0_u64;
        while used(own).is_some_and(|now| now <= before) {
            n = std::hint::black_box(n + 1);
        }
        assert!(used(own).is_some_and(|now| now > before));
        assert_eq!(used(-1), None);
    }
}
