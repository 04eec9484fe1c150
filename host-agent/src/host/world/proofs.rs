//! [`Proofs`]: for how long this host relies on what its mirror says of the pools in which it votes. A mirror that lags
//! may show an election that others have ended since. A host that takes the place of a voter waits for as long as that
//! vote lasts, so an election counts for almost as long after the store has said that nothing of the pool is newer than
//! the mirror. World specification, 16.

use super::gateway::Failure;
use super::leases::{Term, Tick, doubt};
use super::pools::nothing_newer;
use super::{Inside, SharedStore};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::timeout;

/// How often a mirror that lags is waited for.
const TRIES: usize = 5;
/// For how long.
const BEHIND: Duration = Duration::from_secs(1);

/// By the places of pools.
#[derive(Default)]
pub(super) struct Proofs(BTreeMap<String, Term>);

impl Proofs {
    /// Nothing of the pool was newer than the mirror when the store was asked. The vote in it lasts for `ttl` seconds.
    /// `now`: the answer has arrived.
    pub(super) fn add(&mut self, place: &str, ttl: u64, asked: Tick, now: Tick) {
        match self.0.get_mut(place) {
            Some(term) if term.ttl() == ttl && term.is_sure(now) => {
                term.renew(asked, now);
            }
            // It has ended, perhaps while the answer was on its way, or the vote was cast again with another time.
            _ => {
                self.0.insert(place.to_owned(), Term::new(ttl, asked));
            }
        }
    }

    /// The mirror's state of this pool is no longer valid.
    pub(super) fn remove(&mut self, place: &str) {
        self.0.remove(place);
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn is_sure(&self, place: &str, now: Tick) -> bool {
        self.0.get(place).is_some_and(|term| term.is_sure(now))
    }

    /// The pools whose proof is new or has ended, and how long the next one lasts.
    pub(super) fn doubt(&mut self, now: Tick) -> (Vec<String>, Option<Duration>) {
        doubt(self.0.iter_mut().map(|(place, term)| (place.clone(), term)), now)
    }
}

impl Inside {
    /// The revision of the mirror, if there the vote of the host `me` is under its present lease with this time. A vote
    /// that is about to be cast again with a longer time still ends with the earlier one.
    fn voted(&self, me: &str, place: &str, ttl: u64) -> Option<i64> {
        let vote = self.mirror.held(&format!("{place}vote/{me}"))?;
        (self.leases.number(ttl) == Some(vote.lease)).then(|| self.mirror.revision())
    }
}

impl SharedStore {
    /// Asks repeatedly whether the mirror is right about the pools in which this host votes, until the store is lost.
    pub(super) async fn prove(&self) -> Failure {
        loop {
            let votes: Vec<(String, u64)> = {
                let inside = self.inside.lock();
                let votes = inside.own.votes();
                votes.filter_map(|(place, vote)| Some((place.clone(), vote.options.lease.seconds()?))).collect()
            };
            let pace = votes.iter().map(|(_, ttl)| Duration::from_secs(*ttl) / 3).min();
            for (place, ttl) in &votes {
                match self.prove_one(place, *ttl).await {
                    // Without rights, the election ends with its proof.
                    Ok(()) | Err(Failure::Refused(_)) => {}
                    Err(failure) => return failure,
                }
            }
            match pace {
                Some(pace) => drop(timeout(pace, self.proving.notified()).await),
                None => self.proving.notified().await,
            }
        }
    }

    async fn prove_one(&self, place: &str, ttl: u64) -> Result<(), Failure> {
        for _ in 0..TRIES {
            let asked = Tick::now();
            let voted = self.inside.lock().voted(&self.hostname, place, ttl);
            // A vote that is cast is proven by its own transaction.
            let Some(revision) = voted else { return Ok(()) };
            if self.gateway.commit(&nothing_newer(place, revision), &[], &[], None).await?.held {
                self.proves(place, ttl, asked);
                return Ok(());
            }
            let mut reached = self.reached.subscribe();
            let _ = timeout(BEHIND, reached.wait_for(|reached| reached.revision > revision)).await;
        }
        Ok(())
    }

    /// The store has confirmed that nothing in the pool is newer than the mirror.
    pub(super) fn proves(&self, place: &str, ttl: u64, asked: Tick) {
        let mut inside = self.inside.lock();
        // The vote may have been withdrawn in the meantime, or changed.
        if inside.own.vote_in(place).is_some_and(|vote| vote.options.lease.seconds() == Some(ttl)) {
            inside.proofs.add(place, ttl, asked, Tick::now());
        }
        self.doubts.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::world::mirror::{Change, Held};
    use mclive_base::vocab::Datum;

    fn at(seconds: u64) -> Tick {
        Tick(Duration::from_secs(seconds))
    }

    #[test]
    fn an_election_counts_for_a_second_less_than_the_vote_after_the_store_has_confirmed_it() {
        let mut proofs = Proofs::default();
        assert!(!proofs.is_sure("pool/web/", at(100)));
        proofs.add("pool/web/", 10, at(100), at(100));
        assert!(proofs.is_sure("pool/web/", at(108)) && !proofs.is_sure("pool/web/", at(109)));
        assert!(!proofs.is_sure("pool/db/", at(100)));
        // Each change of what counts is told once.
        let told = |pools: &[&str]| pools.iter().map(|pool| (*pool).to_owned()).collect::<Vec<_>>();
        assert_eq!(proofs.doubt(at(101)), (told(&["pool/web/"]), Some(Duration::from_secs(8))));
        proofs.add("pool/web/", 10, at(104), at(104));
        assert_eq!(proofs.doubt(at(105)), (told(&[]), Some(Duration::from_secs(8))));
        assert_eq!(proofs.doubt(at(113)), (told(&["pool/web/"]), None));
        assert_eq!(proofs.doubt(at(114)), (told(&[]), None));
        proofs.add("pool/web/", 10, at(120), at(120));
        assert_eq!(proofs.doubt(at(121)), (told(&["pool/web/"]), Some(Duration::from_secs(8))));
        proofs.remove("pool/web/");
        assert!(!proofs.is_sure("pool/web/", at(121)));
    }

    #[test]
    fn an_answer_that_arrives_after_the_end_is_reported() {
        let mut proofs = Proofs::default();
        let told = || vec!["pool/web/".to_owned()];
        proofs.add("pool/web/", 10, at(100), at(100));
        assert_eq!(proofs.doubt(at(101)), (told(), Some(Duration::from_secs(8))));
        // It was asked before the end, which was reported in the meantime.
        assert_eq!(proofs.doubt(at(109)), (told(), None));
        proofs.add("pool/web/", 10, at(108), at(110));
        assert!(proofs.is_sure("pool/web/", at(110)));
        assert_eq!(proofs.doubt(at(110)), (told(), Some(Duration::from_secs(7))));
        // The same, not yet reported.
        proofs.add("pool/web/", 10, at(116), at(118));
        assert_eq!(proofs.doubt(at(118)), (told(), Some(Duration::from_secs(7))));
    }

    #[test]
    fn a_vote_that_is_cast_again_with_another_time_counts_for_that_time() {
        for (first, second) in [(10, 30), (30, 10)] {
            let mut proofs = Proofs::default();
            proofs.add("pool/web/", first, at(100), at(100));
            let told = (vec!["pool/web/".to_owned()], Some(Duration::from_secs(first - 2)));
            assert_eq!(proofs.doubt(at(101)), told);
            proofs.add("pool/web/", second, at(102), at(102));
            let end = 102 + second - 1;
            assert!(proofs.is_sure("pool/web/", at(end - 1)) && !proofs.is_sure("pool/web/", at(end)), "{second}");
            let told = (vec!["pool/web/".to_owned()], Some(Duration::from_secs(end - 103)));
            assert_eq!(proofs.doubt(at(103)), told);
        }
    }

    #[test]
    fn a_vote_is_proven_with_the_time_that_it_has_in_the_store() {
        let (place, key) = ("pool/web/", "pool/web/vote/a".to_owned());
        let mut inside = Inside::default();
        inside.leases.granted(10, 7, at(0));
        assert_eq!(inside.voted("a", place, 10), None);
        let held = Some(Held { value: Datum::text("x"), modified: 5, lease: 7 });
        inside.mirror.apply(5, vec![Change { key, revision: 5, held }]);
        assert_eq!(inside.voted("a", place, 10), Some(5));
        // It is to be cast with a longer time, and was not yet; or its lease was lost.
        inside.leases.granted(30, 8, at(1));
        assert_eq!((inside.voted("a", place, 30), inside.voted("b", place, 10)), (None, None));
        inside.leases.granted(10, 9, at(2));
        assert_eq!(inside.voted("a", place, 10), None);
    }
}
