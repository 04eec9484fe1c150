//! Reports for users: what happened to which resource, and why. Nothing depends on them.

use super::state::{Run, Slot, Why};
use super::story::Deed;
use super::{Scheduler, story};
use crate::kinds::secrets;
use crate::protocol::{Phase, StepReport, What};
use crate::rgraph::Resource;
use crate::vocab::{Findings, Step};

/// Longer contents are not compared line by line.
const LONGEST_DIFF: usize = 64 << 10;

impl Scheduler {
    pub(super) fn report(&mut self, what: What, why: Option<&Why>) {
        self.outbox.report(self.clock.now(), what, why);
    }

    pub(super) fn report_log(&mut self, text: String) {
        self.report(What::Log { text }, None);
    }

    pub(super) fn report_phase(&mut self, slot: Slot, phase: Phase, text: String) {
        let (id, dry) = (self.graph.id(slot).clone(), self.is_dry(slot));
        let text = secrets::without(text, &self.secrets(slot));
        let text = self.conceal(text);
        self.report_of(slot, What::Resource { id, phase, text, dry });
    }

    /// Reports about a resource. Looks by the clock are reported only if something changes.
    fn report_of(&mut self, slot: Slot, what: What) {
        let (what, why) = match self.queue.running(slot).is_some() {
            true => {
                let run = self.queue.run_mut(slot);
                let Some(what) = run.hold_back(what) else { return };
                (what, run.why())
            }
            false if self.conditions.is_recheck(slot) => return,
            false => (what, self.causes.of(slot)),
        };
        self.outbox.report(self.clock.now(), what, why);
    }

    /// A check had an effect: releases its withheld reports.
    pub(super) fn tell_held_back(&mut self, run: &mut Run) {
        for what in run.take_held_back() {
            self.outbox.report(self.clock.now(), what, run.why());
        }
    }

    pub(super) fn report_ended(&mut self, slot: Slot, phase: Phase, run: &Run) {
        let (id, dry) = (self.graph.id(slot).clone(), self.is_dry(slot));
        let text = match phase {
            Phase::Changed | Phase::WouldChange => {
                let text = secrets::without(story::told(run), &self.secrets(slot));
                self.conceal(text)
            }
            _ => String::new(),
        };
        let what = What::Resource { id, phase, text, dry };
        self.report(what, run.why());
    }

    pub(super) fn report_steps(&mut self, slot: Slot, steps: &[Step]) {
        let secrets = self.secrets(slot);
        let is_open = secrets.is_empty() && !self.holds_secret_of_other(slot);
        let words: Vec<String> =
            steps.iter().map(|step| self.conceal(secrets::without(step.to_string(), &secrets))).collect();
        if let (Some(pace), Some(step)) = (self.pacing.pace_mut(slot), words.first()) {
            pace.set_step(step.clone());
        }
        let run = self.queue.run(slot);
        // If it holds a secret no content is shown: the old one may be an older secret.
        let findings = is_open.then(|| Findings::of(run.answers()));
        let report = |(step, summary): (&Step, String)| {
            let changes = findings.as_ref().map(|findings| step.values(findings)).unwrap_or_default();
            let diff = findings.as_ref().and_then(|_| diff(run, step, |old| self.tells_secret(old)));
            StepReport { summary, diff, changes }
        };
        let steps: Vec<StepReport> = steps.iter().zip(words).map(report).collect();
        let deed = match Deed::of(&steps) {
            // Files that are removed from a directory change it.
            Some(Deed::Removed) if !is_to_be_absent(self.graph.resource(slot)) => Some(Deed::Updated),
            deed => deed,
        };
        self.report_of(slot, What::Steps { id: self.graph.id(slot).clone(), steps });
        self.queue.run_mut(slot).note(deed);
    }
}

/// Whether a resource declares that something must not exist.
fn is_to_be_absent(resource: &Resource) -> bool {
    let state = resource.kind.decl().fields.iter().position(|field| field.name == "state");
    let state = state.and_then(|index| resource.params.get(index)?.as_text());
    state.is_some_and(|state| state == "absent")
}

/// `retrying CheckApply after 0.2 seconds (1 left)`.
pub(super) fn retrying(what: &str, delay_ms: u64, left: i16) -> String {
    let seconds = delay_ms as f64 / 1000.0;
    if left < 0 {
        format!("retrying {what} after {seconds:.4} seconds")
    } else {
        format!("retrying {what} after {seconds:.4} seconds ({left} left)")
    }
}

/// The diff of a written file, if both contents are known, short and text, and the old one is not a secret: a program
/// may have put it there that does not any more.
fn diff(run: &Run, step: &Step, is_secret: impl Fn(&str) -> bool) -> Option<String> {
    let path = step.rewrites()?;
    let mut shown = run.answers().filter_map(|(probe, finding)| probe.shows(finding));
    let (_, old) = shown.find(|(seen, _)| *seen == path)?;
    let new = step.rewritten(old)?;
    if old.len().max(new.len()) > LONGEST_DIFF {
        return None;
    }
    let (old, new) = (std::str::from_utf8(old).ok()?, std::str::from_utf8(&new).ok()?);
    if is_secret(old) { None } else { super::diff::unified(path, old, new) }
}
