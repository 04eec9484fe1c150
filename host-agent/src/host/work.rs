//! The work of probes and steps: each ticket gets one answer, even if its job panics, hangs or is cancelled.

use super::running::Running;
use super::subject::{self, Context};
use super::{Host, Shared, fs};
use mclive_base::protocol::{Input, ResourceId, StopMode, Ticket};
use mclive_base::vocab::{Finding, HostError, HostErrorKind, Outcome, Probe, Step, file};
use std::sync::Arc;

/// Work in progress for a ticket.
pub(super) struct Job {
    handle: Arc<Running>,
    /// Its answer if it fails to give one.
    failed: Arc<dyn Fn(HostError) -> Input + Send + Sync>,
}

/// Whether the policy keeps what a step would remove. Other places are judged by their steps, since those before them may change
/// where they lead.
fn keeps(shared: &Shared, step: &Step) -> bool {
    let Step::File(file::Step::Remove { path, .. }) = step else { return false };
    let place = fs::locate(shared.policy.changes(), "remove", path, fs::Last::Itself);
    place.is_err_and(|error| error.kind == HostErrorKind::Refused)
}

impl Host {
    pub(super) fn probe(&mut self, ticket: Ticket, id: ResourceId, probes: Vec<Probe>) {
        let waits = probes.iter().any(Probe::waits);
        let failed = move |error| Input::Probed(ticket, vec![Finding::Failed(error)]);
        // A probe need not finish without the agent; a step must.
        self.work(ticket, waits, Running::look(), failed, move |shared, running| {
            let mut findings: Vec<Finding> = Vec::with_capacity(probes.len());
            for (at, probe) in probes.iter().enumerate() {
                if running.is_stopped() {
                    break;
                }
                let seen = subject::seen_before(&probes[..at], &findings, probe);
                findings.push(seen.unwrap_or_else(|| subject::probe(&Context { shared, id: &id, running }, probe)));
            }
            Input::Probed(ticket, findings)
        });
    }

    pub(super) fn apply(&mut self, ticket: Ticket, id: ResourceId, steps: Vec<Step>) {
        let waits = steps.iter().any(Step::waits);
        let failed = move |error| Input::Applied(ticket, vec![Outcome::Failed(error)]);
        self.work(ticket, waits, Running::step(), failed, move |shared, running| {
            let mut outcomes = Vec::with_capacity(steps.len());
            // Half of what belongs together may be worse than nothing: a container is not removed where it may not be made,
            // and a timer is not stopped where its file may not be removed.
            let refused = steps.iter().position(|step| shared.policy.step(&id, step).is_err() || keeps(shared, step));
            for step in &steps[refused.unwrap_or(0)..] {
                if running.is_stopped() {
                    break;
                }
                let outcome = subject::step(&Context { shared, id: &id, running }, step);
                let failed = matches!(outcome, Outcome::Failed(_));
                outcomes.push(outcome);
                if failed {
                    break;
                }
            }
            Input::Applied(ticket, outcomes)
        });
    }

    /// Runs a job. Each ticket is answered, even if the job panics: `failed` makes the answer then.
    pub(super) fn work(
        &mut self,
        ticket: Ticket,
        waits: bool,
        handle: Running,
        failed: impl Fn(HostError) -> Input + Send + Sync + 'static,
        job: impl FnOnce(&Shared, &Running) -> Input + Send + 'static,
    ) {
        let (handle, failed) = (Arc::new(handle), Arc::new(failed));
        let under_way = Job { handle: handle.clone(), failed: failed.clone() };
        self.running.lock().insert(ticket, under_way);
        let (shared, running) = (self.shared.clone(), self.running.clone());
        let job = move || {
            let answer = sound_of_mind(|| job(&shared, &handle)).unwrap_or_else(|error| failed(error));
            running.lock().remove(&ticket);
            shared.events.put_answer(answer);
        };
        if waits { self.pool.run_command(job) } else { self.pool.run(job) }
    }

    pub(super) fn cancel(&mut self, ticket: Ticket, mode: StopMode) {
        let running = self.running.lock().get(&ticket).map(|job| job.handle.clone());
        if let Some(running) = running {
            running.stop(mode);
        }
    }

    /// Answers for stopped work that does not return: a system call on a hung file system or device cannot be
    /// interrupted. A late answer is dropped.
    pub(crate) fn give_up(&self) {
        for (_, job) in self.running.lock().drain() {
            let error = "it does not stop: it is waiting for a file system or device that does not respond";
            // The driver's own thread must not wait for room.
            self.shared.events.put((job.failed)(HostError::new(HostErrorKind::Cancelled, error)));
        }
    }
}

/// Runs a job; a panic, which is a bug of the agent, becomes an error, so that the ticket is still answered.
pub(super) fn sound_of_mind<T>(job: impl FnOnce() -> T) -> Result<T, HostError> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(job)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        HostError::new(HostErrorKind::Other, format!("internal error in the agent: {text}; please report it"))
    })
}
