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
//!
//! What the host refuses is neither: the same rule would refuse it again, so the first refusal stands.

use super::Scheduler;
use super::state::{Run, Slot, Timer};
use crate::protocol::Phase;

/// The moments before a failure counts, in milliseconds.
const MOMENTS: [u64; 3] = [10, 50, 250];

impl Scheduler {
    /// Begins the check anew; `Err` is the error that stands.
    pub(super) fn look_again(&mut self, slot: Slot, error: String) -> Result<(), String> {
        self.queue.run_mut(slot).begin_again(error)?;
        let resource = self.graph.resource(slot).clone();
        self.look(slot, resource.kind.probes(&resource.want()));
        Ok(())
    }

    /// A resource is about to be given up. `true`: it is looked at once more.
    pub(super) fn confirm(&mut self, slot: Slot, error: &str, run: Option<&Run>) -> bool {
        if !run.is_some_and(|run| run.cancelled().is_none() && run.is_repeatable() && !run.is_refused()) {
            return false;
        }
        let Some(&moment) = MOMENTS.get(self.conditions.n_confirmed(slot)) else { return false };
        self.conditions.confirm(slot);
        self.queue.wait_for_retry(slot, self.clock.arm_in(moment, Timer::Retry(slot)));
        self.report_phase(slot, Phase::Retrying, || format!("{error}; looking again in {moment} ms"));
        true
    }
}
