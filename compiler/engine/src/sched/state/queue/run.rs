//! [`Run`]: one check in flight, with all that it has asked, seen and done. Engine spec, 8 and 27.7.

use crate::kinds::Seen;
use crate::protocol::{Moment, Ticket, What};
use crate::sched::state::{TimerKey, Why};
use crate::sched::story::Deed;
use crate::source::MemoryWorld;
use crate::vocab::{Datum, Finding, HostError, HostErrorKind, Outcome, Probe, Step};
use std::sync::Arc;

/// How often a kind may ask for more before it counts as broken.
const MOST_ROUNDS: usize = 10_000;
/// A world that is never quiet fails in the end.
const MOST_LOOKS: usize = 10;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// Looking at, then writing, what is published.
    ExportLook,
    ExportWrite,
    Probing,
    Applying,
}

/// Why a running check was told to stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CancelReason {
    /// Its watch failed.
    Restart,
    /// A person's second interrupt.
    Interrupt,
    /// It ran for longer than its `timeout`.
    Deadline,
    /// Its group comes again without some of its members.
    Parted,
}

pub(crate) struct Run {
    ticket: Ticket,
    stage: Stage,
    /// What was asked for, as far as it tells differences of contents.
    asked: Vec<Probe>,
    findings: Vec<Finding>,
    outcomes: Vec<Outcome>,
    /// How many findings or outcomes the ticket is to bring.
    n_expected: usize,
    n_rounds: usize,
    refresh: bool,
    managed: Arc<[String]>,
    deadline: Option<TimerKey>,
    cancelled: Option<CancelReason>,
    began: Moment,
    /// Publishing changed the store.
    export_changed: bool,
    why: Option<Why>,
    /// It follows from an event of its watch.
    by_event: bool,
    /// What is told of it once something comes of it; `None`: all is told at once.
    held_back: Option<Vec<What>>,
    /// An earlier look of this check that came to nothing.
    earlier: Option<Earlier>,
    /// It waits for nothing slow.
    is_quick: bool,
    /// A plan cannot tell what one of its steps would lead to.
    is_unforeseen: bool,
    /// What its steps come to.
    deed: Option<Deed>,
    /// Something was asked for that may not be done twice.
    did_once: bool,
    /// One of its steps is a command.
    has_command: bool,
    /// The host refused the last thing that it was asked.
    is_refused: bool,
    /// It began while nobody else had anything to do, so nobody was asked to go first. For invariants.
    #[cfg(test)]
    is_alone: bool,
}

/// A look whose answers did not fit together, or whose change failed.
struct Earlier {
    findings: Vec<Finding>,
    error: String,
    /// How many there were.
    n_looks: usize,
    /// One of them changed something before it failed.
    changed: bool,
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
            export_changed: false,
            why: None,
            by_event: false,
            held_back: None,
            earlier: None,
            is_quick: true,
            is_unforeseen: false,
            deed: None,
            did_once: false,
            has_command: false,
            is_refused: false,
            #[cfg(test)]
            is_alone: false,
        }
    }

    /// What it follows from; `by_event`: its own watch saw something.
    pub(crate) fn because(self, why: Option<Why>, by_event: bool) -> Run {
        Run { why, by_event, ..self }
    }

    /// It is told of once something comes of it.
    pub(crate) fn held_back(self) -> Run {
        Run { held_back: Some(Vec::new()), ..self }
    }

    /// Keeps what is to be told; the answer is what is told at once.
    pub(crate) fn hold_back(&mut self, what: What) -> Option<What> {
        let Some(held_back) = &mut self.held_back else { return Some(what) };
        held_back.push(what);
        None
    }

    /// Something came of it: what was kept.
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

    /// It is to stop; the first reason counts.
    pub(crate) fn cancel(&mut self, reason: CancelReason) {
        self.cancelled.get_or_insert(reason);
    }

    /// `true` the first time: it waits for something slow from here on.
    pub(super) fn set_slow(&mut self) -> bool {
        std::mem::replace(&mut self.is_quick, false)
    }

    /// It waits for something slow.
    pub(crate) fn is_slow(&self) -> bool {
        !self.is_quick
    }

    /// The ticket of what was asked last.
    pub(crate) fn await_answer(&mut self, ticket: Ticket) {
        self.ticket = ticket;
    }

    /// It asks what is published, then writes it.
    pub(crate) fn publish(&mut self, stage: Stage) {
        self.stage = stage;
        self.export_changed |= stage == Stage::ExportWrite;
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
        self.did_once |= !steps.iter().all(Step::repeats);
    }

    /// One of its steps is a command.
    pub(crate) fn has_command(&self) -> bool {
        self.has_command
    }

    /// A command of its own runs.
    pub(crate) fn runs_command(&self) -> bool {
        self.has_command && self.stage == Stage::Applying
    }

    /// What a look found; questions without an answer were not answered.
    pub(crate) fn found(&mut self, mut findings: Vec<Finding>) {
        if findings.len() != self.n_expected {
            findings.resize_with(self.n_expected, || Finding::Failed(unanswered()));
        }
        let error =
            findings.iter().find_map(|finding| if let Finding::Failed(error) = finding { Some(error) } else { None });
        self.note_failure(error);
        self.findings.append(&mut findings);
    }

    /// What steps came to; steps without an answer failed.
    pub(crate) fn did(&mut self, mut outcomes: Vec<Outcome>) {
        let failed = matches!(outcomes.last(), Some(Outcome::Failed(_)));
        if outcomes.len() != self.n_expected && !failed {
            outcomes.push(Outcome::Failed(unanswered()));
        }
        self.note_failure(outcomes.last().and_then(|outcome| match outcome {
            Outcome::Failed(error) => Some(error),
            Outcome::Done | Outcome::Command(_) => None,
        }));
        self.outcomes.append(&mut outcomes);
    }

    fn note_failure(&mut self, failed: Option<&HostError>) {
        let rules = [HostErrorKind::Refused, HostErrorKind::Untried];
        self.is_refused = failed.is_some_and(|error| rules.contains(&error.kind));
        // The body left off what takes long, because all is to end: that is no failure.
        if failed.is_some_and(|error| error.kind == HostErrorKind::Cancelled) {
            self.cancel(CancelReason::Interrupt);
        }
    }

    /// All that its kind is told.
    pub(crate) fn seen<'r>(
        &'r self,
        apply: bool,
        received: &'r [(&'static str, bool)],
        kept: Option<&'r Datum>,
        (hostname, program): (&'r str, &'r MemoryWorld),
    ) -> Seen<'r> {
        Seen {
            findings: &self.findings,
            outcomes: &self.outcomes,
            apply,
            refresh: self.refresh,
            received,
            kept,
            managed: &self.managed,
            hostname,
            program,
        }
    }

    /// One more round of questions or steps.
    pub(crate) fn begin_round(&mut self) {
        self.n_rounds += 1;
    }

    /// Its kind has asked for more too often.
    pub(crate) fn is_endless(&self) -> bool {
        self.n_rounds >= MOST_ROUNDS
    }

    /// Each question with its answer, as far as there are answers; the latest first.
    pub(crate) fn answers(&self) -> impl Iterator<Item = (&Probe, &Finding)> {
        self.asked.iter().zip(&self.findings).rev()
    }

    pub(crate) fn deed(&self) -> Option<Deed> {
        self.deed
    }

    /// Some more steps were told.
    pub(crate) fn note(&mut self, deed: Option<Deed>) {
        self.deed = match (self.deed, deed) {
            (Some(before), Some(deed)) if before != deed => Some(Deed::Updated),
            (before, deed) => deed.or(before),
        };
    }

    /// A plan cannot tell what one of its steps would lead to.
    pub(crate) fn is_unforeseen(&self) -> bool {
        self.is_unforeseen
    }

    /// Its last step did not fail.
    pub(crate) fn goes_well(&self) -> bool {
        !matches!(self.outcomes.last(), Some(Outcome::Failed(_)))
    }

    /// Something that it asked for is not looked at in a plan.
    pub(crate) fn has_untried(&self) -> bool {
        let is_untried = |error: &HostError| error.kind == HostErrorKind::Untried;
        self.findings.iter().any(|finding| matches!(finding, Finding::Failed(error) if is_untried(error)))
            || self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Failed(error) if is_untried(error)))
    }

    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The host was asked something, or changed.
    pub(crate) fn asked_host(&self) -> bool {
        !self.asked.is_empty() || !self.outcomes.is_empty()
    }

    /// A command may not be run twice where one run was asked for.
    pub(crate) fn is_repeatable(&self) -> bool {
        !self.asked.is_empty() && !self.did_once
    }

    /// The host refused the last thing that it was asked. That stands until the world changes: another attempt would
    /// meet the same rule.
    pub(crate) fn is_refused(&self) -> bool {
        self.is_refused
    }

    /// Something changed in an earlier look of this check.
    pub(crate) fn changed_before(&self) -> bool {
        self.earlier.as_ref().is_some_and(|earlier| earlier.changed)
    }

    /// The earlier failure, where all that is seen is what was seen before it, with nothing changed since.
    pub(crate) fn failure_seen_again(&self) -> Option<&str> {
        let earlier = self.earlier.as_ref()?;
        (self.outcomes.is_empty() && earlier.findings == self.findings).then_some(&earlier.error)
    }

    /// Forgets what it saw and did, to look anew after this error; `Err` is the error where it stands.
    pub(crate) fn begin_again(&mut self, error: String) -> Result<(), String> {
        let n_looks = self.earlier.as_ref().map_or(0, |earlier| earlier.n_looks) + 1;
        let may_look = n_looks <= MOST_LOOKS && self.cancelled.is_none() && self.is_repeatable() && !self.is_refused;
        if !may_look || self.failure_seen_again().is_some() {
            return Err(error);
        }
        let changed = self.changed_before() || self.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Done));
        let findings = std::mem::take(&mut self.findings);
        self.earlier = Some(Earlier { findings, error, n_looks, changed });
        self.asked.clear();
        self.outcomes.clear();
        Ok(())
    }
}

fn unanswered() -> HostError {
    HostError::new(HostErrorKind::Other, "no answer from the host")
}
