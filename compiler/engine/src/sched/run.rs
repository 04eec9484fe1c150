//! One check in flight: look, decide, change, decide again. Engine spec, 8 and 27.7.

use super::timers::Timer;
use super::vertex::{CancelReason, Run, Stage};
use super::{Busy, Flight, Scheduler, Slot};
use crate::kinds::{Decision, Seen, Sent};
use crate::protocol::{Output, Phase, ResourceId, StopMode};
use crate::vocab::path::clean;
use crate::vocab::{Effect, Finding, Outcome, Probe, Step};
use std::sync::Arc;

/// How often a kind may ask for more before it counts as broken.
const MOST_ROUNDS: usize = 10_000;

/// How a check ended.
pub(super) struct Checked {
    /// Was something wrong, and was mended, or would be?
    pub(super) changed: bool,
    pub(super) sent: Sent,
    pub(super) run: Box<Run>,
}

impl Scheduler {
    /// Begins a check, or queues for it.
    pub(super) fn begin_run(&mut self, slot: Slot, refresh: bool) {
        if !self.take_room(slot) {
            return;
        }
        self.begin_running();
        self.n_quick += 1;
        let managed = self.managed_below(slot);
        let vertex = self.vertex_mut(slot);
        #[cfg(test)]
        let is_alone = vertex.n_stale > 0 || !vertex.heeds && !vertex.asked;
        let why = vertex.why.take();
        let by_event = std::mem::take(&mut vertex.by_event);
        let resource = vertex.resource.clone();
        let run = Run {
            ticket: crate::protocol::Ticket(0),
            stage: Stage::Probing,
            asked: Vec::new(),
            findings: Vec::new(),
            outcomes: Vec::new(),
            n_expected: 0,
            n_rounds: 0,
            refresh,
            managed,
            deadline: None,
            cancelled: None,
            began: self.now,
            export_changed: false,
            why,
            by_event,
            #[cfg(test)]
            is_alone,
            earlier: None,
            is_quick: true,
            did_once: false,
        };
        self.vertex_mut(slot).busy = Busy::Running(Box::new(run));
        if self.must_publish(slot) {
            self.publish_look(slot);
            return;
        }
        if resource.meta.hidden {
            self.end_run(slot, Ok((false, Sent::new())));
            return;
        }
        self.check(slot);
    }

    /// The check proper.
    pub(super) fn check(&mut self, slot: Slot) {
        let resource = self.resource(slot).clone();
        if resource.meta.hidden || self.vertex(slot).clean && !self.run(slot).refresh {
            // It only published.
            self.end_run(slot, Ok((false, Sent::new())));
            return;
        }
        self.report_phase(slot, Phase::Checking, String::new);
        if resource.meta.timeout > 0 {
            let at = self.now.plus_ms(resource.meta.timeout);
            let key = self.timers.arm(at, Timer::Deadline(slot));
            self.run_mut(slot).deadline = Some(key);
        }
        let probes = resource.kind.probes(&resource.want());
        if probes.is_empty() {
            self.decide(slot);
        } else {
            self.look(slot, probes);
        }
    }

    pub(super) fn look(&mut self, slot: Slot, probes: Vec<Probe>) {
        let ticket = self.new_ticket(Flight::Check(slot));
        let id = self.resource(slot).id.clone();
        let run = self.run_mut(slot);
        run.ticket = ticket;
        run.stage = Stage::Probing;
        run.n_expected = probes.len();
        run.asked.extend(probes.iter().cloned());
        self.run_mut(slot).did_once |= !probes.iter().all(Probe::repeats);
        if probes.iter().any(Probe::waits) {
            self.takes_long(slot);
        }
        self.outputs.push_back(Output::Probe(ticket, id, probes));
    }

    fn change(&mut self, slot: Slot, steps: Vec<Step>) {
        self.report_steps(slot, &steps);
        self.own_paths.make(self.now, slot, &steps);
        let ticket = self.new_ticket(Flight::Check(slot));
        let id = self.resource(slot).id.clone();
        let run = self.run_mut(slot);
        run.ticket = ticket;
        run.stage = Stage::Applying;
        run.n_expected = steps.len();
        run.did_once |= !steps.iter().all(Step::repeats);
        if steps.iter().any(Step::waits) {
            self.takes_long(slot);
        }
        self.outputs.push_back(Output::Apply(ticket, id, steps));
    }

    /// It waits for something slow from here on, which is no reason to keep the others waiting.
    fn takes_long(&mut self, slot: Slot) {
        let was_quick = std::mem::replace(&mut self.run_mut(slot).is_quick, false);
        self.n_quick -= usize::from(was_quick);
    }

    pub(super) fn check_probed(&mut self, slot: Slot, mut findings: Vec<Finding>) {
        let run = self.run_mut(slot);
        match run.stage {
            Stage::Probing => {
                if findings.len() != run.n_expected {
                    findings.resize_with(run.n_expected, || Finding::Failed(unanswered()));
                }
                run.findings.append(&mut findings);
                self.decide(slot);
            }
            Stage::ExportLook => self.publish_looked(slot, &findings),
            Stage::ExportWrite | Stage::Applying => {
                self.end_run(slot, Err("the host answered a question that was not asked".into()))
            }
        }
    }

    pub(super) fn check_applied(&mut self, slot: Slot, mut outcomes: Vec<Outcome>) {
        let run = self.run_mut(slot);
        match run.stage {
            Stage::Applying => {
                let failed = matches!(outcomes.last(), Some(Outcome::Failed(_)));
                if outcomes.len() != run.n_expected && !failed {
                    outcomes.push(Outcome::Failed(unanswered()));
                }
                run.outcomes.append(&mut outcomes);
                self.decide(slot);
            }
            Stage::ExportWrite => self.publish_wrote(slot, &outcomes),
            Stage::ExportLook | Stage::Probing => {
                self.end_run(slot, Err("the host answered a question that was not asked".into()));
            }
        }
    }

    /// Asks the kind what to make of all that was seen and done.
    fn decide(&mut self, slot: Slot) {
        let vertex = self.vertex(slot);
        let resource = vertex.resource.clone();
        let (kind, want) = (resource.kind, resource.want());
        let received: Vec<(&'static str, bool)> = resource
            .receives
            .iter()
            .zip(&vertex.changed)
            .map(|(receive, &changed)| (kind.decl().fields[receive.field].name, changed))
            .collect();
        let Busy::Running(run) = &vertex.busy else { return };
        let seen = Seen {
            findings: &run.findings,
            outcomes: &run.outcomes,
            apply: !vertex.noop,
            refresh: run.refresh,
            received: &received,
            kept: vertex.kept.as_ref(),
            managed: &run.managed,
            hostname: &self.options.hostname,
        };
        let decision = kind.decide(&want, &seen);
        let cancelled = run.cancelled.is_some();
        let over = run.n_rounds >= MOST_ROUNDS;
        match decision {
            Decision::InState(sent) => {
                let (kept, members) = (kind.keep(&want, &seen), kind.members_send(&want, &seen));
                let changed = run.earlier.as_ref().is_some_and(|earlier| earlier.changed);
                self.vertex_mut(slot).kept = kept;
                self.sent_by_members(members);
                self.end_run(slot, Ok((changed, sent)));
            }
            Decision::Mended(sent) => {
                let (kept, members) = (kind.keep(&want, &seen), kind.members_send(&want, &seen));
                self.vertex_mut(slot).kept = kept;
                self.sent_by_members(members);
                self.end_run(slot, Ok((true, sent)));
            }
            Decision::CannotTell(error) => {
                if let Err(error) = self.look_again(slot, error) {
                    self.end_run(slot, Err(error));
                }
            }
            Decision::LookFurther(_) | Decision::Drifted(_) if over => {
                self.end_run(slot, Err(format!("kind `{}` never comes to a decision", kind.decl().name)));
            }
            Decision::LookFurther(probes) if cancelled && probes.iter().any(Probe::waits) => {
                self.end_run(slot, Err("interrupted".into()));
            }
            Decision::LookFurther(probes) => {
                self.run_mut(slot).n_rounds += 1;
                self.look(slot, probes);
            }
            // What failed before would only fail again.
            Decision::Drifted(_) if !cancelled && run.saw_the_same() => {
                let error = run.earlier.as_ref().map(|earlier| earlier.error.clone()).unwrap_or_default();
                self.end_run(slot, Err(error));
            }
            Decision::Drifted(steps) if vertex.noop => {
                let sent = kind.sends_dry(&want, &seen);
                let kept = kind.keep(&want, &seen);
                self.report_steps(slot, &steps);
                self.vertex_mut(slot).kept = kept;
                self.end_run(slot, Ok((true, sent)));
            }
            // What is only bookkeeping of a command that ended is still done.
            Decision::Drifted(steps) if cancelled && !steps.iter().all(|step| step.effect() == Effect::Bookkeeping) => {
                self.end_run(slot, Err("interrupted".into()));
            }
            Decision::Drifted(steps) => {
                self.run_mut(slot).n_rounds += 1;
                self.change(slot, steps);
            }
        }
    }

    fn sent_by_members(&mut self, members: Vec<(&'static str, String, Sent)>) {
        for (kind, name, sent) in members {
            self.sent.insert(ResourceId::new(kind, name), Arc::new(sent));
        }
    }

    /// Tells what runs for a check to stop.
    pub(super) fn cancel_run(&mut self, slot: Slot, reason: CancelReason) {
        let Busy::Running(run) = &mut self.vertex_mut(slot).busy else { return };
        run.cancelled.get_or_insert(reason);
        let ticket = run.ticket;
        self.outputs.push_back(Output::Cancel(ticket, StopMode::Soft));
    }

    pub(super) fn deadline_passed(&mut self, slot: Slot) {
        if let Busy::Running(run) = &mut self.vertex_mut(slot).busy {
            run.deadline = None;
            self.cancel_run(slot, CancelReason::Deadline);
        }
    }

    /// The check is over; what it held is given back.
    pub(super) fn end_run(&mut self, slot: Slot, result: Result<(bool, Sent), String>) {
        let vertex = self.vertex_mut(slot);
        let Busy::Running(run) = std::mem::replace(&mut vertex.busy, Busy::Idle) else { return };
        if let Some(key) = run.deadline {
            self.timers.cancel(key);
        }
        self.in_flight.remove(&run.ticket);
        self.n_quick -= usize::from(run.is_quick);
        self.end_running();
        self.release_semas(slot);
        match result {
            Ok((changed, sent)) => self.finish(slot, Ok(Checked { changed, sent, run }), None),
            Err(error) => self.finish(slot, Err(error), Some(run)),
        }
    }

    pub(super) fn run(&self, slot: Slot) -> &Run {
        match &self.vertex(slot).busy {
            Busy::Running(run) => run,
            Busy::Preparing | Busy::Idle | Busy::Limited(_) | Busy::Queued | Busy::RetryWait(_) | Busy::Resting(_) => {
                unreachable!("tickets of checks are only kept while one runs")
            }
        }
    }

    pub(super) fn run_mut(&mut self, slot: Slot) -> &mut Run {
        match &mut self.vertex_mut(slot).busy {
            Busy::Running(run) => run,
            Busy::Preparing | Busy::Idle | Busy::Limited(_) | Busy::Queued | Busy::RetryWait(_) | Busy::Resting(_) => {
                unreachable!("tickets of checks are only kept while one runs")
            }
        }
    }

    /// The paths of others below the directory that the kind asks about.
    fn managed_below(&mut self, slot: Slot) -> Arc<[String]> {
        let resource = self.resource(slot).clone();
        let Some(below) = resource.kind.queries_below(&resource.want()) else { return Arc::default() };
        let below = format!("{}/", clean(&below).trim_end_matches('/'));
        let all = self.managed_paths();
        let from = all.partition_point(|path| path.as_str() < below.as_str());
        let below = all[from..].iter().take_while(|path| path.starts_with(&below));
        below.filter(|path| !claims(&resource, path)).cloned().collect()
    }

    /// However they are written: what counts is the place.
    fn managed_paths(&mut self) -> Arc<[String]> {
        if let Some(known) = &self.managed {
            return known.clone();
        }
        let mut paths = Vec::new();
        for &slot in &self.order {
            let resource = self.resource(slot);
            if resource.kind.decl().traits.graph_queryable {
                paths.extend(resource.kind.claims(&resource.want()).into_iter().filter_map(file_claim));
            }
        }
        paths.sort();
        paths.dedup();
        let paths: Arc<[String]> = paths.into();
        self.managed = Some(paths.clone());
        paths
    }
}

fn claims(resource: &crate::rgraph::Resource, path: &str) -> bool {
    resource.kind.claims(&resource.want()).into_iter().filter_map(file_claim).any(|own| own == path)
}

fn file_claim(claim: crate::kinds::Claim) -> Option<String> {
    if let crate::kinds::Claim::File(path) = claim { Some(clean(&path)) } else { None }
}

fn unanswered() -> crate::vocab::HostError {
    crate::vocab::HostError::new(crate::vocab::HostErrorKind::Other, "the host gave no answer")
}
