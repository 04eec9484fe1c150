//! [`Conditions`]: how each resource stands, and what attempts it has left. Engine spec, 8.

use super::{Slot, Table, TimerKey};
use crate::protocol::ResourceId;
use rustc_hash::FxHashMap;

/// Why a vertex has no turn yet, as far as it was told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wait {
    /// Another one goes first.
    For(Slot),
    /// Another one would go first, and has failed.
    Behind(Slot),
}

impl Wait {
    pub(crate) fn slot(self) -> Slot {
        match self {
            Wait::For(slot) | Wait::Behind(slot) => slot,
        }
    }
}

#[derive(Default)]
struct Condition {
    /// The last check succeeded and nothing has happened since.
    clean: bool,
    /// Why it was given up.
    failed: Option<String>,
    /// It was given up, and something happened to what it watches: it is looked at again.
    looks_again: bool,
    /// It is looked at again though nothing has happened.
    is_recheck: bool,
    /// When it will be.
    recheck: Option<TimerKey>,
    /// How often it was, since it was last up to date.
    n_rechecks: u32,
    /// Its records are read and written, so that it may be changed.
    is_prepared: bool,
    /// How often its last failure was confirmed by another look.
    n_confirmed: usize,
    /// A plan cannot tell all that would come of it.
    is_unsure: bool,
    /// Should it fail, each switch begins it anew.
    rewatch: bool,
    wait: Option<Wait>,
}

#[derive(Default)]
pub(crate) struct Conditions {
    of: Table<Condition>,
    n_failed: usize,
    /// Those among them that each switch begins anew.
    n_rewatch: usize,
    /// Attempts left, by identity, of those that had to be tried again; negative: for ever.
    left: FxHashMap<ResourceId, i16>,
}

impl Conditions {
    pub(crate) fn join(&mut self, slot: Slot, rewatch: bool) {
        self.of.put(slot, Condition { rewatch, ..Condition::default() });
    }

    /// The answer is the timer that waits for its next look, should it have failed.
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

    /// It has its turn. `true`: it was told to wait.
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

    /// It stands as failed; perhaps it is being looked at again.
    pub(crate) fn has_failed(&self, slot: Slot) -> bool {
        self.of[slot].failed.is_some()
    }

    /// It has failed, and nothing has happened since that would make it look again.
    pub(crate) fn is_given_up(&self, slot: Slot) -> bool {
        self.has_failed(slot) && !self.of[slot].looks_again
    }

    /// Something happened that is a reason to look again, should it be given up.
    pub(crate) fn hear_news(&mut self, slot: Slot) {
        let condition = &mut self.of[slot];
        let looks_already = condition.looks_again && !condition.is_recheck;
        if condition.failed.is_some() && !looks_already {
            (condition.looks_again, condition.is_recheck) = (true, false);
            condition.n_confirmed = 0;
        }
    }

    /// It is given up. `true`: it was not before.
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

    /// It was looked at again, and is up to date. `true`: it was given up before.
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

    /// It has failed, and waits for its next look. The answer is the timer that did so before.
    pub(crate) fn wait_for_recheck(&mut self, slot: Slot, timer: TimerKey) -> Option<TimerKey> {
        self.of[slot].recheck.replace(timer)
    }

    /// How often it was looked at, since it was last up to date, though nothing had happened.
    pub(crate) fn n_rechecks(&self, slot: Slot) -> u32 {
        self.of[slot].n_rechecks
    }

    /// The time has come to look at one that has failed. `false`: that is being done, or it is up to date by now.
    pub(crate) fn begin_recheck(&mut self, slot: Slot) -> bool {
        let condition = &mut self.of[slot];
        condition.recheck = None;
        let begins = condition.failed.is_some() && !std::mem::replace(&mut condition.looks_again, true);
        condition.is_recheck |= begins;
        condition.n_rechecks += u32::from(begins);
        begins
    }

    /// It has failed and is looked at again though nothing has happened, which is told if something comes of it.
    pub(crate) fn is_recheck(&self, slot: Slot) -> bool {
        self.of[slot].is_recheck
    }

    /// It was looked at again though nothing has happened, and fails as it did.
    pub(crate) fn fails_as_before(&self, slot: Slot, why: &str) -> bool {
        let condition = &self.of[slot];
        condition.is_recheck && condition.failed.as_deref() == Some(why)
    }

    /// The timer that waits for its next look is not needed any more.
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

    pub(crate) fn forget_confirmed(&mut self, slot: Slot) {
        self.of[slot].n_confirmed = 0;
    }

    /// The attempts that are left of so many.
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

    /// Gives back what was spent by those for whom `restores` holds.
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
