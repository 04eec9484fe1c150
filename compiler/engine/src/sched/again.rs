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
//! One that was given up is looked at again by the clock, too, less and less often: no event tells that a full disk
//! has room again, that a file system became writable, or that an attribute was taken away. It is one look each
//! time, whatever attempts there were, and no look of a command, which may not be run more often than was asked for.
//! It is told once something comes of it: one that fails as it did before has no news.
//!
//! What the host refuses is neither: the same rule would refuse it again, so the first refusal stands.

use super::Scheduler;
use super::state::{Run, Slot, Timer};
use crate::protocol::{Cause, Phase};

/// The moments before a failure counts, in milliseconds.
const MOMENTS: [u64; 3] = [10, 50, 250];

/// How long one that has failed waits for its first further look; the wait doubles from look to look. Milliseconds.
const FIRST_RECHECK: u64 = 2_000;
/// The longest of these waits.
const LONGEST_RECHECK: u64 = 300_000;

impl Scheduler {
    /// Begins the check anew; `Err` is the error that stands.
    pub(super) fn look_again(&mut self, slot: Slot, error: String) -> Result<(), String> {
        // What stands as failed over this was looked at twice.
        if self.conditions.fails_as_before(slot, &error) {
            return Err(error);
        }
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
        self.report_phase(slot, Phase::Retrying, || format!("{error}; checking again in {moment} ms"));
        true
    }

    /// A resource was given up over what may be over without an event.
    pub(super) fn recheck_later(&mut self, slot: Slot) {
        // A run that ends by itself has its answer, and one that is polled looks anyway.
        if self.options.once || self.graph.resource(slot).meta.poll > 0 {
            return;
        }
        let doublings = self.conditions.n_rechecks(slot).min(16);
        let key = self.clock.arm_in((FIRST_RECHECK << doublings).min(LONGEST_RECHECK), Timer::Recheck(slot));
        self.clock.cancel(self.conditions.wait_for_recheck(slot, key));
    }

    /// The time has come to look at one that has failed.
    pub(super) fn recheck(&mut self, slot: Slot) {
        if self.watches.is_started(slot) && self.conditions.begin_recheck(slot) {
            self.causes.add(slot, Cause::Timer { reason: "checking again after the failure".to_string() });
            self.queue.want(slot);
            self.queue.enqueue(slot);
        }
    }
}
