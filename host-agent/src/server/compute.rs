//! [`Compute`]: runs the compiler for untrusted clients. Each request has a new sandbox and thread, and limits on
//! memory and
//! time; the numbers of running and waiting requests are limited as well.

use crate::embed::{Sandbox, Trap};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot};

/// The sandbox may use 8 MiB of its thread's stack, and functions below it need some.
const STACK: usize = 16 << 20;
/// The number of waiting requests for each running one.
const MOST_WAITING: usize = 16;
/// The longest wait for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Compute {
    turns: Arc<Semaphore>,
    queue: Arc<Semaphore>,
    bounds: Bounds,
}

/// The limits of one request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) memory: usize,
    pub(crate) time: Duration,
}

/// The result, and how long it took.
pub(super) struct Worked<T> {
    pub(super) result: Result<T, Trap>,
    pub(super) took: Duration,
}

/// Too many requests are waiting.
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
            // The client may have disconnected. The turn ends with the work, not with the wait for it.
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
