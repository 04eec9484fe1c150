//! [`Seats`]: from when on a host acts on its election. World spec, 16.
//!
//! A host that is cut off acts on its election until shortly before its vote ends, also if the others have elected
//! somebody else meanwhile. So whoever takes its place waits for as long as that vote lasts. The same holds if the change
//! may have happened while this host did not listen.

use crate::protocol::Moment;
use crate::vocab::schedule::Vote;
use std::collections::BTreeMap;

/// The pools of one host.
#[derive(Clone, Default)]
pub(super) struct Seats {
    /// Since when it has heard of every change.
    listens_since: Moment,
    /// When a host that lost its place while it votes has ceased to act on it, by pool and host.
    displaced: BTreeMap<(String, String), Moment>,
    /// From when on this host acts on its own election, by pool.
    from: BTreeMap<String, Moment>,
}

/// The result of a pool as a host sees it.
pub(super) struct Election<'a> {
    pub(super) pool: &'a str,
    pub(super) before: &'a [String],
    pub(super) after: &'a [String],
    /// After the change.
    pub(super) votes: &'a [(String, Vote)],
}

impl Seats {
    /// Changes before this moment may have been missed.
    pub(super) fn listen(&mut self, now: Moment) {
        self.listens_since = now;
    }

    /// Another result was seen.
    pub(super) fn see(&mut self, me: &str, result: &Election<'_>, now: Moment) {
        let Election { pool, before, after, votes } = *result;
        let after_ttl = |from: Moment, vote: &Vote| {
            let ttl_s = vote.options.lease.seconds()?;
            Some(from.plus_ms(ttl_s.saturating_mul(1000)))
        };
        let is_in = |hosts: &[String], host: &str| hosts.iter().any(|other| other == host);
        let outside = votes.iter().filter(|(host, _)| !is_in(after, host));
        self.displaced.retain(|(of, _), end| of != pool || *end > now);
        for (host, vote) in outside.clone().filter(|(host, _)| is_in(before, host)) {
            if let Some(end) = after_ttl(now, vote) {
                self.displaced.insert((pool.to_owned(), host.clone()), end);
            }
        }
        if !is_in(after, me) {
            self.from.remove(pool);
        } else if !is_in(before, me) {
            let end = |(host, vote): &(String, Vote)| {
                let seen = self.displaced.get(&(pool.to_owned(), host.clone())).copied();
                seen.or_else(|| after_ttl(self.listens_since, vote))
            };
            if let Some(from) = outside.filter_map(end).max().filter(|from| *from > now) {
                self.from.insert(pool.to_owned(), from);
            }
        }
    }

    /// From when on this host acts on its election in a pool; `None`: from the beginning.
    pub(super) fn from(&self, pool: &str) -> Option<Moment> {
        self.from.get(pool).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::schedule::{Lease, Options, Strategy};

    fn at(s: u64) -> Moment {
        Moment::default().plus_ms(s * 1000)
    }

    /// What host `a` sees: who was and who is elected, of those who vote.
    fn see(seats: &mut Seats, before: &[&str], after: &[&str], voters: &[&str], lease: Lease, now: Moment) {
        let texts = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        let vote = || Vote { arrived: 1, options: Options { strategy: Strategy::Alphabetical, max: 1, lease } };
        let votes: Vec<(String, Vote)> = voters.iter().map(|host| ((*host).to_owned(), vote())).collect();
        let (before, after) = (texts(before), texts(after));
        seats.see("a", &Election { pool: "web", before: &before, after: &after, votes: &votes }, now);
    }

    #[test]
    fn who_takes_the_place_of_a_voter_waits_for_its_vote() {
        let mut seats = Seats::default();
        see(&mut seats, &["b"], &["a"], &["a", "b"], Lease::For(20), at(100));
        assert_eq!((seats.from("web"), seats.from("other")), (Some(at(120)), None));
        // It keeps its place meanwhile, and loses it.
        see(&mut seats, &["a"], &["a", "c"], &["a", "b", "c"], Lease::For(20), at(105));
        assert_eq!(seats.from("web"), Some(at(120)));
        see(&mut seats, &["a"], &["c"], &["b", "c"], Lease::For(20), at(106));
        assert_eq!(seats.from("web"), None);
        // Who has displaced a voter does not matter, while it votes.
        see(&mut seats, &["c"], &["a"], &["a", "b"], Lease::For(20), at(107));
        assert_eq!(seats.from("web"), Some(at(120)));
    }

    #[test]
    fn who_takes_the_place_of_one_whose_vote_has_ended_does_not_wait() {
        let mut seats = Seats::default();
        see(&mut seats, &["b"], &["a"], &["a"], Lease::Held, at(100));
        assert_eq!(seats.from("web"), None);
        // Others vote and were not elected; an endless vote has no time to wait for.
        see(&mut seats, &["b"], &["a"], &["a", "c"], Lease::Held, at(100));
        assert_eq!(seats.from("web"), None);
        see(&mut seats, &["b"], &["a"], &["a", "b"], Lease::Endless, at(100));
        assert_eq!(seats.from("web"), None);
    }

    #[test]
    fn what_was_missed_may_have_displaced_any_voter() {
        let mut seats = Seats::default();
        seats.listen(at(100));
        see(&mut seats, &["b"], &["a"], &["a", "c"], Lease::Held, at(103));
        assert_eq!(seats.from("web"), Some(at(110)));
        let mut seats = Seats::default();
        seats.listen(at(100));
        see(&mut seats, &["b"], &["a"], &["a", "c"], Lease::Held, at(110));
        assert_eq!(seats.from("web"), None);
    }
}
