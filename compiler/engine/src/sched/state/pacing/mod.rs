//! [`Pacing`]: when a resource may be looked at, as far as rates and rests go, and what the program itself made
//! lately. Engine spec, 7.2.

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

#[derive(Default)]
struct Tempo {
    bucket: Option<Bucket>,
    /// No step before this; `None`: never again.
    limit_until: Option<Moment>,
    /// How often events made it be looked at, since it was last quiet.
    pace: Option<Box<Pace>>,
    /// Another one waits for it, so it does not rest before its next look.
    is_hurried: bool,
    /// The changes that led to it as it is, until they are too long ago.
    after: Option<(Lineage, Moment)>,
    /// When its last command ended, and whether the next look follows from what that command did.
    ran_at: Option<Moment>,
    is_echo: bool,
}

/// Who is put in force after changes of the program itself, and rests, writes within this. Milliseconds.
const FOLLOWS: u64 = LONGEST_REST + 2_000;
/// What a command did is heard of within this after its end. Milliseconds.
const ECHO: u64 = 200;

#[derive(Default)]
pub(crate) struct Pacing {
    of: Table<Tempo>,
    /// Those that were repaired several times, not long ago.
    restless: BTreeSet<Slot>,
    own: OwnPaths,
}

impl Pacing {
    /// `limit` and `burst` are the meta parameters.
    pub(crate) fn join(&mut self, slot: Slot, limit: f64, burst: i64, now: Moment) {
        let bucket = Bucket::new(limit, burst, now);
        self.of.put(slot, Tempo { bucket, limit_until: Some(now), ..Tempo::default() });
    }

    /// Events take their tokens. Reservations that are taken while it waits only use up the bucket.
    pub(crate) fn reserve(&mut self, slot: Slot, n_events: u32, now: Moment, is_idle: bool) {
        let tempo = &mut self.of[slot];
        let due = tempo.bucket.as_mut().map(|bucket| bucket.reserve(n_events, now));
        if let (Some(due), true) = (due, is_idle) {
            tempo.limit_until = due;
        }
    }

    /// No step before this; `None`: never again.
    pub(crate) fn limited_until(&self, slot: Slot) -> Option<Moment> {
        self.of[slot].limit_until
    }

    /// Its limit lets it go on from now on.
    pub(crate) fn lift_limit(&mut self, slot: Slot, now: Moment) {
        self.of[slot].limit_until = Some(now);
    }

    /// When it has rested, unless it need not.
    pub(crate) fn rests_until(&self, slot: Slot, now: Moment) -> Option<Moment> {
        let tempo = &self.of[slot];
        let until = tempo.pace.as_ref()?.rests_until()?;
        (until > now && !tempo.is_hurried).then_some(until)
    }

    /// Another one waits for it, or (`false`) no more.
    pub(crate) fn set_hurried(&mut self, slot: Slot, is_hurried: bool) {
        self.of[slot].is_hurried = is_hurried;
    }

    pub(crate) fn pace(&self, slot: Slot) -> Option<&Pace> {
        self.of[slot].pace.as_deref()
    }

    pub(crate) fn pace_mut(&mut self, slot: Slot) -> Option<&mut Pace> {
        self.of[slot].pace.as_deref_mut()
    }

    /// An event led to a look. `true`: it became restless by that.
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

    /// What it takes with it when another one comes in its place: how often it was looked at.
    pub(crate) fn take(&mut self, slot: Slot) -> Box<Pace> {
        self.restless.remove(&slot);
        self.of[slot].pace.take().unwrap_or_default()
    }

    pub(crate) fn put(&mut self, slot: Slot, pace: Box<Pace>) {
        self.of[slot].pace = Some(pace);
    }

    /// Changes of the program itself led to it as it is now.
    pub(crate) fn follows(&mut self, slot: Slot, now: Moment, lineage: Lineage) {
        self.of[slot].after = Some((lineage, now.plus_ms(FOLLOWS)));
    }

    /// Forgets how often it was looked at; the answer is the timer that waits for it to be quiet.
    pub(crate) fn forget(&mut self, slot: Slot) -> Option<TimerKey> {
        self.restless.remove(&slot);
        self.of[slot].pace.take().and_then(|pace| pace.quiet_timer())
    }

    /// Others that were repaired several times, not long ago.
    pub(crate) fn other_restless(&mut self, slot: Slot, now: Moment) -> Vec<Slot> {
        let of = &self.of;
        self.restless.retain(|slot| of[*slot].pace.as_ref().is_some_and(|pace| pace.is_fought_over(now)));
        self.restless.iter().copied().filter(|other| *other != slot).collect()
    }

    /// Steps of a vertex are about to be carried out.
    pub(crate) fn make(&mut self, now: Moment, slot: Slot, id: &ResourceId, steps: &[Step]) {
        let after = self.of[slot].after.as_ref().filter(|(_, until)| *until >= now).map(|(lineage, _)| lineage);
        self.own.make(now, slot, id, after, steps);
    }

    /// This, or a directory that it is in, was made just now by another vertex than this one.
    pub(crate) fn made(&self, now: Moment, slot: Slot, path: &str) -> bool {
        self.own.made(now, slot, path)
    }

    /// The changes that led to what a fact with this name is about, when it was made just now.
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

    /// Whether the look that ended followed from what the last command did.
    pub(crate) fn take_echo(&mut self, slot: Slot) -> bool {
        std::mem::take(&mut self.of[slot].is_echo)
    }

    #[cfg(test)]
    pub(crate) fn is_all_quiet(&self) -> bool {
        self.restless.is_empty()
    }
}
