//! [`Compute`]: runs the compiler for untrusted clients. Each request has a new sandbox and thread, and limits on
//! memory and time. The numbers of running and waiting requests are limited, in total and for each client.

use super::client::Client;
use crate::embed::{STACK, Sandbox, Trap};
use crate::fair::{FairPermit, FairSemaphore};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// The number of waiting requests for each running one.
const MOST_WAITING: usize = 16;
/// The number of running and waiting requests of one client.
const MOST_OF_ONE: usize = 6;
/// The longest wait for a turn.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) struct Compute {
    turns: Arc<FairSemaphore<Client>>,
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

/// Why there is no turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Busy {
    /// Too many requests are waiting.
    All,
    /// This client has too many at once.
    Own,
}

/// The turn of a request, until it is dropped.
pub(super) struct Turn {
    _permit: FairPermit<Client>,
    _queued: OwnedSemaphorePermit,
}

impl Compute {
    pub(crate) fn new(n_at_once: usize, bounds: Bounds) -> Compute {
        Compute {
            // Another client always finds a turn, where there is more than one.
            turns: FairSemaphore::new(n_at_once, n_at_once.div_ceil(2)),
            queue: Arc::new(Semaphore::new(n_at_once * (1 + MOST_WAITING))),
            bounds,
        }
    }

    /// Waits for a turn.
    pub(super) async fn turn(&self, client: Client) -> Result<Turn, Busy> {
        let queued = self.queue.clone().try_acquire_owned().map_err(|_| Busy::All)?;
        let permit = tokio::time::timeout(PATIENCE, self.turns.acquire(client, MOST_OF_ONE)).await;
        Ok(Turn { _permit: permit.map_err(|_| Busy::All)?.ok_or(Busy::Own)?, _queued: queued })
    }

    pub(super) async fn run<T: Send + 'static>(
        &self,
        turn: Turn,
        work: impl FnOnce(Sandbox) -> Result<T, Trap> + Send + 'static,
    ) -> Worked<T> {
        let Bounds { memory, time } = self.bounds;
        let (send, answer) = oneshot::channel();
        let job = move || {
            let began = Instant::now();
            let result = Sandbox::start_with(memory, time).and_then(work);
            // The client may have disconnected. The turn ends with the work, not with the wait for it.
            let _ = send.send(Worked { result, took: began.elapsed() });
            drop(turn);
        };
        let started = std::thread::Builder::new().name("compute".into()).stack_size(STACK).spawn(job);
        let lost = |why: String| Worked { result: Err(Trap::Fault(why)), took: Duration::ZERO };
        match started {
            Ok(_) => answer.await.unwrap_or_else(|_| lost("its thread ended".into())),
            Err(error) => Worked { result: Err(error.into()), took: Duration::ZERO },
        }
    }
}
