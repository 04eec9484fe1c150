//! [`Mends`]: what is to be written again, and when. A write that fails, or whose connection is lost, is kept, and one
//! that the store refuses does not delay the others.

use super::super::gateway::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::Instant;

/// How long after a change of an own export to look whether it is one that others have made, and until a value of an earlier
/// run is signed again.
const ALTERED: Duration = Duration::from_secs(1);
/// The pause after all exports of others in the name of this host were removed: another agent of this name would write them
/// again at once.
const ROUND: Duration = Duration::from_secs(1);
/// How long snapshots that follow one another can put off the look for exports of others.
const PUT_OFF: Duration = Duration::from_secs(300);
/// The pause after the store has refused a write, and until the next refusal is reported.
const REFUSED: Duration = Duration::from_secs(30);

/// What may be due. Each kind has its turn: anyone who causes one of them without end does not hold up the others.
const KINDS: [fn(&mut Mends, Instant) -> Option<Mend>; 5] =
    [Mends::due_key, Mends::due_foreign, Mends::due_altered, Mends::due_pool, Mends::due_look];

#[derive(Default)]
pub(in super::super) struct Mends {
    /// Keys of this host.
    pub(super) keys: BTreeSet<String>,
    /// Exports in the name of this host that others have written, and their revisions.
    pub(super) foreign: BTreeMap<String, i64>,
    pub(super) is_foreign_told: bool,
    /// It was reported that another agent has the name of this host.
    pub(in super::super) is_twin_told: bool,
    /// When to remove them, if not at once.
    next_round: Option<Instant>,
    /// When to look for those that no change has reported, and until when that can be postponed.
    look: Option<(Instant, Instant)>,
    /// Exports and values of this host that others may have changed, and when to look.
    altered: BTreeMap<String, Instant>,
    /// The prefixes of pools, and when it is this host's turn.
    pub(super) pools: BTreeMap<String, Instant>,
    /// Whose turn it is, of [`KINDS`].
    turn: usize,
    /// What is being written.
    under_way: Option<Mend>,
    /// Writes that the store has refused or that were postponed, and when to retry them. Others continue in the meantime.
    refused: Vec<(Instant, Mend)>,
    /// The store is full: nothing is tried until then.
    pause: Option<Instant>,
    /// When a refusal was told last.
    told: Option<Instant>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Mend {
    Key(String),
    Foreign(String, i64),
    Altered(String),
    Pool(String),
    Look,
}

#[derive(Debug, PartialEq)]
pub(super) enum Next {
    Now(Mend),
    At(Instant),
    Nothing,
}

impl Mends {
    /// Writes a key of this host soon.
    pub(in super::super) fn put(&mut self, key: String) {
        self.keys.insert(key);
    }

    /// Writes a key of this host later: another agent has it.
    pub(super) fn put_off(&mut self, key: &str, now: Instant) {
        let mend = Mend::Key(key.to_owned());
        if !self.refused.iter().any(|(_, waiting)| *waiting == mend) {
            self.refused.push((now + REFUSED, mend));
        }
    }

    /// Others may have changed an export or a value of this host. Looks soon, since its own write may be on its way.
    pub(in super::super) fn doubt(&mut self, key: String, now: Instant) {
        self.altered.entry(key).or_insert(now + ALTERED);
    }

    /// Schedules the next search for exports that others made in the name of this host, not before this moment. It can be
    /// postponed again, but only up to [`PUT_OFF`] in total.
    pub(in super::super) fn look_at(&mut self, at: Instant) {
        let latest = self.look.map_or(at + PUT_OFF, |(_, latest)| latest);
        self.look = Some((at.min(latest), latest));
    }

    #[cfg(test)]
    pub(in super::super) fn is_idle(&self) -> bool {
        self.keys.is_empty() && self.foreign.is_empty() && self.altered.is_empty() && self.pools.is_empty()
    }

    /// What to do next: what was under way, if the connection was lost before it was over.
    pub(super) fn next(&mut self, now: Instant) -> Next {
        if let Some(mend) = self.under_way.take() {
            self.again(mend, now);
        }
        let next = self.choose(now);
        if let Next::Now(mend) = &next {
            self.under_way = Some(mend.clone());
        }
        next
    }

    fn choose(&mut self, now: Instant) -> Next {
        if let Some(until) = self.pause.filter(|until| *until > now) {
            return Next::At(until);
        }
        let refused = std::mem::take(&mut self.refused).into_iter();
        let (due, waiting): (Vec<_>, Vec<_>) = refused.partition(|(at, _)| *at <= now);
        self.refused = waiting;
        due.into_iter().for_each(|(_, mend)| self.again(mend, now));
        for _ in KINDS {
            let due = KINDS[self.turn];
            self.turn = (self.turn + 1) % KINDS.len();
            if let Some(mend) = due(self, now) {
                return Next::Now(mend);
            }
        }
        let later = self.refused.iter().map(|(at, _)| *at).chain(self.altered.values().copied());
        let later = later.chain(self.pools.values().copied());
        let round = self.next_round.filter(|_| !self.foreign.is_empty());
        later.chain(round).chain(self.look.map(|(at, _)| at)).min().map_or(Next::Nothing, Next::At)
    }

    fn due_key(&mut self, _: Instant) -> Option<Mend> {
        self.keys.pop_first().map(Mend::Key)
    }

    fn due_foreign(&mut self, now: Instant) -> Option<Mend> {
        if self.next_round.is_some_and(|round| round > now) {
            return None;
        }
        let (key, revision) = self.foreign.pop_first()?;
        if self.foreign.is_empty() {
            self.next_round = Some(now + ROUND);
        }
        Some(Mend::Foreign(key, revision))
    }

    fn due_altered(&mut self, now: Instant) -> Option<Mend> {
        let key = self.altered.iter().find(|(_, at)| **at <= now).map(|(key, _)| key.clone())?;
        self.altered.remove(&key);
        Some(Mend::Altered(key))
    }

    fn due_pool(&mut self, now: Instant) -> Option<Mend> {
        let (place, _) = self.pools.iter().min_by_key(|(_, at)| **at).filter(|(_, at)| **at <= now)?;
        let place = place.clone();
        self.pools.remove(&place);
        Some(Mend::Pool(place))
    }

    fn due_look(&mut self, now: Instant) -> Option<Mend> {
        self.look.filter(|(at, _)| *at <= now)?;
        self.look = None;
        Some(Mend::Look)
    }

    fn again(&mut self, mend: Mend, now: Instant) {
        match mend {
            Mend::Key(key) => {
                self.keys.insert(key);
            }
            // By now it may have been written again.
            Mend::Foreign(key, revision) => {
                self.foreign.entry(key).or_insert(revision);
            }
            Mend::Altered(key) => {
                self.altered.entry(key).or_insert(now);
            }
            Mend::Pool(place) => {
                self.pools.entry(place).or_insert(now);
            }
            Mend::Look => {
                self.look.get_or_insert((now, now + PUT_OFF));
            }
        }
    }

    /// It was done, or has failed. `true`: the failure is to be told.
    pub(super) fn over(&mut self, mend: Mend, failure: Option<&Failure>, now: Instant) -> bool {
        self.under_way = None;
        match failure {
            None => return false,
            Some(Failure::Refused(_)) => match mend {
                Mend::Pool(place) => {
                    self.pools.insert(place, now + REFUSED);
                }
                mend => self.refused.push((now + REFUSED, mend)),
            },
            Some(Failure::Full(_)) => {
                self.pause = Some(now + REFUSED);
                self.again(mend, now);
            }
            Some(_) => {
                self.again(mend, now);
                return false;
            }
        }
        let is_told = self.told.is_some_and(|told| now < told + REFUSED);
        if !is_told {
            self.told = Some(now);
        }
        !is_told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Mend {
        Mend::Key(name.to_owned())
    }

    #[test]
    fn what_was_put_off_waits_once() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        mends.put_off("a", now);
        mends.put_off("a", now + REFUSED / 2);
        assert_eq!(mends.next(now), Next::At(now + REFUSED));
        assert_eq!(mends.next(now + REFUSED), Next::Now(key("a")));
        assert!(!mends.over(key("a"), None, now + REFUSED));
        assert_eq!(mends.next(now + 2 * REFUSED), Next::Nothing);
    }

    #[test]
    fn a_refused_write_does_not_hold_up_others_and_is_tried_again() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        let refused = Failure::Refused("no".into());
        ["a", "b", "c"].into_iter().for_each(|name| mends.put(name.to_owned()));
        assert_eq!(mends.next(now), Next::Now(key("a")));
        assert!(mends.over(key("a"), Some(&refused), now));
        assert_eq!(mends.next(now), Next::Now(key("b")));
        assert!(!mends.over(key("b"), Some(&refused), now), "a refusal was just told");
        assert_eq!(mends.next(now), Next::Now(key("c")));
        assert!(!mends.over(key("c"), None, now));
        assert_eq!(mends.next(now), Next::At(now + REFUSED));
        let later = now + REFUSED;
        assert_eq!(mends.next(later), Next::Now(key("a")));
        assert!(mends.over(key("a"), Some(&refused), later));
        assert_eq!(mends.next(later), Next::Now(key("b")));
        assert!(!mends.over(key("b"), None, later));
        assert_eq!(mends.next(later), Next::At(later + REFUSED));
    }

    #[test]
    fn what_is_under_way_when_the_connection_is_lost_is_not_forgotten() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        mends.put("a".to_owned());
        assert_eq!(mends.next(now), Next::Now(key("a")));
        // Another connection.
        assert_eq!(mends.next(now), Next::Now(key("a")));
        // It has another value while the one before is written.
        mends.put("a".to_owned());
        assert!(!mends.over(key("a"), None, now));
        assert_eq!(mends.next(now), Next::Now(key("a")));
        assert!(!mends.over(key("a"), None, now));
        assert_eq!(mends.next(now), Next::Nothing);
    }

    #[test]
    fn a_full_store_is_not_asked_for_a_while() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        ["a", "b"].into_iter().for_each(|name| mends.put(name.to_owned()));
        assert_eq!(mends.next(now), Next::Now(key("a")));
        assert!(mends.over(key("a"), Some(&Failure::Full("no".into())), now));
        assert_eq!(mends.next(now), Next::At(now + REFUSED));
        assert_eq!(mends.next(now + REFUSED), Next::Now(key("a")));
    }

    #[test]
    fn no_kind_of_write_holds_up_the_others() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        mends.doubt("b".to_owned(), now);
        mends.pools.insert("pool/web/".to_owned(), now);
        let later = now + ALTERED;
        let mut done = Vec::new();
        // Someone removes a key and writes exports faster than they are dealt with.
        for n in 0..8 {
            mends.put("a".to_owned());
            mends.foreign.extend([(format!("c{n}"), n), (format!("d{n}"), n)]);
            let Next::Now(mend) = mends.next(later) else { panic!("there is something to do") };
            assert!(!mends.over(mend.clone(), None, later));
            done.push(mend);
        }
        for mend in [key("a"), Mend::Altered("b".to_owned()), Mend::Pool("pool/web/".to_owned())] {
            assert!(done.contains(&mend), "{mend:?} is not in {done:?}");
        }
        assert!(done.iter().any(|mend| matches!(mend, Mend::Foreign(..))), "{done:?}");
    }

    #[test]
    fn an_altered_export_is_looked_at_soon() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        let at = now + ALTERED;
        ["a", "b"].into_iter().for_each(|name| mends.doubt(name.to_owned(), now));
        // Another change does not put it off.
        mends.doubt("a".to_owned(), now + ALTERED / 2);
        assert_eq!(mends.next(now + ALTERED / 2), Next::At(at));
        for name in ["a", "b"] {
            let altered = || Mend::Altered(name.to_owned());
            assert_eq!(mends.next(at), Next::Now(altered()));
            assert!(!mends.over(altered(), None, at));
        }
        assert_eq!(mends.next(at), Next::Nothing);
    }

    #[test]
    fn a_foreign_export_stays_until_its_latest_revision_was_removed() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        let foreign = |revision| Mend::Foreign("a".to_owned(), revision);
        mends.foreign.insert("a".to_owned(), 5);
        assert_eq!(mends.next(now), Next::Now(foreign(5)));
        // It is written again while it is removed, and the removal fails.
        mends.foreign.insert("a".to_owned(), 7);
        assert!(!mends.over(foreign(5), Some(&Failure::Away("no".into())), now));
        // Anyone who writes it repeatedly is not followed at that speed.
        assert_eq!(mends.next(now), Next::At(now + ROUND));
        assert_eq!(mends.next(now + ROUND), Next::Now(foreign(7)));
        assert!(!mends.over(foreign(7), None, now + ROUND));
        assert_eq!(mends.next(now + ROUND), Next::Nothing);
    }

    #[test]
    fn exports_of_others_are_looked_for_once_after_the_last_snapshot() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        let later = now + ROUND;
        [now, later].into_iter().for_each(|at| mends.look_at(at));
        assert_eq!(mends.next(now), Next::At(later));
        // The connection is lost.
        for _ in 0..2 {
            assert_eq!(mends.next(later), Next::Now(Mend::Look));
        }
        assert!(!mends.over(Mend::Look, None, later));
        assert_eq!(mends.next(later), Next::Nothing);
    }

    #[test]
    fn snapshots_that_follow_one_another_do_not_put_off_the_look_for_ever() {
        let (began, mut mends) = (Instant::now(), Mends::default());
        let is_due = |now: &Instant| {
            mends.look_at(*now + 2 * ROUND);
            mends.next(*now) == Next::Now(Mend::Look)
        };
        let due = (0..1000_u32).map(|n| began + n * ROUND).find(is_due);
        assert_eq!(due, Some(began + 2 * ROUND + PUT_OFF));
    }
}
