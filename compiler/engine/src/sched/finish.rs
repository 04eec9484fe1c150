//! The consequences of a check: timestamps, pokes, notifications, retries. Engine spec, 8, steps 8 to 12, and 27.7.

use super::Scheduler;
use super::state::{CancelReason, Found, Run, Slot, Timer};
use crate::kinds::Sent;
use crate::protocol::Phase;

/// The minimum delay before the next attempt if the host was not involved in a failure. Without a delay it would be
/// retried forever before anything else, even the clock, had a turn. Units: milliseconds.
const SHORTEST_MS: u64 = 10;

/// The result of a check.
pub(super) struct Checked {
    /// It drifted, and was repaired or would be.
    pub(super) changed: bool,
    pub(super) sent: Sent,
    pub(super) run: Box<Run>,
}

impl Scheduler {
    /// Nothing had to be checked; its successors may proceed anyway.
    pub(super) fn finish_quietly(&mut self, slot: Slot, would_change: bool) {
        if would_change {
            self.convergence.restart(slot, self.clock.now());
        }
        if self.conditions.end_wait(slot) {
            self.report_phase(slot, Phase::InState, String::new());
        }
        self.come_to_rest(slot);
        self.succeed(slot);
        self.causes.take(slot);
    }

    /// A check is over, or could not begin.
    pub(super) fn finish(&mut self, slot: Slot, result: Result<Checked, String>, run: Option<Box<Run>>) {
        match result {
            Ok(checked) => self.checked(slot, checked),
            Err(error) => self.check_failed(slot, error, run),
        }
        // Events that came in the meantime are processed now.
        self.queue.enqueue(slot);
    }

    fn checked(&mut self, slot: Slot, Checked { changed, sent, mut run }: Checked) {
        self.tell_held_back(&mut run);
        let noop = self.graph.is_noop(slot);
        let is_dry = noop || self.options.rehearse;
        if self.options.rehearse {
            self.note_foresight(slot, Some(&run), false);
        }
        let wrong = changed || run.export_changed();
        let resource = self.graph.resource(slot).clone();
        if !sent.is_empty() {
            self.wires.send(resource.id.clone(), sent);
        }
        self.recover(slot);
        self.charge(slot, &run, if wrong && !noop { Found::Wrong } else { Found::InState });
        if wrong {
            self.convergence.restart(slot, self.clock.now());
        }
        self.graph.forget_received(slot);
        self.conditions.forget_failure(slot);
        if resource.meta.retryreset {
            self.conditions.restore_attempts(&resource.id);
        }
        // The causes of this check are passed on to its successors.
        let since = self.causes.take(slot);
        self.causes.put(slot, run.why().cloned());
        self.come_to_rest(slot);
        let phase = match (changed, is_dry) {
            (false, _) => Phase::InState,
            (true, false) => Phase::Changed,
            (true, true) => Phase::WouldChange,
        };
        self.report_ended(slot, phase, &run);
        if wrong && !noop {
            self.notify(slot);
        }
        if changed && !noop && run.refresh() {
            self.restart_period(slot);
        }
        self.succeed(slot);
        self.causes.put(slot, since);
        if changed && !is_dry {
            let resource = self.graph.resource(slot);
            if let Some(status) = resource.kind.exits(&resource.want()) {
                self.lifecycle.begin_exit(status);
            }
        }
    }

    /// It is up to date, or was checked if nothing more is allowed.
    fn come_to_rest(&mut self, slot: Slot) {
        let noop = self.graph.is_noop(slot);
        if !noop {
            self.conditions.set_clean(slot, true);
        }
        self.convergence.set_settled(slot, true, self.clock.now());
        if !noop {
            self.clear_refresh(slot);
        }
    }

    /// Advances its timestamp and lets its successors proceed.
    fn succeed(&mut self, slot: Slot) {
        let before = self.edges.succeed(slot);
        self.pacing.set_hurried(slot, false);
        self.poke_successors(slot, before);
    }

    fn check_failed(&mut self, slot: Slot, error: String, mut run: Option<Box<Run>>) {
        let error = match run.as_ref().and_then(|run| run.cancelled().map(|reason| (reason, run.began()))) {
            Some((reason @ (CancelReason::Restart | CancelReason::Interrupt), _)) => {
                if reason == CancelReason::Restart {
                    self.queue.want(slot);
                }
                self.report_phase(slot, Phase::Waiting, format!("process interrupted: {error}"));
                return;
            }
            Some((CancelReason::Parted, _)) => return,
            Some((CancelReason::Deadline, began)) => {
                let seconds = self.clock.now().0.saturating_sub(began.0) as f64 / 1e9;
                format!("timeout after {seconds:.3} seconds")
            }
            None => error,
        };
        self.convergence.restart(slot, self.clock.now());
        if self.conditions.is_given_up(slot) {
            return; // its watch has failed meanwhile
        }
        let told = self.conditions.explain(slot, run.as_ref().and_then(|run| run.failed_step()), &error);
        // The cause is still the same.
        self.causes.or(slot, run.as_ref().and_then(|run| run.why()));
        let resource = self.graph.resource(slot).clone();
        let meta = &resource.meta;
        // A rehearsal fails again in the same way.
        let is_final = meta.hidden || self.options.rehearse || run.as_ref().is_some_and(|run| run.is_refused());
        let left = if is_final { 0 } else { self.conditions.attempts_left(&resource.id, meta.retry) };
        if left == 0 {
            if let Some(run) = &run {
                self.charge(slot, run, Found::Wrong);
            }
            if !self.confirm(slot, &told, run.as_deref()) {
                if self.options.rehearse {
                    self.note_foresight(slot, run.as_deref(), true);
                }
                let is_repeatable = run.as_ref().is_some_and(|run| run.is_repeatable());
                // The host may get the key of its receiver.
                let is_unsealed = meta.hidden && run.as_ref().is_some_and(|run| run.unsealed().is_some());
                if !self.conditions.fails_as_before(slot, &error) {
                    run.iter_mut().for_each(|run| self.tell_held_back(run));
                }
                self.fail_with(slot, error, told);
                if is_repeatable && (!is_final || is_unsealed) {
                    self.recheck_later(slot);
                }
            }
            return;
        }
        let left = if left > 0 { left - 1 } else { left };
        self.conditions.set_attempts_left(resource.id.clone(), left);
        let asked_host = run.is_some_and(|run| run.asked_host());
        let delay = if asked_host { meta.delay } else { meta.delay.max(SHORTEST_MS) };
        if delay == 0 {
            self.queue.want(slot);
        } else {
            self.queue.wait_for_retry(slot, self.clock.arm_in(delay, Timer::Retry(slot)));
        }
        let text = format!("{told}; {}", super::report::retrying("CheckApply", delay, left));
        self.report_phase(slot, Phase::Retrying, text);
    }
}
