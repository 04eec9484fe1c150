//! Reports for people: what happened to which resource, and why. Nothing depends on them.

use super::cause::Why;
use super::vertex::Run;
use super::{Busy, Scheduler, Slot};
use crate::protocol::{Cause, Event, Output, Phase, StepReport, What};
use crate::vocab::Step;

/// Contents longer than this are not compared line by line.
const LONGEST_DIFF: usize = 64 << 10;

impl Scheduler {
    pub(super) fn report(&mut self, what: What, why: Option<&Why>) {
        let event = Event { at: self.now, what, because: Why::list(why) };
        self.outputs.push_back(Output::Report(event));
    }

    pub(super) fn report_log(&mut self, text: String) {
        self.report(What::Log { text }, None);
    }

    pub(super) fn report_phase(&mut self, slot: Slot, phase: Phase, text: impl FnOnce() -> String) {
        let vertex = self.vertex(slot);
        let why = match &vertex.busy {
            Busy::Running(run) => run.why.clone(),
            _ => vertex.why.clone(),
        };
        let what = What::Resource { id: vertex.resource.id.clone(), phase, text: text(), dry: vertex.noop };
        self.report(what, why.as_ref());
    }

    pub(super) fn report_ended(&mut self, slot: Slot, phase: Phase, run: &Run) {
        let vertex = self.vertex(slot);
        let (id, dry) = (vertex.resource.id.clone(), vertex.noop);
        let what = What::Resource { id, phase, text: String::new(), dry };
        self.report(what, run.why.as_ref());
    }

    pub(super) fn report_steps(&mut self, slot: Slot, steps: &[Step]) {
        let vertex = self.vertex_mut(slot);
        if let (Some(pace), Some(step)) = (&mut vertex.pace, steps.first()) {
            pace.step = step.to_string();
        }
        let vertex = self.vertex(slot);
        let Busy::Running(run) = &vertex.busy else { return };
        let why = run.why.clone();
        let steps = steps.iter().map(|step| StepReport { summary: step.to_string(), diff: diff(run, step) });
        let what = What::Steps { id: vertex.resource.id.clone(), steps: steps.collect() };
        self.report(what, why.as_ref());
    }

    /// One more link in the chain that leads to the next check; the first that came is kept.
    pub(super) fn add_cause(&mut self, slot: Slot, cause: Cause) {
        let vertex = self.vertex_mut(slot);
        vertex.why = Some(match &vertex.why {
            None => Why::new(cause),
            Some(why) if matches!(cause, Cause::Received { .. }) => why.then(cause),
            Some(why) => why.clone(),
        });
    }
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

/// What a written file will differ in, when both contents are known, short and text.
fn diff(run: &Run, step: &Step) -> Option<String> {
    let path = step.rewrites()?;
    let shown = run.asked.iter().zip(&run.findings).rev().filter_map(|(probe, finding)| probe.shows(finding));
    let (_, old) = shown.into_iter().find(|(seen, _)| *seen == path)?;
    let new = step.rewritten(old)?;
    if old.len().max(new.len()) > LONGEST_DIFF {
        return None;
    }
    super::diff::unified(path, std::str::from_utf8(old).ok()?, std::str::from_utf8(&new).ok()?)
}
