//! [`Verdicts`]: which votes count under the current list of voters. All voters sign again when the list is replaced,
//! so what each change needs is kept here: a signature is verified once for each content, whatever the list, and
//! neither the latest list that the votes of a pool name nor the number of ignored votes is found by going through all
//! votes.

use super::super::ballot::{Ballot, place_of, voter};
use super::super::statement::Doubt;
use super::super::voters::Voters;
use crate::deploy::Sum;
use std::collections::{BTreeMap, BTreeSet};
#[cfg(test)]
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Default)]
pub(super) struct Verdicts {
    /// By the key of the vote.
    of: BTreeMap<String, Verdict>,
    /// By the prefix of the pool, of the votes that count: the number of the list that the host knew, and the host.
    named: BTreeMap<String, BTreeSet<(u64, String)>>,
    n_refused: usize,
    /// How many signatures were verified.
    #[cfg(test)]
    n_verified: AtomicUsize,
}

/// What is found about a vote.
#[derive(Clone, Copy)]
pub(in super::super) struct Verdict {
    /// The number of the list that its host knew, or why it does not count.
    pub(super) judged: Result<u64, Doubt>,
    /// `None`: the signature was not verified.
    proof: Option<Proof>,
}

/// What the signature proves about one content, under each list.
#[derive(Clone, Copy)]
struct Proof {
    of: Content,
    found: Result<(), Doubt>,
}

/// The sums of a vote and of its statement, and its lease.
type Content = (Sum, Option<Sum>, i64);

impl Verdicts {
    /// Judges a vote. `stored`: the statement about it.
    pub(super) fn weigh(&self, ballot: &Ballot<'_>, stored: Option<&[u8]>, voters: &Voters) -> Verdict {
        let of = (Sum::of(ballot.value), stored.map(Sum::of), ballot.lease);
        let known = self.of.get(ballot.key).and_then(|verdict| verdict.proof);
        let mut proof = known.filter(|proof| proof.of == of);
        let judged = ballot.judge_with(stored, voters, |signed| {
            let verified = || {
                #[cfg(test)]
                self.n_verified.fetch_add(1, Ordering::Relaxed);
                Proof { of, found: ballot.verify(signed) }
            };
            proof.get_or_insert_with(verified).found
        });
        Verdict { judged: judged.map(|signed| signed.list), proof }
    }

    /// Takes over what was found about a vote; `None`: it does not exist any more, or all votes count.
    pub(super) fn set(&mut self, vote: &str, verdict: Option<Verdict>) {
        let before = match verdict {
            Some(verdict) => self.of.insert(vote.to_owned(), verdict),
            None => self.of.remove(vote),
        };
        match before.map(|before| before.judged) {
            Some(Ok(list)) => self.forget(vote, list),
            Some(Err(_)) => self.n_refused -= 1,
            None => {}
        }
        match verdict.map(|verdict| verdict.judged) {
            Some(Ok(list)) => self.name(vote, list),
            Some(Err(_)) => self.n_refused += 1,
            None => {}
        }
    }

    fn name(&mut self, vote: &str, list: u64) {
        if let Some((place, host)) = place_of(vote).zip(voter(vote)) {
            self.named.entry(place).or_default().insert((list, host.to_owned()));
        }
    }

    fn forget(&mut self, vote: &str, list: u64) {
        let Some((place, host)) = place_of(vote).zip(voter(vote)) else { return };
        if let Some(named) = self.named.get_mut(&place) {
            named.remove(&(list, host.to_owned()));
            if named.is_empty() {
                self.named.remove(&place);
            }
        }
    }

    /// The number of the list that the host of a vote knew, if the vote counts.
    pub(super) fn list(&self, vote: &str) -> Option<u64> {
        self.of.get(vote)?.judged.ok()
    }

    /// The hosts in the pool with this prefix that know a later list than the one with this number, and which: the latest
    /// first.
    pub(super) fn later(&self, place: &str, than: u64) -> impl Iterator<Item = (u64, &str)> {
        let named = self.named.get(place).into_iter().flat_map(|named| named.iter().rev());
        named.map(|(list, host)| (*list, host.as_str())).take_while(move |(list, _)| *list > than)
    }

    /// How many votes do not count.
    pub(super) fn n_refused(&self) -> usize {
        self.n_refused
    }

    /// The votes that were judged.
    pub(super) fn votes(&self) -> impl Iterator<Item = &String> {
        self.of.keys()
    }

    #[cfg(test)]
    pub(super) fn n_verified(&self) -> usize {
        self.n_verified.load(Ordering::Relaxed)
    }
}
