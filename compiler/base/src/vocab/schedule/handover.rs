//! [`Handover`]: when a host begins to act on its election. The same on both bodies. World spec, 16.
//!
//! A host that is cut off acts on its election until shortly before its vote ends, even if the others have elected
//! another host in the meantime. So a host that takes its place waits for as long as that vote lasts. It also waits if
//! the change may have happened while it did not listen.
//!
//! Times count from any fixed moment, by a clock that never goes back.

use super::Vote;
use std::collections::BTreeMap;
use std::time::Duration;

/// When one host may act on its elections, for all of its pools.
#[derive(Clone, Default, Debug)]
pub struct Handover {
    /// Since when no change was missed.
    listens_since: Duration,
    /// When a host that lost its place while it votes has ceased to act on it, by pool and host.
    displaced: BTreeMap<String, Ends>,
    /// From when on this host acts on its own election, by pool.
    from: Ends,
}

/// When waits are over.
type Ends = BTreeMap<String, Duration>;

/// The result of a pool as a host sees it.
#[derive(Clone, Copy, Debug)]
pub struct Election<'a> {
    /// The pool.
    pub pool: &'a str,
    /// The elected hosts before the change.
    pub before: &'a [String],
    /// The elected hosts after the change.
    pub after: &'a [String],
    /// The votes after the change, by host.
    pub votes: &'a [(String, Vote)],
}

impl Handover {
    /// Changes before this moment may have been missed.
    pub fn listen(&mut self, now: Duration) {
        self.listens_since = now;
    }

    /// Takes in a new result.
    pub fn see(&mut self, me: &str, result: &Election<'_>, now: Duration) {
        let Election { pool, before, after, votes } = *result;
        let after_ttl = |from: Duration, vote: &Vote| {
            let ttl_s = vote.options.lease.seconds()?;
            Some(from.saturating_add(Duration::from_secs(ttl_s)))
        };
        let is_in = |hosts: &[String], host: &str| hosts.iter().any(|other| other == host);
        let outside = votes.iter().filter(|(host, _)| !is_in(after, host));
        if let Some(ends) = self.displaced.get_mut(pool) {
            take_over(ends, now);
        }
        for (host, vote) in outside.clone().filter(|(host, _)| is_in(before, host)) {
            if let Some(end) = after_ttl(now, vote) {
                self.displaced.entry(pool.to_owned()).or_default().insert(host.clone(), end);
            }
        }
        if !is_in(after, me) {
            self.from.remove(pool);
        } else if !is_in(before, me) {
            let end = |(host, vote): &(String, Vote)| {
                let seen = self.displaced.get(pool).and_then(|ends| ends.get(host)).copied();
                seen.or_else(|| after_ttl(self.listens_since, vote))
            };
            if let Some(from) = outside.filter_map(end).max().filter(|from| *from > now) {
                self.from.insert(pool.to_owned(), from);
            }
        }
    }

    /// From when on this host acts on its election in a pool; `None`: from the beginning.
    pub fn from(&self, pool: &str) -> Option<Duration> {
        self.from.get(pool).copied()
    }

    /// Whether a host that lost its place may still act on it.
    pub fn awaits(&self, pool: &str, host: &str, now: Duration) -> bool {
        self.displaced.get(pool).and_then(|ends| ends.get(host)).is_some_and(|end| *end > now)
    }

    /// Ends the waits that are over; returns their pools, and when the next wait is over.
    pub fn begin(&mut self, now: Duration) -> (Vec<String>, Option<Duration>) {
        let over = take_over(&mut self.from, now);
        (over, self.from.values().min().copied())
    }
}

/// Removes the waits that are over; returns what they were for.
fn take_over(ends: &mut Ends, now: Duration) -> Vec<String> {
    let over: Vec<String> = ends.iter().filter(|(_, end)| **end <= now).map(|(what, _)| what.clone()).collect();
    for what in &over {
        ends.remove(what);
    }
    over
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vocab::schedule::{Lease, Options, Strategy};

    fn at(s: u64) -> Duration {
        Duration::from_secs(s)
    }

    /// What host `a` sees: who was and who is elected, of those who vote.
    fn see(handover: &mut Handover, before: &[&str], after: &[&str], voters: &[&str], lease: Lease, now: Duration) {
        let texts = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        let vote = || Vote { arrived: 1, options: Options { strategy: Strategy::Alphabetical, max: 1, lease } };
        let votes: Vec<(String, Vote)> = voters.iter().map(|host| ((*host).to_owned(), vote())).collect();
        let (before, after) = (texts(before), texts(after));
        handover.see("a", &Election { pool: "web", before: &before, after: &after, votes: &votes }, now);
    }

    #[test]
    fn who_takes_the_place_of_a_voter_waits_for_its_vote() {
        let mut handover = Handover::default();
        see(&mut handover, &["b"], &["a"], &["a", "b"], Lease::For(20), at(100));
        assert_eq!((handover.from("web"), handover.from("other")), (Some(at(120)), None));
        let awaits = |host: &str, s: u64| handover.awaits("web", host, at(s));
        assert!(awaits("b", 119) && !awaits("b", 120) && !awaits("a", 100));
        // It keeps its place in the meantime, and loses it.
        see(&mut handover, &["a"], &["a", "c"], &["a", "b", "c"], Lease::For(20), at(105));
        assert_eq!(handover.from("web"), Some(at(120)));
        see(&mut handover, &["a"], &["c"], &["b", "c"], Lease::For(20), at(106));
        assert_eq!(handover.from("web"), None);
        // Who has displaced a voter does not matter, while it votes.
        see(&mut handover, &["c"], &["a"], &["a", "b"], Lease::For(20), at(107));
        assert_eq!(handover.from("web"), Some(at(120)));
    }

    #[test]
    fn who_takes_the_place_of_one_whose_vote_has_ended_does_not_wait() {
        let mut handover = Handover::default();
        see(&mut handover, &["b"], &["a"], &["a"], Lease::Held, at(100));
        assert_eq!(handover.from("web"), None);
        // Others vote and were not elected; an endless vote has no time to wait for.
        see(&mut handover, &["b"], &["a"], &["a", "c"], Lease::Held, at(100));
        assert_eq!(handover.from("web"), None);
        see(&mut handover, &["b"], &["a"], &["a", "b"], Lease::Endless, at(100));
        assert_eq!(handover.from("web"), None);
    }

    #[test]
    fn what_was_missed_may_have_displaced_any_voter() {
        let mut handover = Handover::default();
        handover.listen(at(100));
        see(&mut handover, &["b"], &["a"], &["a", "c"], Lease::Held, at(103));
        assert_eq!(handover.from("web"), Some(at(110)));
        let mut handover = Handover::default();
        handover.listen(at(100));
        see(&mut handover, &["b"], &["a"], &["a", "c"], Lease::Held, at(110));
        assert_eq!(handover.from("web"), None);
    }
    #[test]
    fn a_wait_that_is_over_is_reported_once() {
        let mut handover = Handover::default();
        see(&mut handover, &["b"], &["a"], &["a", "b"], Lease::For(20), at(100));
        assert_eq!(handover.begin(at(119)), (Vec::new(), Some(at(120))));
        assert_eq!(handover.begin(at(120)), (vec!["web".to_owned()], None));
        assert_eq!((handover.begin(at(121)), handover.from("web")), ((Vec::new(), None), None));
        // Who loses its place again waits for nothing.
        see(&mut handover, &["b"], &["a"], &["a", "b"], Lease::For(20), at(200));
        see(&mut handover, &["a"], &["b"], &["a", "b"], Lease::For(20), at(201));
        assert_eq!(handover.begin(at(300)), (Vec::new(), None));
    }

    #[test]
    fn a_longer_vote_is_waited_for_longer() {
        let mut handover = Handover::default();
        let texts = |hosts: &[&str]| hosts.iter().map(|host| (*host).to_owned()).collect::<Vec<_>>();
        let vote = |host: &str, s: u64| {
            let options = Options { strategy: Strategy::Alphabetical, max: 2, lease: Lease::For(s) };
            (host.to_owned(), Vote { arrived: 1, options })
        };
        let votes = [vote("a", 5), vote("b", 5), vote("c", 30), vote("d", 10)];
        let (before, after) = (texts(&["c", "d"]), texts(&["a", "b"]));
        handover.see("a", &Election { pool: "web", before: &before, after: &after, votes: &votes }, at(100));
        assert_eq!(handover.from("web"), Some(at(130)));
    }
}
