//! One check in flight: look, decide, change, decide again. Engine spec, 8 and 27.7.

use super::Scheduler;
use super::finish::Checked;
use super::state::{CancelReason, Flight, Room, Run, Slot, Stage, Timer};
use crate::kinds::{Decision, Sent};
use crate::protocol::{Phase, ResourceId, StopMode};
use crate::vocab::{Effect, Finding, Outcome, Probe, Step};

impl Scheduler {
    /// Begins a check, or queues it.
    pub(super) fn begin_check(&mut self, slot: Slot, refresh: bool) {
        match self.queue.take_room(slot) {
            Room::Taken => {}
            Room::Full => return,
            Room::SemaphoreUsedUp => {
                self.report_phase(slot, Phase::Waiting, "waiting for a semaphore".to_string());
                return;
            }
        }
        self.conditions.end_wait(slot);
        let run = Run::new(self.clock.now(), refresh, self.graph.managed_for(slot));
        let run = run.because(self.causes.take(slot), self.watches.take_by_event(slot));
        let run = if self.pacing.take_echo(slot) { run.echoing() } else { run };
        #[cfg(test)]
        let run = run.alone(self.edges.is_alone(slot));
        self.queue.begin(slot, if self.conditions.is_recheck(slot) { run.held_back() } else { run });
        if self.must_publish(slot) {
            self.publish_look(slot);
        } else {
            self.check(slot);
        }
    }

    /// The main part of a check.
    pub(super) fn check(&mut self, slot: Slot) {
        let resource = self.graph.resource(slot).clone();
        if resource.meta.hidden || self.conditions.is_clean(slot) && !self.queue.run(slot).refresh() {
            // It only published.
            self.end_check(slot, Ok((false, Sent::new())));
            return;
        }
        self.report_phase(slot, Phase::Checking, String::new());
        if resource.meta.timeout > 0 {
            let key = self.clock.arm_in(resource.meta.timeout, Timer::Deadline(slot));
            self.queue.run_mut(slot).set_deadline(Some(key));
        }
        let probes = resource.kind.probes(&resource.want());
        if probes.is_empty() {
            self.decide(slot);
        } else {
            self.look(slot, probes);
        }
    }

    pub(super) fn look(&mut self, slot: Slot, probes: Vec<Probe>) {
        if probes.iter().any(Probe::waits) {
            self.queue.takes_long(slot);
        }
        self.note_look(slot, &probes);
        let run = self.queue.run_mut(slot);
        run.look(&probes);
        run.await_answer(self.outbox.probe(Flight::Check(slot), self.graph.id(slot).clone(), probes));
    }

    fn change(&mut self, slot: Slot, steps: Vec<Step>) {
        self.report_steps(slot, &steps);
        self.pacing.make(self.clock.now(), slot, self.graph.id(slot), &steps);
        self.note_change(slot, &steps);
        if steps.iter().any(Step::waits) {
            self.queue.takes_long(slot);
        }
        let run = self.queue.run_mut(slot);
        run.change(&steps);
        run.await_answer(self.outbox.apply(Flight::Check(slot), self.graph.id(slot).clone(), steps));
    }

    pub(super) fn check_probed(&mut self, slot: Slot, findings: Vec<Finding>) {
        let run = self.queue.run_mut(slot);
        match run.stage() {
            Stage::Probing => {
                run.found(findings);
                self.decide(slot);
            }
            Stage::ExportLook => self.publish_looked(slot, &findings),
            Stage::ExportWrite | Stage::Applying => self.end_check(slot, Err(not_asked())),
        }
    }

    pub(super) fn check_applied(&mut self, slot: Slot, outcomes: Vec<Outcome>) {
        let run = self.queue.run_mut(slot);
        match run.stage() {
            Stage::Applying => {
                run.did(outcomes);
                if self.foresees_no_further(slot) {
                    self.end_rehearsal(slot);
                } else {
                    self.decide(slot);
                }
            }
            Stage::ExportWrite => self.publish_wrote(slot, &outcomes),
            Stage::ExportLook | Stage::Probing => self.end_check(slot, Err(not_asked())),
        }
    }

    /// Asks the kind to decide from everything seen and done.
    fn decide(&mut self, slot: Slot) {
        let resource = self.graph.resource(slot).clone();
        let (kind, want) = (resource.kind, resource.want());
        let received = self.graph.received(slot);
        let noop = self.graph.is_noop(slot);
        let run = self.queue.run(slot);
        let seen = run.seen(!noop, &received, self.graph.kept(slot), (&self.options, &self.program));
        let decision = kind.decide(&want, &seen);
        let is_cancelled = run.cancelled().is_some();
        let is_mended = matches!(decision, Decision::Mended(_));
        match decision {
            Decision::InState(sent) | Decision::Mended(sent) => {
                let changed = is_mended || run.changed_before();
                let (kept, members) = (kind.keep(&want, &seen), kind.members_send(&want, &seen));
                self.graph.keep(slot, kept);
                for (kind, name, sent) in members {
                    self.wires.send(ResourceId::new(kind, name), sent);
                }
                self.end_check(slot, Ok((changed, sent)));
            }
            Decision::CannotTell(error) => {
                if let Err(error) = self.look_again(slot, error) {
                    self.end_check(slot, Err(error));
                }
            }
            Decision::Apart(names, why) => self.part(slot, &names, why),
            Decision::LookFurther(_) | Decision::Drifted(_) if run.is_endless() => {
                self.end_check(slot, Err(format!("kind `{}` does not reach a decision", kind.decl().name)));
            }
            Decision::LookFurther(probes) if is_cancelled && probes.iter().any(Probe::waits) => {
                self.end_check(slot, Err("interrupted".into()));
            }
            Decision::LookFurther(probes) => {
                self.queue.run_mut(slot).begin_round();
                self.look(slot, probes);
            }
            // A step that failed before would only fail again.
            Decision::Drifted(_) if !is_cancelled && run.failure_seen_again().is_some() => {
                let error = run.failure_seen_again().unwrap_or_default().to_string();
                self.end_check(slot, Err(error));
            }
            Decision::Drifted(steps) if noop => {
                let (sent, kept) = (kind.sends_dry(&want, &seen), kind.keep(&want, &seen));
                self.report_steps(slot, &steps);
                self.graph.keep(slot, kept);
                self.end_check(slot, Ok((true, sent)));
            }
            // Bookkeeping of a command that ended is still done.
            Decision::Drifted(steps) if is_cancelled && !steps.iter().all(is_bookkeeping) => {
                self.end_check(slot, Err("interrupted".into()));
            }
            Decision::Drifted(steps) => {
                self.queue.run_mut(slot).begin_round();
                self.change(slot, steps);
            }
        }
    }

    /// Cancels the running part of a check.
    pub(super) fn cancel_check(&mut self, slot: Slot, reason: CancelReason) {
        if self.queue.running(slot).is_some() {
            let run = self.queue.run_mut(slot);
            run.cancel(reason);
            self.outbox.cancel(run.ticket(), StopMode::Soft);
        }
    }

    pub(super) fn deadline_passed(&mut self, slot: Slot) {
        if self.queue.running(slot).is_some() {
            self.queue.run_mut(slot).set_deadline(None);
            self.cancel_check(slot, CancelReason::Deadline);
        }
    }

    /// Ends the check and releases what it held.
    pub(super) fn end_check(&mut self, slot: Slot, result: Result<(bool, Sent), String>) {
        let Some(run) = self.queue.end(slot) else { return };
        self.clock.cancel(run.deadline());
        self.outbox.forget(run.ticket());
        match result {
            Ok((changed, sent)) => self.finish(slot, Ok(Checked { changed, sent, run }), None),
            Err(error) => self.finish(slot, Err(error), Some(run)),
        }
    }
}

fn is_bookkeeping(step: &Step) -> bool {
    step.effect() == Effect::Bookkeeping
}

fn not_asked() -> String {
    "unexpected answer from the host".to_string()
}
