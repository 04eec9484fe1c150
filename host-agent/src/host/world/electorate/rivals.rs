//! To whom a host leaves the result of a pool. A host that requires signed votes keeps its list while it cannot use the one in
//! the store: the list was removed, forged or set back, or the file with the operators is outdated. Others use the list in the
//! store and count other votes, so each side would correct the result of the other without end. Both act only on what
//! their own list confirms, and so only one of them has to write: a host that keeps a list leaves the result to those that
//! vote in the pool and use the list in the store or a later one than it has. Each vote names the list that its host uses.
//! While no such host votes, or none of them can count the votes, those that keep the same list continue alone.

use super::super::ballot::{Ballot, list_named, vote_place, voter};
use super::super::mirror::Mirror;
use super::super::statement::bytes;
use super::super::voters::Voters;
use super::Electorate;
use mclive_base::unicode::visible;
use std::collections::BTreeSet;

#[derive(Default)]
pub(super) struct Rivals {
    stored: Stored,
    /// The pools of which a warning was given.
    told: BTreeSet<String>,
}

/// The list in the store.
#[derive(Default)]
enum Stored {
    /// This host uses it, or has no other list.
    #[default]
    Used,
    /// No host can use it.
    Unreadable,
    /// There is none, so hosts that require nothing count all votes.
    Absent,
    /// Other hosts may use it.
    Listed(Voters),
}

impl Rivals {
    /// This host uses another list than the one with these bytes.
    pub(super) fn keep(&mut self, stored: Option<&[u8]>, cluster: &str) {
        let read = |stored: &[u8]| Voters::read(stored, cluster).map_or(Stored::Unreadable, Stored::Listed);
        self.stored = stored.map_or(Stored::Absent, read);
    }
}

impl Electorate {
    /// Whether this host keeps another list than the one in the store.
    pub(in super::super) fn keeps_another(&self) -> bool {
        !matches!(self.rivals.stored, Stored::Used)
    }

    /// The host to which the host `me` leaves the result of the pool with this prefix. `None`: it writes the result.
    pub(in super::super) fn rival(&self, me: &str, mirror: &Mirror, place: &str) -> Option<String> {
        let votes = format!("{place}vote/");
        // The number of the list with which others count; 0: with none.
        let used = match &self.rivals.stored {
            Stored::Used => return None,
            Stored::Unreadable => None,
            Stored::Absent => Some(0),
            Stored::Listed(list) => Some(list.n).filter(|_| !self.blocks(list, mirror, &votes)),
        };
        let is_rival = |vote: &str| {
            // One that is not signed only counts where there is no list.
            let named = statement(mirror, vote).and_then(list_named).unwrap_or(0);
            // The list of this host may have the same number as the one in the store.
            let may_keep_the_same = named == self.number() && self.counts(vote);
            Some(named) == used && !may_keep_the_same || named > self.number()
        };
        let mut others =
            mirror.under(&votes).filter_map(|(key, _)| Some((key, voter(key).filter(|host| *host != me)?)));
        others.find(|(key, _)| is_rival(key)).map(|(_, host)| host.to_owned())
    }

    /// Whether a host that uses this list cannot count the votes with this prefix, see [`Electorate::obstacle`]: a vote
    /// that is valid by this list names a later one.
    fn blocks(&self, list: &Voters, mirror: &Mirror, votes: &str) -> bool {
        mirror.under(votes).any(|(key, held)| {
            let stored = statement(mirror, key);
            let value = bytes(&held.value).unwrap_or_default();
            let ballot = Ballot { cluster: &self.cluster, key, value, lease: held.lease };
            let is_later = stored.and_then(list_named).is_some_and(|named| named > list.n);
            is_later && ballot.judge(stored, list).is_ok()
        })
    }

    /// Says that the result of a pool is left to another host, once for each pool.
    pub(in super::super) fn leave(&mut self, pool: &str, host: &str) {
        if !self.rivals.told.insert(pool.to_owned()) {
            return;
        }
        let why = self.problem.as_deref().unwrap_or_default();
        crate::output::tell(&format!(
            "mclive: warning: this host does not correct the result of the pool {}: {} votes there with another list of \
             voters than list {}, which this host keeps: {}",
            visible(pool),
            visible(host),
            self.number(),
            visible(why)
        ));
    }
}

/// What the host of a vote says about it.
fn statement<'a>(mirror: &'a Mirror, vote: &str) -> Option<&'a [u8]> {
    vote_place(vote).and_then(|place| bytes(&mirror.held(&place)?.value))
}
