//! [`Conditions`]: the state of each resource, and its remaining attempts. Engine spec, 8.

use super::{Slot, Table, TimerKey};
use crate::protocol::ResourceId;
use rustc_hash::FxHashMap;

/// Why a vertex has to wait, as reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// Another one goes first.
    For(Slot),
    /// Another one that should go first has failed.
    Behind(Slot),
}

impl Wait {
    pub(crate) fn slot(self) -> Slot {
        match self {
            Wait::For(slot) | Wait::Behind(slot) => slot,
        }
    }
}

#[derive(Clone, Default)]
struct Condition {
    /// The last check succeeded and nothing has happened since.
    clean: bool,
    /// Why it was given up.
    failed: Option<String>,
    /// It was given up, and an event triggered another look.
    looks_again: bool,
    /// It is looked at again without an event.
    is_recheck: bool,
    /// When it will be.
    recheck: Option<TimerKey>,
    /// The number of such looks since it was last up to date.
    n_rechecks: u32,
    /// Its records are read and written, so it may be changed.
    is_prepared: bool,
    /// How often its last failure was confirmed by another look.
    n_confirmed: usize,
    /// The error of a failed step, and the one of the look after it.
    failed_step: Option<(String, String)>,
    /// A plan cannot predict all its effects.
    is_unsure: bool,
    /// If it fails, each switch restarts it.
    rewatch: bool,
    wait: Option<Wait>,
}

#[derive(Clone, Default)]
pub(crate) struct Conditions {
    of: Table<Condition>,
    n_failed: usize,
    /// How many failed ones each switch restarts.
    n_rewatch: usize,
    /// Remaining attempts, by id, of resources that had to be retried; negative: unlimited.
    left: FxHashMap<ResourceId, i16>,
}

impl Conditions {
    pub(crate) fn join(&mut self, slot: Slot, rewatch: bool) {
        self.of.put(slot, Condition { rewatch, ..Condition::default() });
    }

    /// Returns the timer of its next look, if it had failed.
    pub(crate) fn leave(&mut self, slot: Slot) -> Option<TimerKey> {
        let condition = std::mem::take(&mut self.of[slot]);
        if condition.failed.is_some() {
            self.n_failed -= 1;
            self.n_rewatch -= usize::from(condition.rewatch);
        }
        condition.recheck
    }

    pub(crate) fn is_clean(&self, slot: Slot) -> bool {
        self.of[slot].clean
    }

    pub(crate) fn set_clean(&mut self, slot: Slot, clean: bool) {
        self.of[slot].clean = clean;
    }

    pub(crate) fn wait(&self, slot: Slot) -> Option<Wait> {
        self.of[slot].wait
    }

    /// It waits. `true`: for another reason than before.
    pub(crate) fn begin_wait(&mut self, slot: Slot, wait: Wait) -> bool {
        self.of[slot].wait.replace(wait) != Some(wait)
    }

    /// It runs. `true`: it was reported as waiting.
    pub(crate) fn end_wait(&mut self, slot: Slot) -> bool {
        self.of[slot].wait.take().is_some()
    }

    pub(crate) fn is_prepared(&self, slot: Slot) -> bool {
        self.of[slot].is_prepared
    }

    pub(crate) fn set_prepared(&mut self, slot: Slot) {
        self.of[slot].is_prepared = true;
    }

    pub(crate) fn is_unsure(&self, slot: Slot) -> bool {
        self.of[slot].is_unsure
    }

    pub(crate) fn set_unsure(&mut self, slot: Slot, is_unsure: bool) {
        self.of[slot].is_unsure = is_unsure;
    }

    /// Whether it counts as failed, even while it is being looked at again.
    pub(crate) fn has_failed(&self, slot: Slot) -> bool {
        self.of[slot].failed.is_some()
    }

    /// Whether it has failed, and no event has triggered another look.
    pub(crate) fn is_given_up(&self, slot: Slot) -> bool {
        self.has_failed(slot) && !self.of[slot].looks_again
    }

    /// Records an event, which triggers another check if the resource has failed.
    pub(crate) fn hear_news(&mut self, slot: Slot) {
        let condition = &mut self.of[slot];
        let looks_already = condition.looks_again && !condition.is_recheck;
        if condition.failed.is_some() && !looks_already {
            (condition.looks_again, condition.is_recheck) = (true, false);
            condition.n_confirmed = 0;
        }
    }

    /// Marks the resource as failed. Returns whether it was not marked before.
    pub(crate) fn fail(&mut self, slot: Slot, why: String) -> bool {
        let condition = &mut self.of[slot];
        (condition.looks_again, condition.is_recheck) = (false, false);
        let is_new = condition.failed.replace(why).is_none();
        if is_new {
            self.n_failed += 1;
            self.n_rewatch += usize::from(condition.rewatch);
        }
        is_new
    }

    /// Records that it was checked again and is up to date. `true`: it had failed before.
    pub(crate) fn recover(&mut self, slot: Slot) -> bool {
        let condition = &mut self.of[slot];
        condition.is_recheck = false;
        let recovers = std::mem::take(&mut condition.looks_again) && condition.failed.take().is_some();
        if recovers {
            self.n_failed -= 1;
            self.n_rewatch -= usize::from(condition.rewatch);
        }
        recovers
    }

    /// It has failed, and waits for its next look. Returns the previous timer.
    pub(crate) fn wait_for_recheck(&mut self, slot: Slot, timer: TimerKey) -> Option<TimerKey> {
        self.of[slot].recheck.replace(timer)
    }

    /// The number of looks without an event since it was last up to date.
    pub(crate) fn n_rechecks(&self, slot: Slot) -> u32 {
        self.of[slot].n_rechecks
    }

    /// Begins another check of a failed resource, which is due. `false`: a check is running, or it is up to date.
    pub(crate) fn begin_recheck(&mut self, slot: Slot) -> bool {
        let condition = &mut self.of[slot];
        condition.recheck = None;
        let begins = condition.failed.is_some() && !std::mem::replace(&mut condition.looks_again, true);
        condition.is_recheck |= begins;
        condition.n_rechecks += u32::from(begins);
        begins
    }

    /// Whether it has failed and is looked at again without an event; reported only if something changes.
    pub(crate) fn is_recheck(&self, slot: Slot) -> bool {
        self.of[slot].is_recheck
    }

    /// Whether it was checked again without an event, and fails with the same error.
    pub(crate) fn fails_as_before(&self, slot: Slot, why: &str) -> bool {
        let condition = &self.of[slot];
        condition.is_recheck && condition.failed.as_deref() == Some(why)
    }

    /// Returns the timer of its next look, which is no longer needed.
    pub(crate) fn end_rechecks(&mut self, slot: Slot) -> Option<TimerKey> {
        let condition = &mut self.of[slot];
        condition.n_rechecks = 0;
        condition.recheck.take()
    }

    pub(crate) fn n_failed(&self) -> usize {
        self.n_failed
    }

    pub(crate) fn n_rewatch(&self) -> usize {
        self.n_rewatch
    }

    /// How often its last failure was confirmed by another look.
    pub(crate) fn n_confirmed(&self, slot: Slot) -> usize {
        self.of[slot].n_confirmed
    }

    pub(crate) fn confirm(&mut self, slot: Slot) {
        self.of[slot].n_confirmed += 1;
    }

    /// The text that reports an error. `failed_step`: the error of a step, if this one is of a look after it. Later
    /// checks that fail at the same look do not try the step again, so they report its error too.
    pub(crate) fn explain(&mut self, slot: Slot, failed_step: Option<&str>, error: &str) -> String {
        let before = self.of[slot].failed_step.take().filter(|(_, after)| after == error).map(|(step, _)| step);
        let Some(step) = failed_step.map(str::to_owned).or(before) else { return error.to_owned() };
        let text = match (step.contains(error), error.contains(&step)) {
            (true, _) => step.clone(),
            (false, true) => error.to_owned(),
            (false, false) => format!("{step}; then: {error}"),
        };
        self.of[slot].failed_step = Some((step, error.to_owned()));
        text
    }

    /// It is up to date.
    pub(crate) fn forget_failure(&mut self, slot: Slot) {
        (self.of[slot].n_confirmed, self.of[slot].failed_step) = (0, None);
    }

    /// The remaining attempts out of `of`.
    pub(crate) fn attempts_left(&self, id: &ResourceId, of: i16) -> i16 {
        self.left.get(id).copied().unwrap_or(of)
    }

    pub(crate) fn set_attempts_left(&mut self, id: ResourceId, left: i16) {
        self.left.insert(id, left);
    }

    pub(crate) fn restore_attempts(&mut self, id: &ResourceId) {
        self.left.remove(id);
    }

    pub(crate) fn any_attempt_spent(&self) -> bool {
        !self.left.is_empty()
    }

    /// Restores the attempts of those for which `restores` holds.
    pub(crate) fn restore_attempts_where(&mut self, restores: impl Fn(&ResourceId) -> bool) {
        self.left.retain(|id, _| !restores(id));
    }

    pub(crate) fn any_attempt_spent_where(&self, is: impl Fn(&ResourceId) -> bool) -> bool {
        self.left.keys().any(is)
    }

    #[cfg(test)]
    pub(crate) fn failure(&self, slot: Slot) -> Option<&str> {
        self.of[slot].failed.as_deref()
    }

    #[cfg(test)]
    pub(crate) fn looks_again(&self, slot: Slot) -> bool {
        self.of[slot].looks_again
    }
}
