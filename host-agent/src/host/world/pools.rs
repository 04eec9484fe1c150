//! Votes, and the results of pools. A result is a function of the votes and the result before: anyone who votes writes
//! both in one transaction, and any voter who sees another result writes the right one. So there is no one to elect.

use super::gateway::{Failure, If, Write};
use super::leases::Tick;
use super::limits::named_within_limits;
use super::mirror::{Change, Snapshot};
use super::own::POOLS;
use super::{Inside, SharedStore, value};
use mclive_base::vocab::schedule::{self, Election, Fact, Lease, Options, cast, chosen, place, pool_of, votes_of};
use mclive_base::vocab::{Datum, HostError};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use tokio::time::timeout;

/// How often a vote is tried while others vote.
const TRIES: usize = 20;
/// How long to wait for the votes of others that came between.
const OTHERS: Duration = Duration::from_secs(1);

impl Inside {
    /// Replaces everything with a snapshot, for the host `me`; returns the keys whose values differ, sorted.
    pub(super) fn replace(&mut self, me: &str, snapshot: Snapshot, now: Tick) -> Vec<String> {
        let pools = self.mirror.under(POOLS).filter_map(|(key, _)| pool_of(key));
        let mut before: BTreeMap<String, Vec<String>> =
            pools.map(|pool| (pool.clone(), chosen(&self.mirror, &pool))).collect();
        let mut changed = self.mirror.replace(snapshot);
        self.handover.listen(now.0);
        self.look_at_size();
        for pool in changed.iter().filter_map(|key| pool_of(key)) {
            let before = before.remove(&pool).unwrap_or_default();
            self.see(me, &pool, &before, now);
        }
        let judged = self.judge_all(me);
        if !judged.is_empty() {
            changed.extend(judged);
            changed.sort();
            changed.dedup();
        }
        changed
    }

    /// Applies changes up to a revision, for the host `me`; returns the keys whose values differ, in order. Each revision
    /// counts: who was elected in between may act on it.
    pub(super) fn apply(&mut self, me: &str, revision: i64, changes: Vec<Change>, now: Tick) -> Vec<String> {
        let mut by_revision: BTreeMap<i64, Vec<Change>> = BTreeMap::new();
        for change in changes {
            by_revision.entry(change.revision).or_default().push(change);
        }
        let mut changed = Vec::new();
        for (at, changes) in by_revision {
            let pools: Vec<String> = changes.iter().filter_map(|change| pool_of(&change.key)).collect();
            let before: Vec<Vec<String>> = pools.iter().map(|pool| chosen(&self.mirror, pool)).collect();
            let to_judge = self.to_judge(&changes);
            let differing = self.mirror.apply(at, changes);
            let mut judged = self.judge(me, to_judge);
            if !judged.is_empty() {
                let known: BTreeSet<&String> = differing.iter().collect();
                judged.retain(|key| !known.contains(key));
            }
            changed.extend(differing.into_iter().chain(judged));
            for (pool, before) in pools.iter().zip(&before) {
                self.see(me, pool, before, now);
            }
        }
        changed.extend(self.mirror.apply(revision, Vec::new()));
        self.look_at_size();
        changed
    }

    /// The result of a pool may differ from the one before.
    fn see(&mut self, me: &str, pool: &str, before: &[String], now: Tick) {
        let (after, votes) = (chosen(&self.mirror, pool), votes_of(&self.mirror, pool));
        if *before != *after {
            self.handover.see(me, &Election { pool, before, after: &after, votes: &votes }, now.0);
        }
    }
}

impl SharedStore {
    /// This host's vote in a pool, and whether this run holds it.
    pub(in crate::host) fn vote_of(&self, namespace: &str) -> Option<(Options, bool)> {
        let inside = self.inside.lock();
        let (_, vote) = votes_of(&inside.mirror, namespace).into_iter().find(|(host, _)| *host == self.hostname)?;
        let lease = vote.options.lease.seconds().and_then(|ttl| inside.leases.number(ttl)).unwrap_or(0);
        let key = format!("{}vote/{}", place(namespace), self.hostname);
        let is_own = inside.own.vote_in(&place(namespace)).is_some();
        Some((vote.options, is_own && inside.mirror.held(&key).is_some_and(|held| held.lease == lease)))
    }

    /// The elected hosts, sorted. This host is one of them only while its vote certainly lives, and its mirror was right a
    /// short time ago ([`Proofs`](super::proofs)): when it is cut off, the others elect someone else at the end of its
    /// lease, and it stops a second before. If it takes the place of a host that still votes, it waits until that one has
    /// certainly stopped.
    pub(in crate::host) fn elected(&self, fact: &Fact) -> Datum {
        let inside = self.inside.lock();
        let now = Tick::now();
        let believes = |lease: Lease| lease.seconds().is_none_or(|ttl| inside.leases.is_sure(ttl, now));
        let place = place(&fact.namespace);
        let vote = inside.own.vote_in(&place);
        let is_proven = |lease: Lease| lease.seconds().is_none() || inside.proofs.is_sure(&place, now);
        let has_begun = inside.handover.from(&fact.namespace).is_none_or(|from| from <= now.0);
        let is_sure =
            has_begun && vote.is_some_and(|vote| believes(vote.options.lease) && is_proven(vote.options.lease));
        match fact.read(&inside.mirror) {
            Datum::List(hosts) if !is_sure => {
                let me = Datum::text(self.hostname.as_str());
                Datum::List(hosts.into_iter().filter(|host| *host != me).collect())
            }
            elected => elected,
        }
    }

    /// Votes in a pool, or withdraws the vote, unless `is_over` says at its turn that it no longer applies.
    pub(in crate::host) async fn vote(
        &self,
        namespace: &str,
        options: Option<&Options>,
        is_over: impl FnOnce() -> bool,
    ) -> Result<(), HostError> {
        let _one_at_a_time = self.casting.lock().await;
        if is_over() {
            return Ok(());
        }
        if options.is_some() {
            named_within_limits(namespace).map_err(|why| self.error(Failure::Refused(why)))?;
        }
        {
            let mut inside = self.inside.lock();
            inside.own.vote(namespace, options);
            if options.is_none() {
                inside.proofs.remove(&place(namespace));
            }
        }
        self.is_live().await?;
        self.cast(namespace, options).await.map_err(|failure| self.error(failure))
    }

    /// Writes the vote that this run has in a pool, and the result, as far as they differ.
    pub(super) async fn cast_again(&self, place: &str) -> Result<(), Failure> {
        let _one_at_a_time = self.casting.lock().await;
        let vote = self.inside.lock().own.vote_in(place).cloned();
        match vote {
            Some(vote) => self.cast(&vote.namespace, Some(&vote.options)).await,
            None => Ok(()),
        }
    }

    async fn cast(&self, namespace: &str, options: Option<&Options>) -> Result<(), Failure> {
        let ttl = options.and_then(|options| options.lease.seconds());
        for _ in 0..TRIES {
            let lease = match ttl {
                Some(ttl) => self.lease(ttl).await?,
                None => 0,
            };
            let (conditions, writes, revision) = self.ballot(namespace, options, lease)?;
            if writes.is_empty() {
                return Ok(());
            }
            let asked = Tick::now();
            match self.gateway.commit(&conditions, &writes, &[], None).await {
                Ok(done) if done.held => {
                    // The transaction held because nothing of the pool was newer.
                    if let Some(ttl) = ttl {
                        self.proves(&place(namespace), ttl, asked);
                        self.proving.notify_one();
                    }
                    return self.reaches(done.revision).await;
                }
                Ok(_) => {
                    let mut reached = self.reached.subscribe();
                    let _ = timeout(OTHERS, reached.wait_for(|reached| reached.revision > revision)).await;
                }
                Err(Failure::NoLease) => ttl.into_iter().for_each(|ttl| self.inside.lock().leases.lost(ttl)),
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::Away(format!("the pool {namespace} changes too fast")))
    }

    /// The transaction of a vote: it holds only if no one else has voted since the mirror's revision.
    fn ballot(
        &self,
        namespace: &str,
        options: Option<&Options>,
        lease: i64,
    ) -> Result<(Vec<If>, Vec<Write>, i64), Failure> {
        let inside = self.inside.lock();
        let revision = inside.mirror.revision();
        let mut conditions = vec![If::NoneAfter(schedule::place(namespace), revision)];
        let mut writes = Vec::new();
        let [vote, chosen] = cast(&inside.mirror, namespace, &self.hostname, options);
        for ((key, value), lease) in [(vote, lease), (chosen, 0)] {
            let held = inside.mirror.held(&key);
            conditions.push(If::Is(key.clone(), held.map_or(0, |held| held.modified)));
            let is_so = match (&value, held) {
                (Some(value), Some(held)) => held.value == *value && held.lease == lease,
                (value, held) => value.is_none() && held.is_none(),
            };
            if is_so {
                continue;
            }
            writes.push(match value {
                Some(value) => {
                    let bytes = value::bytes(&value).map_err(|error| Failure::Refused(error.message))?;
                    Write::Put(key, bytes, lease)
                }
                None => Write::Delete(key),
            });
        }
        Ok((conditions, writes, revision))
    }

    /// Removes a result that no one votes for any more: the last voter crashed.
    pub(super) async fn clear(&self, place: &str) -> Result<(), Failure> {
        let condition = If::Nothing(format!("{place}vote/"));
        self.gateway.commit(&[condition], &[Write::Delete(format!("{place}chosen"))], &[], None).await.map(drop)
    }

    /// How many voters of a pool come before this host; `None`: it does not vote.
    pub(super) fn rank(&self, place: &str) -> Option<u32> {
        let inside = self.inside.lock();
        inside.own.vote_in(place)?;
        let votes = format!("{place}vote/");
        let at = inside.mirror.under(&votes).position(|(key, _)| key[votes.len()..] == self.hostname);
        Some(u32::try_from(at.unwrap_or(0)).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::world::mirror::Held;
    use mclive_base::vocab::schedule::Strategy;

    const LEASE_S: u64 = 20;

    fn at(seconds: u64) -> Tick {
        Tick(Duration::from_secs(seconds))
    }

    /// What a transaction changes that votes for a host, or withdraws its vote.
    fn changes(inside: &Inside, revision: i64, host: &str, is_there: bool) -> Vec<Change> {
        let options = Options { strategy: Strategy::Alphabetical, max: 1, lease: Lease::For(LEASE_S) };
        let written = cast(&inside.mirror, "web", host, Some(&options).filter(|_| is_there));
        let held = |value| Held { value, modified: revision, lease: 0 };
        written.map(|(key, value)| Change { key, revision, held: value.map(held) }).into()
    }

    /// Host `a` sees that another host votes.
    fn sees(inside: &mut Inside, revision: i64, host: &str, now: Tick) {
        let changes = changes(inside, revision, host, true);
        inside.apply("a", revision, changes, now);
    }

    /// From when on host `a` acts on its election.
    fn begins(inside: &Inside) -> Option<u64> {
        inside.handover.from("web").map(|from| from.as_secs())
    }

    #[test]
    fn who_displaces_a_voter_waits_for_the_lease_of_its_vote() {
        let mut inside = Inside::default();
        inside.replace("a", Snapshot::default(), at(100));
        sees(&mut inside, 2, "b", at(150));
        sees(&mut inside, 3, "a", at(151));
        assert_eq!((chosen(&inside.mirror, "web"), begins(&inside)), (vec!["a".to_owned()], Some(171)));
        // It sees the end of the other vote, and of its wait.
        let gone = changes(&inside, 4, "b", false);
        assert_eq!(inside.apply("a", 4, gone, at(170)), ["pool/web/vote/b"]);
        assert_eq!(inside.handover.begin(at(171).0), (vec!["web".to_owned()], None));
        assert_eq!(begins(&inside), None);
    }

    #[test]
    fn who_was_elected_between_two_revisions_of_one_message_is_waited_for() {
        let mut inside = Inside::default();
        inside.replace("a", Snapshot::default(), at(100));
        let mut message = changes(&inside, 2, "b", true);
        let mut ahead = Inside::default();
        sees(&mut ahead, 2, "b", at(0));
        message.extend(changes(&ahead, 3, "a", true));
        let changed = inside.apply("a", 3, message, at(200));
        let keys = ["pool/web/vote/b", "pool/web/chosen", "pool/web/vote/a", "pool/web/chosen"];
        assert_eq!((changed.as_slice(), inside.mirror.revision()), (&keys.map(String::from)[..], 3));
        assert_eq!((chosen(&inside.mirror, "web"), begins(&inside)), (vec!["a".to_owned()], Some(220)));
    }

    #[test]
    fn a_snapshot_may_hide_who_was_displaced() {
        let snapshot = |inside: &Inside| {
            let keys = inside.mirror.under("").map(|(key, held)| (key.clone(), held.clone())).collect();
            Snapshot { cluster: "1".into(), revision: 9, keys }
        };
        let mut ahead = Inside::default();
        sees(&mut ahead, 2, "b", at(0));
        sees(&mut ahead, 3, "a", at(0));
        // It starts, and was elected by an earlier run.
        let mut inside = Inside::default();
        let changed = inside.replace("a", snapshot(&ahead), at(300));
        assert_eq!(changed, ["pool/web/chosen", "pool/web/vote/a", "pool/web/vote/b"]);
        assert_eq!(begins(&inside), Some(320));
        // Another snapshot with the same result is not news.
        assert_eq!(inside.replace("a", snapshot(&ahead), at(400)), [""; 0]);
        assert_eq!(begins(&inside), Some(320));
    }
}
