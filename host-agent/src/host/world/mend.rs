//! What the session writes again ([`Mends`]): keys of this host that have disappeared, votes that have expired, and
//! wrong results of pools; and exports that others have written or changed in the name of a host that signs its own.
//! Every voter sees a wrong result; the later voters wait longer, so usually one of them writes.

mod queue;

pub(super) use queue::Mends;

use super::ballot::{place_of, voted, voter};
use super::gateway::{Failure, If};
use super::mirror::{Change, Mirror};
use super::own::POOLS;
use super::voters::VOTERS;
use super::{Inside, SharedStore, own, statement};
use mclive_base::unicode::visible;
use mclive_base::vocab::KeyStore;
use mclive_base::vocab::store::Keys;
use queue::{Mend, Next};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long the next voter waits for the one before, and the longest wait.
const TURN: Duration = Duration::from_millis(300);
const LONGEST_TURN: Duration = Duration::from_secs(5);
/// How long a result without voters stays.
const ORPHAN: Duration = Duration::from_secs(1);
/// How long a vote that this run has not cast stays: its own withdrawal may be on its way.
const FOREIGN: Duration = Duration::from_secs(1);
/// How long after the leases of earlier runs to look for exports of others: the store may be late to remove what has ended.
const SPARE: Duration = Duration::from_secs(5);

/// Whether a pool has a result and no votes.
fn is_orphan(mirror: &Mirror, place: &str) -> bool {
    mirror.held(&format!("{place}chosen")).is_some() && mirror.under(&format!("{place}vote/")).next().is_none()
}

impl Inside {
    /// Records which keys of this host others have removed, before they are forgotten. A key that another agent of the
    /// same name has written is left to that agent, so that the two do not fight over it.
    pub(super) fn note(&mut self, changes: &[Change]) {
        let gone = changes.iter().filter(|change| change.held.is_none()).map(|change| change.key.as_str());
        let keys = gone.map(|key| statement::stated(key).unwrap_or(key)).filter(|key| self.own.holds(key));
        self.mends.keys.extend(keys.map(str::to_owned));
    }

    /// Notes the exports in the name of the host `me` that are there and that this run does not hold.
    fn note_foreign_in_mirror(&mut self, me: &str) {
        let Inside { mirror, own: ours, mends, .. } = self;
        let exports = mirror.under(own::EXPORTS).filter(|(key, _)| own::is_export_of(key, me) && !ours.holds(key));
        mends.foreign.extend(exports.map(|(key, held)| (key.clone(), held.modified)));
    }

    /// Whether a pool has a vote of the host `me` under a lease of this run, which has not cast it or has withdrawn it: others
    /// have written it again.
    fn has_foreign_vote(&self, me: &str, place: &str) -> bool {
        let vote = self.mirror.held(&format!("{place}vote/{me}"));
        let is_of_this_run = |lease: i64| self.leases.all().iter().any(|(_, number)| *number == lease);
        self.own.vote_in(place).is_none() && vote.is_some_and(|vote| is_of_this_run(vote.lease))
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
        for Change { key, revision, held } in changes {
            if held.is_none() {
                mends.foreign.remove(key);
            } else if own::is_export_of(key, &self.hostname) && !ours.holds(key) {
                mends.foreign.insert(key.clone(), *revision);
            }
        }
    }

    /// Looks for such exports in the mirror, after a snapshot: no change tells of them. By then those of earlier runs have
    /// ended with their leases, and the program has had the time to export its own.
    pub(super) fn look_for_foreign_later(&self) {
        if self.signer.is_some() {
            let at = Instant::now() + Duration::from_secs(self.ttl) + SPARE;
            self.inside.lock().mends.look_at(at);
        }
    }

    /// Checks the pools of these keys, and all those in which this host votes if the list of voters is among them.
    pub(super) fn notice_pools<'a>(&self, keys: impl Iterator<Item = &'a str>) {
        let mut places = BTreeSet::new();
        let keeps_another = self.inside.lock().electorate.keeps_another();
        for key in keys {
            // What others say about their votes matters only if these count from now on, or no longer: that is told of the
            // votes and results. A host that keeps a list also leaves the result to those who name another one, or does
            // not any more.
            let is_of_others = voted(key).and_then(voter).is_some_and(|host| host != self.hostname);
            if !is_of_others || keeps_another {
                places.extend(place_of(key));
            }
            if key == VOTERS {
                places.extend(self.inside.lock().own.votes().map(|(place, _)| place.clone()));
            }
        }
        for place in places {
            if self.inside.lock().mends.pools.contains_key(&place) {
                continue;
            }
            let rank = self.rank(&place);
            let mut inside = self.inside.lock();
            let wait = match rank {
                // A host that keeps a list lets the others go first, and looks once at what they all say.
                Some(rank) => (TURN * rank.saturating_add(u32::from(keeps_another))).min(LONGEST_TURN),
                None if !self.only_reads() && is_orphan(&inside.mirror, &place) => ORPHAN,
                None if self.signer.is_some() && inside.has_foreign_vote(&self.hostname, &place) => FOREIGN,
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
            voted.chain(mirror.below(KeyStore::World, POOLS).into_iter().map(|(key, _)| key)).collect()
        };
        let exports = self.inside.lock().own.keys().cloned().collect();
        self.note_altered(exports);
        self.notice_pools(pools.iter().map(String::as_str));
    }

    /// Writes what there is to repair, until the store is lost.
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
                Mend::Look => {
                    self.inside.lock().note_foreign_in_mirror(&self.hostname);
                    Ok(())
                }
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

    /// Puts a key of this host again, under its lease. The sign that it is there is not taken from another agent.
    pub(super) async fn put_again(&self, key: &str) -> Result<(), Failure> {
        for _ in 0..3 {
            let _turn = self.turn(key).await;
            let lease = self.lease(self.ttl).await?;
            let value = self.inside.lock().own.value(key).cloned();
            let Some(value) = value else { return Ok(()) };
            let Some(conditions) = self.conditions_of(key).await? else {
                self.inside.lock().mends.put_off(key, Instant::now());
                return Ok(());
            };
            let writes = self.puts(key, &value, lease);
            match self.gateway.commit(&conditions, &writes, &[], None).await {
                Err(Failure::NoLease) => self.inside.lock().leases.lost(self.ttl),
                Err(failure) => return Err(failure),
                // It was changed in between.
                Ok(done) if !done.held => {}
                Ok(done) => {
                    self.remember(key, &writes);
                    self.inside.lock().wrote(key, lease, done.revision);
                    return Ok(());
                }
            }
        }
        Err(Failure::NoLease)
    }

    /// Removes an export that someone else has written at this revision, unless this host exports it by now.
    async fn remove_foreign(&self, key: &str, revision: i64) -> Result<(), Failure> {
        let _turn = self.turn(key).await;
        let (is_exported, is_ours) = {
            let inside = self.inside.lock();
            // Under the lease of this run, it may be one that this host is withdrawing. The lease of an earlier run may last
            // longer than this one has waited for it.
            let lease = inside.leases.number(self.ttl);
            let is_of_this_run = inside.mirror.held(key).is_some_and(|held| Some(held.lease) == lease);
            (inside.own.holds(key), is_of_this_run || self.has_signed(&inside, key))
        };
        if is_exported {
            return Ok(());
        }
        let condition = If::Is(key.to_owned(), revision);
        let done = self.gateway.commit(&[condition], &self.deletes(key), &[], None).await?;
        if done.held && !is_ours && !std::mem::replace(&mut self.inside.lock().mends.is_foreign_told, true) {
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
        let (orphan, foreign) = {
            let inside = self.inside.lock();
            let orphan = inside.own.vote_in(place).is_none() && is_orphan(&inside.mirror, place);
            (orphan, self.signer.is_some() && inside.has_foreign_vote(&self.hostname, place))
        };
        match (orphan, foreign) {
            (true, _) => self.clear(place).await,
            (false, true) => self.withdraw_again(place).await,
            (false, false) => self.cast_again(place).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::leases::Tick;
    use super::super::mirror::{Held, Snapshot};
    use super::*;
    use mclive_base::vocab::Datum;
    use mclive_base::vocab::schedule::{Lease, Options, Strategy};
    use std::collections::BTreeMap;

    #[test]
    fn a_vote_under_a_lease_of_this_run_that_it_has_not_cast_is_foreign() {
        let mut inside = Inside::default();
        inside.leases.granted(10, 7, Tick(Duration::ZERO));
        let held = |lease| Held { value: Datum::text("max=1"), modified: 2, lease };
        let votes = [("pool/web/vote/h1", 7), ("pool/db/vote/h1", 8), ("pool/dns/vote/h2", 7)];
        let keys = votes.map(|(key, lease)| (key.to_owned(), held(lease)));
        inside.mirror.replace(Snapshot { cluster: "1".into(), revision: 2, keys: keys.into() });
        let foreign = |inside: &Inside| {
            ["pool/web/", "pool/db/", "pool/dns/", "pool/ntp/"].map(|place| inside.has_foreign_vote("h1", place))
        };
        assert_eq!(foreign(&inside), [true, false, false, false]);
        let options = Options { strategy: Strategy::RoundRobin, max: 1, lease: Lease::Held };
        inside.own.vote("web", Some(&options));
        assert_eq!(foreign(&inside), [false; 4]);
    }

    #[test]
    fn what_others_have_exported_before_the_snapshot_is_foreign() {
        let [own, forged, other] = ["exported/*/h1/file//a", "exported/*/h1/file//b", "exported/h1/h2/file//c"];
        let held = |modified| Held { value: Datum::text("a"), modified, lease: 7 };
        let keys = [(own, 2), (forged, 3), (other, 4)].map(|(key, modified)| (key.to_owned(), held(modified)));
        let mut inside = Inside::default();
        inside.mirror.replace(Snapshot { cluster: "1".into(), revision: 4, keys: keys.into() });
        inside.own.keep(own, Some(&b"a"[..]));
        inside.note_foreign_in_mirror("h1");
        assert_eq!(inside.mends.foreign, BTreeMap::from([(forged.to_owned(), 3)]));
    }
}
