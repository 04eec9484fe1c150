//! A check that failed because the world changed while it ran is no failure: it looks again.
//!
//! Between a look and the change that follows from it somebody may have removed the file or put a
//! directory in its place. So a failed check of what is only looked at is repeated from its first look
//! on, and fails only where the same is seen again. It costs one look per failure, no attempt and no
//! event: a resource without `retry` is not given up over a race. Engine spec, 8.
//!
//! What is seen twice may still be the middle of somebody's work: a directory that was removed and whose
//! own resource has not heard of it yet. So before such a resource is given up it is looked at again after
//! a moment, and after a longer one.

use super::timers::Timer;
use super::vertex::{Earlier, Run};
use super::{Busy, Scheduler, Slot};
use crate::protocol::Phase;
use crate::vocab::Outcome;

/// A world that is never quiet fails in the end.
const MOST_LOOKS: usize = 10;
/// The moments before a failure counts, in milliseconds.
const MOMENTS: [u64; 3] = [10, 50, 250];

impl Scheduler {
    /// Begins the check anew; `Err` is the error that stands.
    pub(super) fn look_again(&mut self, slot: Slot, error: String) -> Result<(), String> {
        let run = self.run_mut(slot);
        let n_looks = run.earlier.as_ref().map_or(0, |earlier| earlier.n_looks) + 1;
        if n_looks > MOST_LOOKS || run.cancelled.is_some() || !run.is_repeatable() || run.saw_the_same() {
            return Err(error);
        }
        let changed = run.earlier.as_ref().is_some_and(|earlier| earlier.changed)
            || run.outcomes.iter().any(|outcome| matches!(outcome, Outcome::Done));
        let findings = std::mem::take(&mut run.findings);
        run.earlier = Some(Earlier { findings, error, n_looks, changed });
        run.asked.clear();
        run.outcomes.clear();
        let resource = self.resource(slot).clone();
        self.look(slot, resource.kind.probes(&resource.want()));
        Ok(())
    }

    /// A resource is about to be given up. Is it looked at once more?
    pub(super) fn confirm(&mut self, slot: Slot, error: &str, run: Option<&Run>) -> bool {
        if !run.is_some_and(|run| run.cancelled.is_none() && run.is_repeatable()) {
            return false;
        }
        let Some(&moment) = MOMENTS.get(self.vertex(slot).n_confirmed) else { return false };
        let key = self.timers.arm(self.now.plus_ms(moment), Timer::Retry(slot));
        let vertex = self.vertex_mut(slot);
        vertex.n_confirmed += 1;
        vertex.busy = Busy::RetryWait(key);
        let text = format!("{error}; looking again in {moment} ms");
        self.report_phase(slot, Phase::Retrying, || text);
        true
    }
}

impl Run {
    /// A command may not be run twice where one run was asked for.
    fn is_repeatable(&self) -> bool {
        !self.asked.is_empty() && !self.did_once
    }

    /// Is all that is seen what was seen before the earlier failure, with nothing changed since?
    pub(super) fn saw_the_same(&self) -> bool {
        self.outcomes.is_empty() && self.earlier.as_ref().is_some_and(|earlier| earlier.findings == self.findings)
    }
}
