//! [`Pacing`]: when a resource may be checked, by rates and rests, and the program's own recent changes. Engine spec,
//! 7.2.

mod bucket;
mod own;
mod pace;

use super::{Slot, Table, TimerKey};
use crate::protocol::{Moment, ResourceId};
use crate::vocab::Step;
use bucket::Bucket;
pub(crate) use own::Lineage;
use own::OwnPaths;
pub(crate) use pace::{Found, LONGEST_REST, Pace, QUIET, SeenFile};
use std::collections::BTreeSet;

#[derive(Clone, Default)]
struct Tempo {
    bucket: Option<Bucket>,
    /// No step before this moment; `None`: never again.
    limit_until: Option<Moment>,
    /// How often events caused looks since it was last quiet.
    pace: Option<Box<Pace>>,
    /// Another resource waits for it, so it does not rest before its next look.
    is_hurried: bool,
    /// The changes that led to its current version, until they are too old.
    after: Option<(Lineage, Moment)>,
    /// When its last command ended, and whether the next look is a consequence of that command.
    ran_at: Option<Moment>,
    is_echo: bool,
}

/// How long after its creation by a change of the program itself a resource may write, including its rest.
/// Milliseconds.
const FOLLOWS: u64 = LONGEST_REST + 2_000;
/// How long after the end of a command its effects are still reported. Milliseconds.
const ECHO: u64 = 200;

#[derive(Clone, Default)]
pub(crate) struct Pacing {
    of: Table<Tempo>,
    /// Those that were repaired several times recently.
    restless: BTreeSet<Slot>,
    own: OwnPaths,
}

impl Pacing {
    /// `limit` and `burst` are the meta parameters.
    pub(crate) fn join(&mut self, slot: Slot, limit: f64, burst: i64, now: Moment) {
        let bucket = Bucket::new(limit, burst, now);
        self.of.put(slot, Tempo { bucket, limit_until: Some(now), ..Tempo::default() });
    }

    /// Events take their tokens. Reservations made while it waits only use up the bucket.
    pub(crate) fn reserve(&mut self, slot: Slot, n_events: u32, now: Moment, is_idle: bool) {
        let tempo = &mut self.of[slot];
        let due = tempo.bucket.as_mut().map(|bucket| bucket.reserve(n_events, now));
        if let (Some(due), true) = (due, is_idle) {
            tempo.limit_until = due;
        }
    }

    /// No step before this moment; `None`: never again.
    pub(crate) fn limited_until(&self, slot: Slot) -> Option<Moment> {
        self.of[slot].limit_until
    }

    /// The limit allows it to proceed from now on.
    pub(crate) fn lift_limit(&mut self, slot: Slot, now: Moment) {
        self.of[slot].limit_until = Some(now);
    }

    /// When its rest ends, unless it need not rest.
    pub(crate) fn rests_until(&self, slot: Slot, now: Moment) -> Option<Moment> {
        let tempo = &self.of[slot];
        let until = tempo.pace.as_ref()?.rests_until()?;
        (until > now && !tempo.is_hurried).then_some(until)
    }

    /// Another resource waits for it, or (`false`) no longer does.
    pub(crate) fn set_hurried(&mut self, slot: Slot, is_hurried: bool) {
        self.of[slot].is_hurried = is_hurried;
    }

    pub(crate) fn pace(&self, slot: Slot) -> Option<&Pace> {
        self.of[slot].pace.as_deref()
    }

    pub(crate) fn pace_mut(&mut self, slot: Slot) -> Option<&mut Pace> {
        self.of[slot].pace.as_deref_mut()
    }

    /// An event caused a look. `true`: it became restless.
    pub(crate) fn looked(
        &mut self,
        slot: Slot,
        now: Moment,
        found: Found,
        seen: impl Iterator<Item = SeenFile>,
    ) -> bool {
        let pace = self.of[slot].pace.get_or_insert_default();
        let begins = pace.looked(now, found);
        pace.saw(seen);
        if pace.is_fought_over(now) {
            self.restless.insert(slot);
        }
        begins
    }

    /// Its pace, for its replacement.
    pub(crate) fn take(&mut self, slot: Slot) -> Box<Pace> {
        self.restless.remove(&slot);
        self.of[slot].pace.take().unwrap_or_default()
    }

    pub(crate) fn put(&mut self, slot: Slot, pace: Box<Pace>) {
        self.of[slot].pace = Some(pace);
    }

    /// Records the changes of the program itself that led to its current version.
    pub(crate) fn follows(&mut self, slot: Slot, now: Moment, lineage: Lineage) {
        self.of[slot].after = Some((lineage, now.plus_ms(FOLLOWS)));
    }

    /// Resets its pace; returns the timer that waits for it to be quiet.
    pub(crate) fn forget(&mut self, slot: Slot) -> Option<TimerKey> {
        self.restless.remove(&slot);
        self.of[slot].pace.take().and_then(|pace| pace.quiet_timer())
    }

    /// Others that were repaired several times recently.
    pub(crate) fn other_restless(&mut self, slot: Slot, now: Moment) -> Vec<Slot> {
        let of = &self.of;
        self.restless.retain(|slot| of[*slot].pace.as_ref().is_some_and(|pace| pace.is_fought_over(now)));
        self.restless.iter().copied().filter(|other| *other != slot).collect()
    }

    /// Records steps of a vertex that are about to be carried out.
    pub(crate) fn make(&mut self, now: Moment, slot: Slot, id: &ResourceId, steps: &[Step]) {
        let after = self.of[slot].after.as_ref().filter(|(_, until)| *until >= now).map(|(lineage, _)| lineage);
        self.own.make(now, slot, id, after, steps);
    }

    /// Whether this path, or a directory that contains it, was changed just now by another vertex.
    pub(crate) fn made(&self, now: Moment, slot: Slot, path: &str) -> bool {
        self.own.made(now, slot, path)
    }

    /// The changes that led to what this fact is about, if it was made just now.
    pub(crate) fn lineage(&self, now: Moment, fact: &str) -> Option<&Lineage> {
        self.own.lineage(now, fact)
    }

    /// Its command ended.
    pub(crate) fn ran(&mut self, slot: Slot, now: Moment) {
        self.of[slot].ran_at = Some(now);
    }

    /// An event came, while its command runs or not.
    pub(crate) fn hear(&mut self, slot: Slot, now: Moment, runs: bool) {
        let tempo = &mut self.of[slot];
        tempo.is_echo |= runs || tempo.ran_at.is_some_and(|at| at.plus_ms(ECHO) >= now);
    }

    /// Whether the check that begins is a consequence of the last command. Events from now on count for the next one.
    pub(crate) fn take_echo(&mut self, slot: Slot) -> bool {
        std::mem::take(&mut self.of[slot].is_echo)
    }

    #[cfg(test)]
    pub(crate) fn is_all_quiet(&self) -> bool {
        self.restless.is_empty()
    }
}
