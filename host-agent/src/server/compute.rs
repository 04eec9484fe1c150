//! [`Compute`]: the compiler at work for strangers. Each request has a fresh sandbox, a thread, a bound on memory and a
//! bound on time; so many run at once, and so many may wait.

use crate::embed::{Sandbox, Trap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot};

/// The sandbox may use 8 MiB of its thread's stack, and what it calls needs some.
const STACK: usize = 16 << 20;
/// Requests that may wait for a turn, for each that runs.
const MOST_WAITING: usize = 16;
/// Nobody waits longer than this for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Compute {
    turns: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    bounds: Bounds,
}

/// What one request may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) memory: usize,
    pub(crate) time: Duration,
}

/// What came of it, and how long it took.
pub(super) struct Worked<T> {
    pub(super) result: Result<T, Trap>,
    pub(super) took: Duration,
}

/// Too many others are waiting.
#[derive(Debug)]
pub(super) struct Busy;

impl Compute {
    pub(crate) fn new(n_at_once: usize, bounds: Bounds) -> Compute {
        Compute {
            turns: Arc::new(Semaphore::new(n_at_once)),
            queue: Arc::new(Semaphore::new(n_at_once * (1 + MOST_WAITING))),
            bounds,
        }
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(Sandbox) -> Result<T, Trap> + Send + 'static,
    ) -> Result<Worked<T>, Busy> {
        let place = self.queue.clone().try_acquire_owned().map_err(|_| Busy)?;
        let turn = tokio::time::timeout(PATIENCE, self.turns.clone().acquire_owned()).await;
        let turn = turn.map_err(|_| Busy)?.map_err(|_| Busy)?;
        let Bounds { memory, time } = self.bounds;
        let (send, answer) = oneshot::channel();
        let job = move || {
            let began = Instant::now();
            let result = Sandbox::start_with(memory, time).and_then(work);
            // Who has left meanwhile misses nothing. The turn is over when the work is, not when nobody waits for it.
            let _ = send.send(Worked { result, took: began.elapsed() });
            drop((turn, place));
        };
        let started = std::thread::Builder::new().name("compute".into()).stack_size(STACK).spawn(job);
        let lost = |why: String| Worked { result: Err(Trap::Fault(why)), took: Duration::ZERO };
        Ok(match started {
            Ok(_) => answer.await.unwrap_or_else(|_| lost("its thread ended".into())),
            Err(error) => Worked { result: Err(error.into()), took: Duration::ZERO },
        })
    }
}
