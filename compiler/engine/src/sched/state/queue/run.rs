//! [`Run`]: one check in flight, with everything asked, seen and done. Engine spec, 8 and 27.7.

mod again;
mod publishing;

use crate::kinds::Seen;
use crate::protocol::{Moment, Options, Ticket, What};
use crate::sched::state::{TimerKey, Why};
use crate::sched::story::Deed;
use crate::source::MemoryWorld;
use crate::vocab::{Datum, Finding, HostError, HostErrorKind, Outcome, Probe, Step};
use again::Earlier;
use std::sync::Arc;

/// How often a kind may ask for more before it counts as broken.
const MOST_ROUNDS: usize = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Looking up, then writing the publication.
    ExportLook,
    ExportWrite,
    Probing,
    Applying,
}

/// Why a running check was cancelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CancelReason {
    /// Its watch failed.
    Restart,
    /// The user's second interrupt.
    Interrupt,
    /// It exceeded its `timeout`.
    Deadline,
    /// Its group is checked again without some of its members.
    Parted,
}

#[derive(Clone)]
pub(crate) struct Run {
    ticket: Ticket,
    stage: Stage,
    /// The probes, as far as they can show differences of contents.
    asked: Vec<Probe>,
    findings: Vec<Finding>,
    outcomes: Vec<Outcome>,
    /// The number of findings or outcomes expected for the ticket.
    n_expected: usize,
    n_rounds: usize,
    refresh: bool,
    managed: Arc<[String]>,
    deadline: Option<TimerKey>,
    cancelled: Option<CancelReason>,
    began: Moment,
    /// The keys under which it publishes.
    exporting: Vec<String>,
    /// Publishing changed the store.
    export_changed: bool,
    /// Those of its keys that hold something else now.
    superseded: Vec<String>,
    /// Why the host could not seal the secrets of the publication.
    unsealed: Option<String>,
    why: Option<Why>,
    /// Whether it was caused by an event of its watch.
    by_event: bool,
    /// Whether it is a consequence of the resource's own last command.
    is_echo: bool,
    /// Reports withheld until something changes; `None`: reported immediately.
    held_back: Option<Vec<What>>,
    /// An earlier failed look of this check.
    earlier: Option<Earlier>,
    /// Whether it waits for nothing slow.
    is_quick: bool,
    /// Whether a plan cannot predict the effect of one of its steps.
    is_unforeseen: bool,
    /// A summary of its steps.
    deed: Option<Deed>,
    /// Whether it did something that must not be repeated, so that a failure is final.
    did_once: bool,
    /// The same before its last steps, and the first of them that must not be repeated.
    did_before: (bool, Option<usize>),
    /// One of its steps is a command.
    has_command: bool,
    /// Whether the host refused its last request.
    is_refused: bool,
    /// It began while no other vertex had anything to do, so none was asked to run first. For invariants.
    #[cfg(test)]
    is_alone: bool,
}

impl Run {
    /// `refresh`: a notification is pending. `managed`: the paths that its kind asked about.
    pub(crate) fn new(began: Moment, refresh: bool, managed: Arc<[String]>) -> Run {
        Run {
            ticket: Ticket(0),
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
            began,
            exporting: Vec::new(),
            export_changed: false,
            superseded: Vec::new(),
            unsealed: None,
            why: None,
            by_event: false,
            is_echo: false,
            held_back: None,
            earlier: None,
            is_quick: true,
            is_unforeseen: false,
            deed: None,
            did_once: false,
            did_before: (false, None),
            has_command: false,
            is_refused: false,
            #[cfg(test)]
            is_alone: false,
        }
    }

    /// Sets its causes; `by_event`: its own watch fired.
    pub(crate) fn because(self, why: Option<Why>, by_event: bool) -> Run {
        Run { why, by_event, ..self }
    }

    /// Withholds its reports until something changes.
    pub(crate) fn held_back(self) -> Run {
        Run { held_back: Some(Vec::new()), ..self }
    }

    /// Withholds a report, or returns it to be reported now.
    pub(crate) fn hold_back(&mut self, what: What) -> Option<What> {
        let Some(held_back) = &mut self.held_back else { return Some(what) };
        held_back.push(what);
        None
    }

    /// Something changed: the withheld reports.
    pub(crate) fn take_held_back(&mut self) -> Vec<What> {
        self.held_back.take().unwrap_or_default()
    }

    #[cfg(test)]
    pub(crate) fn alone(self, is_alone: bool) -> Run {
        Run { is_alone, ..self }
    }

    #[cfg(test)]
    pub(crate) fn is_alone(&self) -> bool {
        self.is_alone
    }

    pub(crate) fn ticket(&self) -> Ticket {
        self.ticket
    }

    pub(crate) fn stage(&self) -> Stage {
        self.stage
    }

    pub(crate) fn began(&self) -> Moment {
        self.began
    }

    pub(crate) fn refresh(&self) -> bool {
        self.refresh
    }

    pub(crate) fn why(&self) -> Option<&Why> {
        self.why.as_ref()
    }

    pub(crate) fn by_event(&self) -> bool {
        self.by_event
    }

    /// It is a consequence of the resource's own last command.
    pub(crate) fn echoing(self) -> Run {
        Run { is_echo: true, ..self }
    }

    pub(crate) fn is_echo(&self) -> bool {
        self.is_echo
    }

    /// Publishing changed the store.
    pub(crate) fn export_changed(&self) -> bool {
        self.export_changed
    }

    pub(crate) fn deadline(&self) -> Option<TimerKey> {
        self.deadline
    }

    pub(crate) fn set_deadline(&mut self, key: Option<TimerKey>) {
        self.deadline = key;
    }

    pub(crate) fn cancelled(&self) -> Option<CancelReason> {
        self.cancelled
    }

    /// Cancels it; the first reason counts.
    pub(crate) fn cancel(&mut self, reason: CancelReason) {
        self.cancelled.get_or_insert(reason);
    }

    /// Records that it waits for something slow. `true`: it did not before.
    pub(super) fn set_slow(&mut self) -> bool {
        std::mem::replace(&mut self.is_quick, false)
    }

    /// Whether it waits for something slow.
    pub(crate) fn is_slow(&self) -> bool {
        !self.is_quick
    }

    /// Sets the ticket of the last request.
    pub(crate) fn await_answer(&mut self, ticket: Ticket) {
        self.ticket = ticket;
    }

    /// Whether this many answers are all that are expected. A host that is to stop leaves out the rest.
    pub(crate) fn is_answered(&self, n_answers: usize) -> bool {
        n_answers == self.n_expected
    }

    /// It looks at the host.
    pub(crate) fn look(&mut self, probes: &[Probe]) {
        (self.stage, self.n_expected) = (Stage::Probing, probes.len());
        self.asked.extend(probes.iter().cloned());
        self.did_once |= !probes.iter().all(Probe::repeats);
    }

    /// It changes the host.
    pub(crate) fn change(&mut self, steps: &[Step]) {
        (self.stage, self.n_expected) = (Stage::Applying, steps.len());
        self.has_command |= steps.iter().any(|step| matches!(step, Step::Command(_)));
        self.is_unforeseen |= !steps.iter().all(Step::is_foreseen);
        self.did_before = (self.did_once, steps.iter().position(|step| !step.repeats()));
        self.did_once |= self.did_before.1.is_some();
    }

    /// Whether one of its steps is a command.
    pub(crate) fn has_command(&self) -> bool {
        self.has_command
    }

    /// Whether a command of one of its steps is running.
    pub(crate) fn runs_command(&self) -> bool {
        self.has_command && self.stage == Stage::Applying
    }

    /// The findings of a look; missing findings count as unanswered.
    pub(crate) fn found(&mut self, mut findings: Vec<Finding>) {
        if findings.len() != self.n_expected {
            findings.resize_with(self.n_expected, || Finding::Failed(unanswered()));
        }
        let error =
            findings.iter().find_map(|finding| if let Finding::Failed(error) = finding { Some(error) } else { None });
        self.note_failure(error);
        self.findings.append(&mut findings);
    }

    /// The outcomes of steps; missing outcomes count as failed.
    pub(crate) fn did(&mut self, mut outcomes: Vec<Outcome>) {
        let failed = matches!(outcomes.last(), Some(Outcome::Failed(_)));
        if outcomes.len() != self.n_expected && !failed {
            outcomes.push(Outcome::Failed(unanswered()));
        }
        let failed = outcomes.last().and_then(|outcome| match outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Done | Outcome::Command(_) => None,
        });
        let (did_before, first) = self.did_before;
        let last = outcomes.len().checked_sub(1);
        if let (Some(first), Some(error)) = (first, failed)
            && (last < Some(first) || last == Some(first) && error.kind == HostErrorKind::NotBegun)
        {
            // An earlier step failed, or nothing of this one was begun.
            self.did_once = did_before;
        }
        self.note_failure(failed);
        self.outcomes.append(&mut outcomes);
    }

    fn note_failure(&mut self, failed: Option<&HostError>) {
        let rules = [HostErrorKind::Refused, HostErrorKind::Untried];
        self.is_refused = failed.is_some_and(|error| rules.contains(&error.kind));
        // The body cancelled a long operation because the run is ending: this is not a failure.
        if failed.is_some_and(|error| error.kind == HostErrorKind::Cancelled) {
            self.cancel(CancelReason::Interrupt);
        }
    }

    /// All information for its kind.
    pub(crate) fn seen<'r>(
        &'r self,
        apply: bool,
        received: &'r [(&'static str, bool)],
        kept: Option<&'r Datum>,
        (options, program): (&'r Options, &'r MemoryWorld),
    ) -> Seen<'r> {
        Seen {
            findings: &self.findings,
            outcomes: &self.outcomes,
            apply,
            is_plan: options.rehearse,
            refresh: self.refresh,
            received,
            kept,
            managed: &self.managed,
            hostname: &options.hostname,
            ends_after_s: u64::try_from(options.converger_timeout).ok().filter(|_| options.converged_exit),
            program,
        }
    }

    /// Starts another round of probes or steps.
    pub(crate) fn begin_round(&mut self) {
        self.n_rounds += 1;
    }

    /// Whether its kind has asked for more too often.
    pub(crate) fn is_endless(&self) -> bool {
        self.n_rounds >= MOST_ROUNDS
    }

    /// Each probe with its finding, if there is one; the latest first.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&Probe, &Finding)> {
        self.asked.iter().zip(&self.findings).rev()
    }

    pub(crate) fn deed(&self) -> Option<Deed> {
        self.deed
    }

    /// Adds further reported steps.
    pub(crate) fn note(&mut self, deed: Option<Deed>) {
        self.deed = match (self.deed, deed) {
            (Some(before), Some(deed)) if before != deed => Some(Deed::Updated),
            (before, deed) => deed.or(before),
        };
    }

    /// Whether a plan cannot predict the effect of one of its steps.
    pub(crate) fn is_unforeseen(&self) -> bool {
        self.is_unforeseen
    }

    /// Whether its last step did not fail.
    pub(crate) fn goes_well(&self) -> bool {
        !matches!(self.outcomes.last(), Some(Outcome::Failed(_)))
    }

    /// Whether it probed something that a plan does not look at.
    pub(crate) fn has_untried(&self) -> bool {
        let is_untried = |error: &HostError| error.kind == HostErrorKind::Untried;
        self.findings.iter().any(|finding| matches!(finding, Finding::Failed(error) if is_untried(error)))
            || self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(error) if is_untried(error)))
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether the host was asked something, or changed.
    pub(crate) fn asked_host(&self) -> bool {
        !self.asked.is_empty() || !self.outcomes.is_empty()
    }

    /// Whether the host refused its last request. This stands until the world changes: another attempt would meet the
    /// same rule.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }
}

fn unanswered() -> HostError {
    HostError::new(HostErrorKind::Other, "no answer from the host")
}
