//! [`Running`]: stoppable work of a ticket: a command, or a request on the network.

use super::errno::no_network;
use crate::lock::{Condvar, Mutex};
use crate::network::{Network, NoAnswer, Task};
use crate::process::{Condition, Group, Purpose};
use mclive_base::protocol::StopMode;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::process::Signal;
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// At the end, work that has run for longer than this is not awaited.
const SOON: Duration = Duration::from_millis(500);

/// A handle to stop a command or a request that may be in progress.
pub(crate) struct Running {
    purpose: Purpose,
    state: Mutex<UnderWay>,
    stops: Condvar,
}

#[derive(Default)]
struct UnderWay {
    /// The latest command, and the signal that asks it to end.
    command: Option<(Group, Signal)>,
    /// A request on the network's thread, until it has its answer.
    task: Option<Arc<Task>>,
    /// The agent ends: long work may be aborted.
    hurries: bool,
    /// A stop was requested before the command ended, or before it started.
    stopped: Option<StopMode>,
}

impl UnderWay {
    fn condition(&self) -> Condition {
        self.command.as_ref().map_or(Condition::Reaped, |(group, _)| group.condition())
    }
}

impl Running {
    /// For read-only work.
    pub(crate) fn look() -> Running {
        Running::with(Purpose::Look)
    }

    /// For work that changes the host.
    pub(crate) fn step() -> Running {
        Running::with(Purpose::Step)
    }

    fn with(purpose: Purpose) -> Running {
        Running { purpose, state: Mutex::default(), stops: Condvar::new() }
    }

    /// The purpose of the commands under this handle.
    pub(super) fn purpose(&self) -> Purpose {
        self.purpose
    }

    /// Stops the running work, and any that would start later under this handle.
    pub(crate) fn stop(&self, mode: StopMode) {
        let mut state = self.state.lock();
        if mode == StopMode::Graceful {
            state.hurries = true;
            return;
        }
        // It has ended and is only not reaped yet: its own status counts.
        if state.condition() == Condition::Ended {
            return;
        }
        state.stopped = Some(mode);
        self.stops.notify_all();
        if let Some((group, signal)) = &state.command {
            group.stop(if mode == StopMode::Hard { Signal::KILL } else { *signal });
        }
        if let Some(task) = state.task.take() {
            task.cancel();
        }
    }

    /// Ends the command in progress, and nothing that is started later under this handle.
    pub(super) fn cut(&self) {
        let state = self.state.lock();
        // If it has ended by itself, its own status counts.
        if state.condition() == Condition::Runs
            && let Some((group, signal)) = &state.command
        {
            group.stop(*signal);
        }
    }

    /// Waits for this time, or until a stop.
    pub(crate) fn rest(&self, time: Duration) {
        let state = self.state.lock();
        drop(self.stops.wait_timeout_while(state, time, |state| state.stopped.is_none()));
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.lock().stopped.is_some()
    }

    /// Whether work that began at this time should be aborted: it can be repeated later. Short work is allowed to finish.
    pub(crate) fn leaves_off(&self, began: Instant) -> bool {
        let state = self.state.lock();
        state.stopped.is_some() || state.hurries && began.elapsed() > SOON
    }

    /// Whether no work runs under this handle.
    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().condition() == Condition::Reaped
    }

    /// Registers a request on the network; after a stop it is cancelled at once.
    fn asks(&self, task: &Arc<Task>) {
        let mut state = self.state.lock();
        match state.stopped {
            Some(_) => task.cancel(),
            None => state.task = Some(task.clone()),
        }
    }

    /// Makes a request over a protocol and waits for the answer up to the limit. Additional errors: timed out,
    /// cancelled by a stop, or no network.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        network: &Network,
        limit: Duration,
        question: impl Future<Output = Result<T, HostError>> + Send + 'static,
    ) -> Result<T, HostError> {
        let answer = network.wait(limit, question, |task| self.asks(task));
        self.state.lock().task = None;
        answer.unwrap_or_else(|none| {
            let (kind, why) = match none {
                NoAnswer::TimedOut => (HostErrorKind::TimedOut, format!("timed out after {} s", limit.as_secs_f64())),
                NoAnswer::Ended if self.is_stopped() => (HostErrorKind::Cancelled, "it was stopped".to_owned()),
                NoAnswer::Ended => (HostErrorKind::Other, "the request ended without a response".to_owned()),
                NoAnswer::Unavailable(error) => return Err(no_network(error)),
            };
            Err(HostError::new(kind, why))
        })
    }

    /// Registers a command; after a stop it is stopped at once.
    pub(super) fn began(&self, group: &Group, signal: Signal) {
        let mut state = self.state.lock();
        if state.stopped.is_some() {
            group.stop(Signal::KILL);
        }
        state.command = Some((group.clone(), signal));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_stop_ends_a_question_that_waits_and_one_that_comes_later() {
        let (network, running) = (Network::default(), Running::look());
        let never = || std::future::pending::<Result<(), HostError>>();
        let ended = std::thread::scope(|scope| {
            let asks = scope.spawn(|| running.ask(&network, LONG, never()));
            while running.state.lock().task.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
            running.stop(StopMode::Soft);
            asks.join().unwrap()
        });
        assert_eq!(ended.unwrap_err().kind, HostErrorKind::Cancelled);
        assert_eq!(running.ask(&network, LONG, never()).unwrap_err().kind, HostErrorKind::Cancelled);
    }

    #[test]
    fn an_answer_comes_back() {
        assert_eq!(Running::look().ask(&Network::default(), LONG, async { Ok(7) }).unwrap(), 7);
    }
}
