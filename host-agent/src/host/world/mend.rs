//! [`Mends`]: what the session has to write again: keys of this host that vanished, votes that ended, and wrong results
//! of pools; and exports that others have written or changed in the name of a host that signs its own. Every voter sees a
//! wrong result; the later voters wait longer, so usually one of them writes.

use super::gateway::{Failure, If};
use super::mirror::{Change, Mirror};
use super::{Inside, SharedStore, own, statement};
use mclive_base::unicode::visible;
use mclive_base::vocab::KeyStore;
use mclive_base::vocab::store::Keys;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long the next voter waits for the one before, and the longest wait.
const TURN: Duration = Duration::from_millis(300);
const LONGEST_TURN: Duration = Duration::from_secs(5);
/// How long a result without voters stays.
const ORPHAN: Duration = Duration::from_secs(1);
/// How long after a change of an own export to look whether it is one that others have made.
const ALTERED: Duration = Duration::from_secs(1);
/// The pause after the store has refused a write, and until the next refusal is told.
const REFUSED: Duration = Duration::from_secs(30);

#[derive(Default)]
pub(super) struct Mends {
    keys: BTreeSet<String>,
    /// Exports in the name of this host that others have written, and their revisions.
    foreign: BTreeMap<String, i64>,
    is_foreign_told: bool,
    /// Exports of this host that others may have changed, and when to look.
    altered: BTreeMap<String, Instant>,
    /// The prefixes of pools, and when it is this host's turn.
    pools: BTreeMap<String, Instant>,
    /// What the store has refused, and when to try it again. Other writes go on meanwhile.
    refused: Vec<(Instant, Mend)>,
    /// The store is full: nothing is tried until then.
    pause: Option<Instant>,
    /// When a refusal was told last.
    told: Option<Instant>,
}

#[derive(Debug, PartialEq)]
enum Mend {
    Key(String),
    Foreign(String, i64),
    Altered(String),
    Pool(String),
}

#[derive(Debug, PartialEq)]
enum Next {
    Now(Mend),
    At(Instant),
    Nothing,
}

impl Mends {
    /// Writes a key of this host soon.
    pub(super) fn put(&mut self, key: String) {
        self.keys.insert(key);
    }

    /// Others may have changed an export of this host. Looks soon, since its own write may be on its way.
    pub(super) fn doubt(&mut self, export: String, now: Instant) {
        self.altered.entry(export).or_insert(now + ALTERED);
    }

    /// What to do next. If the connection is lost before it is over, all but foreign exports is found again (`notice_all`).
    fn next(&mut self, now: Instant) -> Next {
        if let Some(until) = self.pause.filter(|until| *until > now) {
            return Next::At(until);
        }
        let refused = std::mem::take(&mut self.refused).into_iter();
        let (due, waiting): (Vec<_>, Vec<_>) = refused.partition(|(at, _)| *at <= now);
        self.refused = waiting;
        due.into_iter().for_each(|(_, mend)| self.again(mend, now));
        if let Some(key) = self.keys.pop_first() {
            return Next::Now(Mend::Key(key));
        }
        if let Some((key, revision)) = self.foreign.first_key_value() {
            return Next::Now(Mend::Foreign(key.clone(), *revision));
        }
        let altered = self.altered.iter().find(|(_, at)| **at <= now).map(|(key, _)| key.clone());
        if let Some(key) = altered {
            self.altered.remove(&key);
            return Next::Now(Mend::Altered(key));
        }
        let pool = self.pools.iter().min_by_key(|(_, at)| **at).map(|(place, at)| (place.clone(), *at));
        match pool {
            Some((place, at)) if at <= now => {
                self.pools.remove(&place);
                Next::Now(Mend::Pool(place))
            }
            pool => {
                let later = self.refused.iter().map(|(at, _)| *at).chain(self.altered.values().copied());
                pool.map(|(_, at)| at).into_iter().chain(later).min().map_or(Next::Nothing, Next::At)
            }
        }
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
        }
    }

    /// It was done, or has failed. `true`: the failure is to be told.
    fn over(&mut self, mend: Mend, failure: Option<&Failure>, now: Instant) -> bool {
        if let Mend::Foreign(key, revision) = &mend
            && self.foreign.get(key) == Some(revision)
        {
            self.foreign.remove(key);
        }
        match failure {
            None => return false,
            Some(Failure::Refused(_)) => self.refused.push((now + REFUSED, mend)),
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

/// The prefix of the pool of a key.
fn pool_of(key: &str) -> Option<String> {
    let (pool, _) = key.strip_prefix("pool/")?.split_once('/')?;
    Some(format!("pool/{pool}/"))
}

/// Whether a pool has a result and no votes.
fn is_orphan(mirror: &Mirror, place: &str) -> bool {
    mirror.held(&format!("{place}chosen")).is_some() && mirror.under(&format!("{place}vote/")).next().is_none()
}

impl Inside {
    /// Notes what of this host's was removed by somebody else, before it is forgotten. A key that another agent of this
    /// name has written is left to it: two agents must not fight for it.
    pub(super) fn note(&mut self, changes: &[Change]) {
        let gone = changes.iter().filter(|change| change.held.is_none()).map(|change| change.key.as_str());
        let keys = gone.map(|key| statement::export_of(key).unwrap_or(key)).filter(|key| self.own.holds(key));
        self.mends.keys.extend(keys.map(str::to_owned));
    }

    /// A key of this host was written. One that is not followed does not come back by the watch.
    fn wrote(&mut self, key: &str, lease: i64, revision: i64) {
        if !own::is_followed(key) {
            self.own.wrote(key, lease, revision);
            self.mirror.pass(revision);
        }
    }
}

impl SharedStore {
    /// Notes what others export in the name of this host, if it signs what it exports: hosts that have just started could
    /// take an earlier export for the present one.
    pub(super) fn note_foreign(&self, changes: &[Change]) {
        if self.signer.is_none() {
            return;
        }
        let mut inside = self.inside.lock();
        let Inside { own: ours, mends, .. } = &mut *inside;
        let written = changes.iter().filter(|change| change.held.is_some());
        let foreign = written
            .filter(|Change { key, .. }| own::is_export_of(key, &self.hostname) && !ours.holds(key))
            .map(|Change { key, revision, .. }| (key.clone(), *revision));
        mends.foreign.extend(foreign);
    }

    /// Checks the pools of these keys.
    pub(super) fn notice_pools<'a>(&self, keys: impl Iterator<Item = &'a str>) {
        let places: BTreeSet<String> = keys.filter_map(pool_of).collect();
        for place in places {
            let rank = self.rank(&place);
            let mut inside = self.inside.lock();
            let wait = match rank {
                Some(rank) => (TURN * rank).min(LONGEST_TURN),
                None if !self.only_reads() && is_orphan(&inside.mirror, &place) => ORPHAN,
                None => continue,
            };
            inside.mends.pools.entry(place).or_insert_with(|| Instant::now() + wait);
        }
        self.mends.notify_one();
    }

    /// After a snapshot or with another lease: checks everything of this host, and all pools.
    pub(super) fn notice_all(&self) {
        let pools: Vec<String> = {
            let mut inside = self.inside.lock();
            let Inside { mirror, leases, own, mends, .. } = &mut *inside;
            let lease = leases.number(self.ttl);
            let of = |key: &str| match own::is_followed(key) {
                true => mirror.held(key).map(|held| held.lease),
                false => own.lease_of(key),
            };
            let is_held = |key: &str| lease.is_some() && of(key) == lease;
            let signs = self.signer.is_some();
            let is_signed = |key: &str| !signs || statement::place(key).is_none_or(|place| is_held(&place));
            mends.keys.extend(own.keys().filter(|key| !is_held(key) || !is_signed(key)).cloned());
            let voted = own.votes().map(|(place, _)| place.clone());
            voted.chain(mirror.below(KeyStore::World, "pool/").into_iter().map(|(key, _)| key)).collect()
        };
        let exports = self.inside.lock().own.keys().cloned().collect();
        self.note_altered(exports);
        self.notice_pools(pools.iter().map(String::as_str));
    }

    /// Writes what there is to mend, until the store is lost.
    pub(super) async fn mend(&self) -> Failure {
        loop {
            let next = self.inside.lock().mends.next(Instant::now());
            let mend = match next {
                Next::Now(mend) => mend,
                Next::At(at) => {
                    tokio::select! {
                        () = sleep_until(at) => {}
                        () = self.mends.notified() => {}
                    }
                    continue;
                }
                Next::Nothing => {
                    self.mends.notified().await;
                    continue;
                }
            };
            let done = match &mend {
                Mend::Key(key) => self.put_again(key).await,
                Mend::Foreign(key, revision) => self.remove_foreign(key, *revision).await,
                Mend::Altered(key) => self.sign_again(key).await,
                Mend::Pool(place) => self.settle(place).await,
            };
            let failure = done.err();
            let is_to_tell = self.inside.lock().mends.over(mend, failure.as_ref(), Instant::now());
            match failure {
                Some(Failure::Refused(why) | Failure::Full(why)) if is_to_tell => crate::output::tell(&format!(
                    "mclive: warning: the shared store refuses a write of this host: {why}"
                )),
                None | Some(Failure::Refused(_) | Failure::Full(_)) => {}
                Some(failure) => return failure,
            }
        }
    }

    /// Puts a key of this host again, under its lease.
    async fn put_again(&self, key: &str) -> Result<(), Failure> {
        for _ in 0..3 {
            let _turn = self.turn(key).await;
            let lease = self.lease(self.ttl).await?;
            let value = self.inside.lock().own.value(key).cloned();
            let Some(value) = value else { return Ok(()) };
            let writes = self.puts(key, &value, lease);
            match self.gateway.commit(&[], &writes, &[], None).await {
                Err(Failure::NoLease) => self.inside.lock().leases.lost(self.ttl),
                Err(failure) => return Err(failure),
                Ok(done) => {
                    self.remember(key, &writes);
                    self.inside.lock().wrote(key, lease, done.revision);
                    return Ok(());
                }
            }
        }
        Err(Failure::NoLease)
    }

    /// Removes an export that somebody else has written at this revision, unless this host exports it by now.
    async fn remove_foreign(&self, key: &str, revision: i64) -> Result<(), Failure> {
        let _turn = self.turn(key).await;
        if self.inside.lock().own.holds(key) {
            return Ok(());
        }
        let condition = If::Is(key.to_owned(), revision);
        let done = self.gateway.commit(&[condition], &self.deletes(key), &[], None).await?;
        let mut inside = self.inside.lock();
        let Inside { mirror, leases, mends, .. } = &mut *inside;
        // Under the lease of this run, it may be one that this host is withdrawing.
        let is_ours = mirror.held(key).is_some_and(|held| leases.number(self.ttl) == Some(held.lease));
        if done.held && !is_ours && !mends.is_foreign_told {
            mends.is_foreign_told = true;
            crate::output::tell(&format!(
                "mclive: warning: someone else has written the export {} in the name of this host; such exports are \
                 removed",
                visible(key)
            ));
        }
        Ok(())
    }

    /// Corrects the result of a pool, and the vote of this host.
    async fn settle(&self, place: &str) -> Result<(), Failure> {
        let orphan = {
            let inside = self.inside.lock();
            inside.own.vote_in(place).is_none() && is_orphan(&inside.mirror, place)
        };
        if orphan { self.clear(place).await } else { self.cast_again(place).await }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Mend {
        Mend::Key(name.to_owned())
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
    fn a_full_store_is_not_asked_for_a_while() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        ["a", "b"].into_iter().for_each(|name| mends.put(name.to_owned()));
        assert_eq!(mends.next(now), Next::Now(key("a")));
        assert!(mends.over(key("a"), Some(&Failure::Full("no".into())), now));
        assert_eq!(mends.next(now), Next::At(now + REFUSED));
        assert_eq!(mends.next(now + REFUSED), Next::Now(key("a")));
    }

    #[test]
    fn an_altered_export_is_looked_at_soon() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        let at = now + ALTERED;
        ["a", "b"].into_iter().for_each(|name| mends.doubt(name.to_owned(), now));
        // Another change does not put it off.
        mends.doubt("a".to_owned(), now + ALTERED / 2);
        assert_eq!(mends.next(now + ALTERED / 2), Next::At(at));
        assert_eq!(mends.next(at), Next::Now(Mend::Altered("a".to_owned())));
        assert_eq!(mends.next(at), Next::Now(Mend::Altered("b".to_owned())));
        assert_eq!(mends.next(at), Next::Nothing);
    }

    #[test]
    fn a_foreign_export_stays_until_its_latest_revision_was_removed() {
        let (now, mut mends) = (Instant::now(), Mends::default());
        let foreign = |revision| Mend::Foreign("a".to_owned(), revision);
        mends.foreign.insert("a".to_owned(), 5);
        // The connection is lost before it is over.
        assert_eq!([mends.next(now), mends.next(now)], [(); 2].map(|()| Next::Now(foreign(5))));
        // It is written again while it is removed, and the removal fails.
        mends.foreign.insert("a".to_owned(), 7);
        assert!(!mends.over(foreign(5), Some(&Failure::Away("no".into())), now));
        assert_eq!(mends.next(now), Next::Now(foreign(7)));
        assert!(!mends.over(foreign(7), None, now));
        assert_eq!(mends.next(now), Next::Nothing);
    }
}
