//! [`Running`]: what is under way for a ticket and can be stopped: a command, or a question on the network.

use crate::network::{Network, NoAnswer, Task};
use crate::reaper::{self, Minded};
use mclive_base::protocol::StopMode;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::process::{Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, kill_process_group, prlimit, waitid};
use std::future::Future;
use std::process::Child;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// Work that has taken longer than this is not waited for at the end.
const SOON: Duration = Duration::from_millis(500);

/// A handle on a command or a question that may be under way, for whoever wants to stop it.
#[derive(Default)]
pub(crate) struct Running {
    terms: Terms,
    state: Mutex<UnderWay>,
    stops: Condvar,
}

#[derive(Default)]
struct UnderWay {
    /// The process, until it is reaped: only then may its number be used.
    child: Option<(Pid, Signal)>,
    minded: Option<Minded>,
    /// A question on the network's thread, until it has its answer.
    task: Option<Arc<Task>>,
    /// All is to end: what takes long may be left off.
    hurries: bool,
    /// A stop was asked for before the command ended by itself, or before it began.
    stopped: Option<StopMode>,
}

/// On what terms a command runs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Terms {
    /// Without the agent nobody has a use for it: it does not outlive the agent, however that ends. A step is none of
    /// these: it finishes what it began.
    pub(crate) needs_agent: bool,
    /// What it and all that it starts may take.
    pub(crate) limits: &'static [(Resource, u64)],
}

impl Running {
    pub(crate) fn on(terms: Terms) -> Running {
        Running { terms, ..Running::default() }
    }

    /// Of a command that only tells the agent something.
    pub(crate) fn telling() -> Running {
        Running::on(Terms { needs_agent: true, ..Terms::default() })
    }

    /// Stops what runs, and what would begin later under this handle.
    pub(crate) fn stop(&self, mode: StopMode) {
        let mut state = self.state.lock().expect("no holder panics");
        let ended = |pid| {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_)))
        };
        let signal = match (mode, state.child) {
            (StopMode::Graceful, _) => {
                state.hurries = true;
                return;
            }
            (_, None) => None,
            // It answered already and is only not reaped yet: its own status counts.
            (_, Some((pid, _))) if ended(pid) => return,
            (StopMode::Soft, Some((pid, signal))) => Some((pid, signal)),
            (StopMode::Hard, Some((pid, _))) => Some((pid, Signal::KILL)),
        };
        state.stopped = Some(mode);
        self.stops.notify_all();
        if let Some((pid, signal)) = signal {
            let _ = kill_process_group(pid, signal);
        }
        if let Some(task) = state.task.take() {
            task.cancel();
        }
    }

    /// Waits so long, or until it is stopped.
    pub(crate) fn rest(&self, time: Duration) {
        let state = self.state.lock().expect("no holder panics");
        drop(self.stops.wait_timeout_while(state, time, |state| state.stopped.is_none()));
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.lock().expect("no holder panics").stopped.is_some()
    }

    /// Is work to be left off that began then, and can be done later from the start? What is soon over ends.
    pub(crate) fn leaves_off(&self, began: Instant) -> bool {
        let state = self.state.lock().expect("no holder panics");
        state.stopped.is_some() || state.hurries && began.elapsed() > SOON
    }

    /// Does nothing run under this handle, or not yet?
    pub(crate) fn is_over(&self) -> bool {
        self.state.lock().expect("no holder panics").child.is_none()
    }

    /// Takes note of a question on the network; when a stop came first it is cancelled at once.
    fn asks(&self, task: &Arc<Task>) {
        let mut state = self.state.lock().expect("no holder panics");
        match state.stopped {
            Some(_) => task.cancel(),
            None => state.task = Some(task.clone()),
        }
    }

    /// Asks something over a protocol and waits for the answer, at most for the limit. Errors of its own: timed
    /// out, cancelled by a stop, or no network.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        network: &Network,
        limit: Duration,
        question: impl Future<Output = Result<T, HostError>> + Send + 'static,
    ) -> Result<T, HostError> {
        let answer = network.wait(limit, question, |task| self.asks(task));
        self.state.lock().expect("no holder panics").task = None;
        answer.unwrap_or_else(|none| {
            let (kind, why) = match none {
                NoAnswer::TimedOut => (HostErrorKind::TimedOut, format!("no answer within {} s", limit.as_secs_f64())),
                NoAnswer::Ended if self.is_stopped() => (HostErrorKind::Cancelled, "it was stopped".to_owned()),
                NoAnswer::Ended => (HostErrorKind::Other, "the question ended without an answer".to_owned()),
                NoAnswer::Unavailable(error) => (HostErrorKind::Unavailable, format!("no network thread: {error}")),
            };
            Err(HostError::new(kind, why))
        })
    }

    /// Makes ready for a process that is started next.
    pub(super) fn begins(&self) {
        if self.terms.needs_agent {
            reaper::ready();
        }
    }

    /// Takes note of a process; when a stop came first it is stopped at once.
    pub(super) fn began(&self, pid: Pid, signal: Signal) {
        let mut state = self.state.lock().expect("no holder panics");
        state.child = Some((pid, signal));
        state.minded = self.terms.needs_agent.then(|| reaper::mind(pid)).flatten();
        for (resource, most) in self.terms.limits {
            let limit = Rlimit { current: Some(*most), maximum: Some(*most) };
            let _ = prlimit(Some(pid), *resource, limit);
        }
        if state.stopped.is_some() {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }

    /// Reaps; from here on nobody sends it a signal. Of one that was stopped nothing is left running:
    /// as long as it is not reaped, the number of its group is nobody else's.
    pub(super) fn reap(&self, child: &mut Child) -> std::io::Result<std::process::ExitStatus> {
        let mut state = self.state.lock().expect("no holder panics");
        if let (Some((pid, _)), Some(_)) = (state.child.take(), state.stopped) {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        state.minded = None;
        drop(state);
        child.wait()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn a_stop_ends_a_question_that_waits_and_one_that_comes_later() {
        let (network, running) = (Network::default(), Running::default());
        let never = || std::future::pending::<Result<(), HostError>>();
        let ended = std::thread::scope(|scope| {
            let asks = scope.spawn(|| running.ask(&network, LONG, never()));
            while running.state.lock().unwrap().task.is_none() {
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
        assert_eq!(Running::default().ask(&Network::default(), LONG, async { Ok(7) }).unwrap(), 7);
    }
}
