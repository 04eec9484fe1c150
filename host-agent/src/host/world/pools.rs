//! Votes, and the results of pools. A result is a function of the votes and the result before: anyone who votes writes
//! both in one transaction, and any voter who sees another result writes the right one. So there is no leader.
//!
//! If only signed votes count ([`Electorate`](super::electorate::Electorate)), a host acts only on the part of a result that
//! follows from them, since anyone may have written it: it is elected if the result names it, and the votes do as well.

mod seen;

pub(super) use seen::nothing_newer;

use super::ballot::vote_place;
use super::gateway::{Failure, If, Write};
use super::leases::Tick;
use super::limits::named_within_limits;
use super::signing::Signer;
use super::{Inside, SharedStore, statement, value};
use mclive_base::vocab::schedule::{self, Fact, Lease, Options, cast, place, pool_of, votes_of};
use mclive_base::vocab::{Datum, HostError};
use std::time::Duration;
use tokio::time::timeout;

/// How often a vote is tried while others vote.
const TRIES: usize = 20;
/// How long to wait for the votes of others that came between.
const OTHERS: Duration = Duration::from_secs(1);

/// What a vote changes in the store.
struct Transaction {
    conditions: Vec<If>,
    writes: Vec<Write>,
    /// The revision of the mirror.
    revision: i64,
    /// It holds only if nothing of the pool is newer than the mirror.
    is_of_pool: bool,
}

impl SharedStore {
    /// This host's vote in a pool, and whether this run holds it.
    pub(in crate::host) fn vote_of(&self, namespace: &str) -> Option<(Options, bool)> {
        let inside = self.inside.lock();
        let (_, vote) = votes_of(&inside.mirror, namespace).into_iter().find(|(host, _)| *host == self.hostname)?;
        let lease = vote.options.lease.seconds().and_then(|ttl| inside.leases.number(ttl)).unwrap_or(0);
        let key = format!("{}vote/{}", place(namespace), self.hostname);
        let is_own = inside.own.vote_in(&place(namespace)).is_some() && inside.electorate.counts(&key);
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
        let mut hosts = inside.elected(&fact.namespace);
        hosts.retain(|host| is_sure || *host != self.hostname);
        hosts.sort();
        Datum::List(hosts.into_iter().map(Datum::text).collect())
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
            Some(vote) => match self.cast(&vote.namespace, Some(&vote.options)).await {
                // The resource that votes says why.
                Err(Failure::Wrong(_)) => Ok(()),
                cast => cast,
            },
            None => Ok(()),
        }
    }

    /// Removes a vote that others have written in the name of this host, unless it votes by now.
    pub(super) async fn withdraw_again(&self, place: &str) -> Result<(), Failure> {
        let _one_at_a_time = self.casting.lock().await;
        let votes = self.inside.lock().own.vote_in(place).is_some();
        match pool_of(&format!("{place}chosen")).filter(|_| !votes) {
            Some(namespace) => self.cast(&namespace, None).await,
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
            let Transaction { conditions, writes, revision, is_of_pool } = self.ballot(namespace, options, lease)?;
            if writes.is_empty() {
                return Ok(());
            }
            let asked = Tick::now();
            match self.gateway.commit(&conditions, &writes, &[], None).await {
                Ok(done) if done.held => {
                    // The transaction held because nothing of the pool was newer.
                    if let Some(ttl) = ttl.filter(|_| is_of_pool) {
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

    /// The transaction of a vote: it holds only if no other host has voted since the mirror's revision. Errors: why a vote
    /// of this host does not count.
    fn ballot(&self, namespace: &str, options: Option<&Options>, lease: i64) -> Result<Transaction, Failure> {
        let mut inside = self.inside.lock();
        let (place, revision) = (schedule::place(namespace), inside.mirror.revision());
        let obstacle = inside.electorate.obstacle(&place);
        let can_count = obstacle.is_none();
        let rival = inside.electorate.rival(&self.hostname, &inside.mirror, &place);
        if options.is_some() {
            let own_key = self.signer.as_ref().map(Signer::public);
            let allowed = obstacle.map_or_else(|| inside.electorate.may_vote(&self.hostname, own_key), Err);
            allowed.map_err(|why| Failure::Wrong(format!("no vote in the pool {namespace}: {why}")))?;
        }
        let mut conditions = nothing_newer(&place, revision);
        let mut writes = Vec::new();
        let [vote, chosen] = cast(&inside.counting(), namespace, &self.hostname, options);
        let vote_key = vote.0.clone();
        let signed = self.signed_vote(&inside, &vote_key, vote.1.as_ref(), lease);
        if let Some(host) = &rival
            && inside.mirror.held(&chosen.0).map(|held| &held.value) != chosen.1.as_ref()
        {
            inside.electorate.leave(namespace, host);
        }
        // Without the votes of others, the result is not known: it is left to them.
        let chosen = (can_count && rival.is_none()).then_some((chosen, 0));
        for ((key, value), lease) in [(vote, lease)].into_iter().chain(chosen) {
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
        let is_of_pool = !writes.is_empty();
        if !is_of_pool {
            // All voters sign again when the list of voters is replaced: they do not wait for each other.
            let held = inside.mirror.held(&vote_key);
            conditions = vec![If::Is(vote_key, held.map_or(0, |held| held.modified))];
        }
        writes.extend(signed);
        Ok(Transaction { conditions, writes, revision, is_of_pool })
    }

    /// The statement of this host about its vote, if it differs from what is stored.
    fn signed_vote(&self, inside: &Inside, key: &str, vote: Option<&Datum>, lease: i64) -> Option<Write> {
        let (signer, place) = (self.signer.as_ref()?, vote_place(key)?);
        let stored = inside.mirror.held(&place);
        let Some(vote) = vote.and_then(statement::bytes) else {
            return stored.map(|_| Write::Delete(place));
        };
        let list = inside.electorate.number();
        let is_so = stored.is_some_and(|held| {
            let stored = statement::bytes(&held.value);
            held.lease == lease && stored.is_some_and(|stored| signer.has_voted(key, vote, stored, lease, list))
        });
        (!is_so).then(|| Write::Put(place, signer.votes(key, vote, lease, list), lease))
    }

    /// Removes a result without voters: the last one crashed.
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
