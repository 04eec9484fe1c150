//! Votes, and the results of pools. A result is a function of the votes and the result before: whoever votes writes
//! both in one transaction, and any voter who sees another result writes the right one. So there is nobody to elect.

use super::gateway::{Failure, If, Write};
use super::leases::Tick;
use super::{SharedStore, value};
use mclive_base::vocab::schedule::{self, Fact, Lease, Options, cast, place, votes_of};
use mclive_base::vocab::{Datum, HostError};
use std::time::Duration;
use tokio::time::timeout;

/// How often a vote is tried while others vote.
const TRIES: usize = 20;
/// How long to wait for the votes of others that came between.
const OTHERS: Duration = Duration::from_secs(1);

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

    /// The elected hosts, sorted. This host is one of them only while its vote certainly lives: when it is cut off, the
    /// others elect somebody else at the end of its lease, and it stops a second before.
    pub(in crate::host) fn elected(&self, fact: &Fact) -> Datum {
        let inside = self.inside.lock();
        let believes = |lease: Lease| lease.seconds().is_none_or(|ttl| inside.leases.is_sure(ttl, Tick::now()));
        let vote = inside.own.vote_in(&place(&fact.namespace));
        let is_sure = vote.is_some_and(|vote| believes(vote.options.lease));
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
        self.inside.lock().own.vote(namespace, options);
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
            match self.gateway.commit(&conditions, &writes, &[], None).await {
                Ok(done) if done.held => return self.reaches(done.revision).await,
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

    /// The transaction of a vote: it holds only if nobody else has voted since the mirror's revision.
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

    /// Removes a result that nobody votes for any more: the last voter crashed.
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
