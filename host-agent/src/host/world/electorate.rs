//! [`Electorate`]: which votes count. Without a list of voters in the store, all of them do. With one, a vote counts if its
//! host has signed it with a key that the list has for this host. The list is in the store and replaced as a whole, so at
//! each revision all hosts count the same votes, and correct a result in the same way.
//!
//! A host that requires signed votes knows the operators. It only uses lists that one of them has signed, and keeps the
//! latest one that it has seen: a list that was removed, forged or set back changes nothing. While it keeps such a list, it
//! leaves results to the hosts that use the one in the store (`rivals.rs`). A host that cannot count the votes of a pool
//! writes no result there and acts on none, so it never disagrees with those that can. Every vote names the list that its
//! host knew, so a host that has just started recognises a list that was set back.

mod rivals;
#[cfg(test)]
mod tests;
mod verdicts;

use super::ballot::{Ballot, place_of, vote_place, voted, voter};
use super::lists::follow;
use super::mirror::{Change, Mirror};
use super::own::POOLS;
use super::statement::{Doubt, bytes};
use super::voters::{VOTERS, Voters, operators};
use super::{Inside, SharedStore};
use crate::deploy::{Operators, PublicKey};
use crate::host::Shared;
use mclive_base::unicode::visible;
use mclive_base::vocab::store::Keys;
use mclive_base::vocab::{Datum, KeyStore};
use rivals::Rivals;
use std::collections::BTreeSet;
use std::future::{pending, ready};
use std::path::PathBuf;
use std::sync::Weak;
#[cfg(test)]
use std::sync::atomic::{AtomicUsize, Ordering};
use verdicts::{Verdict, Verdicts};

/// The maximum number of warnings: anyone who can write to the store can invent any number of names.
const MOST_TOLD: usize = 32;
/// The name of the list in reasons.
const LIST: &str = "the list of voters";
const NO_LIST: &str = "there is no list of voters; publish one with `mclive world voters --publish FILE`";

#[derive(Default)]
pub(super) struct Electorate {
    cluster: String,
    /// `None`: this host does not require signed votes, and uses any list.
    trust: Option<Trust>,
    list: List,
    /// With a list only.
    verdicts: Verdicts,
    /// The hosts to which this one leaves results.
    rivals: Rivals,
    /// What a warning was about: a host, and why.
    told: BTreeSet<(String, Doubt)>,
    /// Why the list in the store is not used, as it was told last.
    problem: Option<String>,
    /// Why the list of operators cannot be read now.
    unread: Option<String>,
    /// How often the votes that count were read.
    #[cfg(test)]
    n_reads: AtomicUsize,
}

/// A vote, and what is found about it; `None`: it does not exist, or there is no list.
type Weighed = (String, Option<Verdict>);

/// The operators whose lists are used, and the file with their keys.
struct Trust {
    file: PathBuf,
    operators: Operators,
}

/// The list of voters.
#[derive(Default)]
enum List {
    /// All votes count.
    #[default]
    Absent,
    InForce(Voters),
    /// Why there is none that can be used: no vote counts.
    Unusable(String),
}

impl Electorate {
    /// `operators`: they must have signed the list, and the file with their keys.
    pub(super) fn new(cluster: &str, operators: Option<(PathBuf, Operators)>) -> Electorate {
        let trust = operators.map(|(file, operators)| Trust { file, operators });
        let list = if trust.is_some() { List::Unusable(NO_LIST.to_owned()) } else { List::Absent };
        Electorate { cluster: cluster.to_owned(), trust, list, ..Electorate::default() }
    }

    /// Whether votes only count with signatures.
    pub(super) fn is_signed(&self) -> bool {
        !matches!(self.list, List::Absent)
    }

    /// The number of the list in use; 0: none.
    pub(super) fn number(&self) -> u64 {
        match &self.list {
            List::InForce(voters) => voters.n,
            List::Absent | List::Unusable(_) => 0,
        }
    }

    /// Whether a vote counts.
    pub(super) fn counts(&self, vote: &str) -> bool {
        match &self.list {
            List::Absent => true,
            List::InForce(_) => self.verdicts.list(vote).is_some(),
            List::Unusable(_) => false,
        }
    }

    /// Why this host cannot count the votes of the pool with this prefix, a sentence without a full stop. `None`: it can.
    pub(super) fn obstacle(&self, place: &str) -> Option<String> {
        let voters = match &self.list {
            List::Absent => return None,
            List::Unusable(why) => return Some(why.clone()),
            List::InForce(voters) => voters,
        };
        let (later, host) = self.verdicts.later(place, voters.n).next()?;
        if self.keeps_another() {
            let why = self.problem.as_deref().unwrap_or_default();
            return Some(format!(
                "{} uses list {later} of voters, and this host list {}: {why}",
                visible(host),
                voters.n
            ));
        }
        Some(format!(
            "{} has seen list {later} of voters, but the one in the store is {}: someone else has written it again, or \
             the store was restored; publish the list again",
            visible(host),
            voters.n
        ))
    }

    /// Whether the vote of a host can count. `key`: the key with which it signs. Errors: why not, a sentence without a full
    /// stop.
    pub(super) fn may_vote(&self, host: &str, key: Option<PublicKey>) -> Result<(), String> {
        let List::InForce(voters) = &self.list else { return Ok(()) };
        match key {
            None => Err("only signed votes count in this group; run the agent with --host-key FILE".to_owned()),
            Some(key) if voters.have(host, key) => Ok(()),
            Some(key) => Err(format!(
                "list {} of voters does not have the key {} of this host; publish a list with the line that `mclive key \
                 show` prints for its --host-key",
                voters.n,
                key.id()
            )),
        }
    }

    /// How many votes do not count. `None`: all votes count.
    pub(super) fn n_refused(&self) -> Option<usize> {
        self.is_signed().then(|| self.verdicts.n_refused())
    }

    /// The votes that must be judged after these changes; `None`: all of them.
    pub(super) fn to_look(&self, changes: &[Change]) -> Option<BTreeSet<String>> {
        if changes.iter().any(|change| change.key == VOTERS) {
            return None;
        }
        if !self.is_signed() {
            return Some(BTreeSet::new());
        }
        let keys = changes.iter().map(|change| voted(&change.key).unwrap_or(&change.key));
        Some(keys.filter(|key| voter(key).is_some()).map(str::to_owned).collect())
    }

    /// Takes over the list as the mirror has it, and judges all votes. Returns the votes that count now and did not, or
    /// vice versa.
    pub(super) fn look(&mut self, mirror: &Mirror) -> Vec<String> {
        let votes = self.all(mirror);
        let before: BTreeSet<String> = votes.iter().filter(|vote| self.counts(vote)).cloned().collect();
        self.take(mirror);
        let weighed = self.weigh(mirror, votes.clone());
        self.decide(weighed);
        votes.into_iter().filter(|vote| before.contains(vote) != self.counts(vote)).collect()
    }

    /// All votes, and those that there were.
    fn all(&self, mirror: &Mirror) -> BTreeSet<String> {
        let votes = mirror.under(POOLS).map(|(key, _)| key).filter(|key| voter(key).is_some());
        votes.chain(self.verdicts.votes()).cloned().collect()
    }

    /// Judges these votes as the mirror has them. Nothing counts by this before it is decided.
    pub(super) fn weigh(&self, mirror: &Mirror, votes: BTreeSet<String>) -> Vec<Weighed> {
        let weigh = |vote: String| {
            let found = self.verdict(mirror, &vote);
            (vote, found)
        };
        votes.into_iter().map(weigh).collect()
    }

    fn verdict(&self, mirror: &Mirror, vote: &str) -> Option<Verdict> {
        let List::InForce(voters) = &self.list else { return None };
        let held = mirror.held(vote)?;
        let stored = vote_place(vote).and_then(|place| bytes(&mirror.held(&place)?.value));
        let value = bytes(&held.value).unwrap_or_default();
        let ballot = Ballot { cluster: &self.cluster, key: vote, value, lease: held.lease };
        Some(self.verdicts.weigh(&ballot, stored, voters))
    }

    /// The prefixes of the pools in which other hosts may be elected if this is decided: a vote counts from then on, or does
    /// not any more, or it is the only one that names a later list than this host has. If a list is replaced, all voters
    /// sign again; this keeps what each of them costs the others independent of how many there are.
    pub(super) fn moved(&self, weighed: &[Weighed]) -> BTreeSet<String> {
        let moves = weighed.iter().filter(|(vote, found)| {
            let before = self.verdicts.list(vote);
            let after = found.and_then(|found| found.judged.ok());
            before.is_some() != after.is_some() || (before.max(after) > Some(self.number()) && before != after)
        });
        let places = moves.filter_map(|(vote, _)| place_of(vote));
        places.filter(|place| !self.stays_behind(place, weighed)).collect()
    }

    /// Whether another vote of the pool with this prefix names a later list than this host has: no one is elected, whatever
    /// is decided about these.
    fn stays_behind(&self, place: &str, weighed: &[Weighed]) -> bool {
        let vote_of = |host: &str| format!("{place}vote/{host}");
        let mut hosts = self.verdicts.later(place, self.number()).map(|(_, host)| vote_of(host));
        hosts.any(|later| weighed.iter().all(|(vote, _)| *vote != later))
    }

    /// Stores the verdicts about votes. Returns those whose verdict has changed.
    pub(super) fn decide(&mut self, weighed: Vec<Weighed>) -> Vec<String> {
        let mut changed = Vec::new();
        for (vote, found) in weighed {
            let counted = self.counts(&vote);
            self.verdicts.set(&vote, found);
            if let Some(Err(doubt)) = found.map(|found| found.judged) {
                self.warn(&vote, doubt);
            }
            if self.counts(&vote) != counted {
                changed.push(vote);
            }
        }
        changed
    }

    /// Takes the list over as the mirror has it.
    fn take(&mut self, mirror: &Mirror) {
        let stored = mirror.held(VOTERS).map(|held| bytes(&held.value).unwrap_or_default());
        match self.read(stored) {
            Ok(list) => {
                let before = self.number();
                self.list = list.map_or(List::Absent, List::InForce);
                if self.number() != before {
                    self.told.clear();
                }
                (self.problem, self.rivals) = (None, Rivals::default());
            }
            Err(why) => {
                let keeps = self.trust.is_some() && matches!(self.list, List::InForce(_));
                let then =
                    if keeps { format!("still using list {}", self.number()) } else { "no vote counts".to_owned() };
                if self.problem.as_ref() != Some(&why) {
                    crate::output::tell(&format!("mclive: warning: {}; {then}", visible(&why)));
                    self.problem = Some(why.clone());
                }
                match keeps {
                    true => self.rivals.keep(stored, &self.cluster),
                    false => (self.list, self.rivals) = (List::Unusable(why), Rivals::default()),
                }
            }
        }
    }

    /// The list to use. Errors: why there is none, a sentence without a full stop.
    fn read(&self, stored: Option<&[u8]>) -> Result<Option<Voters>, String> {
        let Some(stored) = stored else {
            return if self.trust.is_some() { Err(NO_LIST.to_owned()) } else { Ok(None) };
        };
        let voters = Voters::read(stored, &self.cluster).map_err(|why| format!("{LIST} in the store is {why}"))?;
        if let Some(trust) = &self.trust {
            voters.judge(&trust.operators)?;
            if voters.n < self.number() {
                let (n, last) = (voters.n, self.number());
                return Err(format!("list {n} of voters was written again in place of list {last}"));
            }
        }
        Ok(Some(voters))
    }

    /// Says why a vote does not count, once for each host and reason.
    fn warn(&mut self, vote: &str, doubt: Doubt) {
        let host = voter(vote).unwrap_or_default();
        if self.told.len() >= MOST_TOLD || !self.told.insert((host.to_owned(), doubt)) {
            return;
        }
        let last = if self.told.len() == MOST_TOLD { "; other hosts are not reported" } else { "" };
        let why = doubt.words(&visible(host), LIST);
        crate::output::tell(&format!("mclive: warning: the vote {} does not count: {why}{last}", visible(vote)));
    }

    /// Takes over the list of operators as it is now. Returns whether it may be another one.
    pub(super) fn trust_again(&mut self, read: Result<Operators, String>) -> bool {
        let Some(trust) = self.trust.as_mut() else { return false };
        match read {
            Ok(operators) => {
                self.unread = None;
                trust.operators = operators;
                // The owner of the key may no longer be one of them.
                if let List::InForce(voters) = &self.list
                    && let Err(why) = voters.judge(&trust.operators)
                {
                    self.list = List::Unusable(why);
                }
                true
            }
            Err(why) => {
                if self.unread.as_ref() != Some(&why) {
                    crate::output::tell(&format!("mclive: warning: {why}; still using the previous keys"));
                    self.unread = Some(why);
                }
                false
            }
        }
    }
}

/// The store with the votes that count only.
pub(super) struct Counting<'a> {
    pub(super) mirror: &'a Mirror,
    pub(super) electorate: &'a Electorate,
}

impl Keys for Counting<'_> {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum> {
        self.mirror.get(store, key)
    }

    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        #[cfg(test)]
        self.electorate.n_reads.fetch_add(1, Ordering::Relaxed);
        let mut found = self.mirror.below(store, prefix);
        found.retain(|(key, _)| voter(key).is_none() || self.electorate.counts(key));
        found
    }
}

impl Inside {
    /// Whether a key is not of a vote, or of one that counts.
    pub(super) fn is_counted(&self, key: &str) -> bool {
        voter(key).is_none() || self.electorate.counts(key)
    }
}

impl SharedStore {
    /// Applies changes of the list of operators, without end.
    pub(super) async fn follow_operators(&self, shared: &Weak<Shared>) {
        let file = self.inside.lock().electorate.trust.as_ref().map(|trust| trust.file.clone());
        let Some(file) = file else { return pending().await };
        let take = |read| {
            let changed = self.inside.lock().trust_again(&self.hostname, read);
            self.tell(shared, &changed);
            self.notice_pools(changed.iter().map(String::as_str));
            ready(())
        };
        follow(file, shared, operators, take).await;
    }
}
