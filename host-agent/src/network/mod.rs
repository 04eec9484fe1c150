//! [`Network`]: the only thread for network protocols: HTTP as server and client, D-Bus, netlink.
//! Files and processes have separate threads.
//!
//! ```text
//! driver --spawn(future)--> network thread --Input--> events       servers, signals of a bus
//! worker ---wait(future)--> network thread --answer--> the worker  one request of a probe or a step
//! ```
//!
//! The thread starts at first use and runs a current-thread tokio runtime. It waits in the kernel, without a timer
//! unless a future needs one: an idle network does not wake up.
//!
//! A future here must not block, since all others would wait for it. File operations go to
//! [`tokio::task::spawn_blocking`], with a limited number of threads.

pub(crate) mod amazon;
pub(crate) mod bus;
pub(crate) mod dhcp;
pub(crate) mod http;
pub(crate) mod mac;
pub(crate) mod tftp;

use crate::lock::Mutex;
use std::future::Future;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::task::AbortHandle;

const STACK: usize = 512 << 10;
/// Threads for file operations. Each ends after a while without work.
const MOST_BLOCKING: usize = 8;

/// The thread, started at first use. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct Network {
    handle: Arc<OnceLock<Handle>>,
    starting: Arc<Mutex<()>>,
}

/// A future on the network's thread. Dropping the task cancels it.
#[must_use = "a task that is dropped is cancelled"]
pub(crate) struct Task(AbortHandle);

/// Why [`Network::wait`] has no answer.
#[derive(Debug)]
pub(crate) enum NoAnswer {
    /// The system cannot start another thread.
    Unavailable(std::io::Error),
    TimedOut,
    /// It was cancelled, or it panicked, which was reported on standard error.
    Ended,
}

impl Network {
    /// Runs a future until it ends or its task is dropped.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> std::io::Result<Task> {
        Ok(Task(self.handle()?.spawn(future).abort_handle()))
    }

    /// Runs a future while this thread waits for its answer, up to the limit. `begun` receives the task first, so that
    /// another thread can cancel it.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        limit: Duration,
        future: impl Future<Output = T> + Send + 'static,
        begun: impl FnOnce(&Arc<Task>),
    ) -> Result<T, NoAnswer> {
        let (send, answer) = sync_channel(1);
        let task = self.spawn(async move {
            // The waiting thread may have stopped.
            let _ = send.send(future.await);
        });
        let task = Arc::new(task.map_err(NoAnswer::Unavailable)?);
        begun(&task);
        answer.recv_timeout(limit).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                task.cancel();
                NoAnswer::TimedOut
            }
            RecvTimeoutError::Disconnected => NoAnswer::Ended,
        })
    }

    /// The runtime, started if necessary: also for objects that must be created in it, such as a listener.
    pub(crate) fn handle(&self) -> std::io::Result<Handle> {
        let _one_at_a_time = self.starting.lock();
        if let Some(handle) = self.handle.get() {
            return Ok(handle.clone());
        }
        let runtime =
            Builder::new_current_thread().enable_io().enable_time().max_blocking_threads(MOST_BLOCKING).build()?;
        let handle = runtime.handle().clone();
        let run = move || runtime.block_on(std::future::pending::<()>());
        std::thread::Builder::new().name("network".into()).stack_size(STACK).spawn(run)?;
        Ok(self.handle.get_or_init(|| handle).clone())
    }
}

impl Task {
    /// Ends the future at its current await point.
    pub(crate) fn cancel(&self) {
        self.0.abort();
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_question_has_its_answer_and_all_run_on_one_thread() {
        let network = Network::default();
        let name = || async { std::thread::current().id() };
        let first = network.wait(LONG, name(), |_| {}).unwrap();
        let second = network.clone().wait(LONG, name(), |_| {}).unwrap();
        assert_eq!(first, second);
        assert_ne!(first, std::thread::current().id());
    }

    #[test]
    fn nobody_waits_longer_than_the_limit() {
        let never = std::future::pending::<()>();
        assert!(matches!(Network::default().wait(Duration::from_millis(20), never, |_| {}), Err(NoAnswer::TimedOut)));
    }

    #[test]
    fn who_waits_hears_that_the_task_was_cancelled() {
        let answer = Network::default().wait(LONG, std::future::pending::<()>(), |task| {
            let task = task.clone();
            std::thread::spawn(move || task.cancel());
        });
        assert!(matches!(answer, Err(NoAnswer::Ended)));
    }

    #[test]
    fn a_future_that_panics_takes_nobody_with_it() {
        let network = Network::default();
        let answer = network.wait(LONG, async { panic!("expected by a test") }, |_| {});
        assert!(matches!(answer, Err::<(), _>(NoAnswer::Ended)));
        assert_eq!(network.wait(LONG, async { 1 }, |_| {}).unwrap(), 1);
    }

    #[test]
    fn a_dropped_task_is_over() {
        let network = Network::default();
        let (send, ends) = channel::<()>();
        let task = network.spawn(async move {
            let _held = send;
            std::future::pending::<()>().await;
        });
        drop(task.unwrap());
        assert_eq!(ends.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected));
    }
}
