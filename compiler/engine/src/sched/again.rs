//! A check that failed because the world changed while it ran is repeated before it counts.
//!
//! Between a probe and the step that follows, a file may be removed or replaced by a directory. So a failed check is
//! repeated from its first probe, and fails only if the probes find the same again. This costs probes, but no attempt
//! and no event: a resource without `retry` is not given up because of a race. Engine spec, 8.
//!
//! After a step that failed, the probes may find another error, of which the step is the cause. Then both are reported,
//! also by later checks, which do not get as far as the step.
//!
//! The same state seen twice may still be transient, such as a directory that was removed and that its own resource has
//! not restored yet. So before such a resource is given up, it is checked again after a short delay, and then after a
//! longer one.
//!
//! A resource that was given up is still checked again at growing intervals: no event reports that a full disk has
//! space again, that a file system has become writable, or that an attribute was removed. Each time this is a single
//! check, regardless of the remaining attempts, and never one that runs a command, since a command must not run more
//! often than the program asks for. It is reported only if the outcome changes.
//!
//! Refusals by the host are not repeated: the same rule would refuse again.

use super::Scheduler;
use super::state::{Run, Slot, Timer};
use crate::protocol::{Cause, Phase};

/// Delays before a failure counts, in milliseconds.
const MOMENTS: [u64; 3] = [10, 50, 250];

/// The delay before the first further look at a failed resource; it doubles each time. Milliseconds.
const FIRST_RECHECK: u64 = 2_000;
/// The longest such delay.
const LONGEST_RECHECK: u64 = 300_000;

impl Scheduler {
    /// Restarts the check; `Err` is the error that stands.
    pub(super) fn look_again(&mut self, slot: Slot, error: String) -> Result<(), String> {
        // A failure that already stands for this reason was looked at twice.
        if self.conditions.fails_as_before(slot, &error) {
            return Err(error);
        }
        self.queue.run_mut(slot).begin_again(error)?;
        let resource = self.graph.resource(slot).clone();
        self.look(slot, resource.kind.probes(&resource.want()));
        Ok(())
    }

    /// Called before a resource is reported as failed. `true`: it is checked once more.
    pub(super) fn confirm(&mut self, slot: Slot, error: &str, run: Option<&Run>) -> bool {
        if !run.is_some_and(|run| run.cancelled().is_none() && run.is_repeatable() && !run.is_refused()) {
            return false;
        }
        let Some(&moment) = MOMENTS.get(self.conditions.n_confirmed(slot)) else { return false };
        self.conditions.confirm(slot);
        self.queue.wait_for_retry(slot, self.clock.arm_in(moment, Timer::Retry(slot)));
        self.report_phase(slot, Phase::Retrying, format!("{error}; checking again in {moment} ms"));
        true
    }

    /// Called when a resource has failed for a reason that may go away without an event.
    pub(super) fn recheck_later(&mut self, slot: Slot) {
        // A run that ends by itself has its result, and a polled resource is looked at anyway.
        if self.options.once || self.graph.resource(slot).meta.poll > 0 {
            return;
        }
        let doublings = self.conditions.n_rechecks(slot).min(16);
        let key = self.clock.arm_in((FIRST_RECHECK << doublings).min(LONGEST_RECHECK), Timer::Recheck(slot));
        self.clock.cancel(self.conditions.wait_for_recheck(slot, key));
    }

    /// Checks a failed resource again when its recheck is due.
    pub(super) fn recheck(&mut self, slot: Slot) {
        if self.watches.is_started(slot) && self.conditions.begin_recheck(slot) {
            self.causes.add(slot, Cause::Timer { reason: "checking again after the failure".to_string() });
            self.queue.want(slot);
            self.queue.enqueue(slot);
        }
    }
}
