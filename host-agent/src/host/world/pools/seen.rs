//! The elections that this host has seen: each revision matters, since a host that was elected in between may act on
//! it.

use super::super::Inside;
use super::super::ballot::place_of;
use super::super::electorate::{Counting, Electorate};
use super::super::gateway::If;
use super::super::leases::Tick;
use super::super::mirror::{Change, Snapshot};
use super::super::own::POOLS;
use super::super::voters::VOTERS;
use crate::deploy::Operators;
use mclive_base::vocab::schedule::{Election, Vote, chosen, confirmed, place, pool_of, pools, votes_of};
use std::collections::{BTreeMap, BTreeSet};

/// A pool before a change.
struct Before {
    pool: String,
    elected: Vec<String>,
    /// This host could not count its votes.
    is_blocked: bool,
    /// The votes that counted, if only signed ones do from here on.
    votes: Vec<(String, Vote)>,
}

impl Inside {
    /// The elected hosts of a pool, as far as the result counts.
    pub(in super::super) fn elected(&self, pool: &str) -> Vec<String> {
        if !self.electorate.is_signed() {
            return chosen(&self.mirror, pool);
        }
        match self.electorate.obstacle(&place(pool)) {
            Some(_) => Vec::new(),
            None => confirmed(&self.counting(), pool),
        }
    }

    /// The mirror with the votes that count only.
    pub(in super::super) fn counting(&self) -> Counting<'_> {
        Counting { mirror: &self.mirror, electorate: &self.electorate }
    }

    /// Replaces everything with a snapshot, for the host `me`; returns the keys whose values differ, sorted.
    pub(in super::super) fn replace(&mut self, me: &str, snapshot: Snapshot, now: Tick) -> Vec<String> {
        let before = self.all_before();
        let mut changed = self.mirror.replace(snapshot);
        self.handover.listen(now.0);
        self.look_at_size();
        let mut judged = self.electorate.look(&self.mirror);
        judged.extend(self.see_all(me, before, now));
        judged.extend(self.judge_all(me));
        if !judged.is_empty() {
            changed.extend(judged);
            changed.sort();
            changed.dedup();
        }
        changed
    }

    /// Applies changes up to a revision, for the host `me`; returns the keys whose values differ, in order. Each
    /// revision matters: a host that was elected in between may act on it.
    pub(in super::super) fn apply(&mut self, me: &str, revision: i64, changes: Vec<Change>, now: Tick) -> Vec<String> {
        let mut by_revision: BTreeMap<i64, Vec<Change>> = BTreeMap::new();
        for change in changes {
            by_revision.entry(change.revision).or_default().push(change);
        }
        let mut changed = Vec::new();
        for (at, changes) in by_revision {
            let concerned = self.concerned(&changes).into_iter();
            let mut before: BTreeMap<String, Before> =
                concerned.map(|pool| (pool.clone(), self.before(pool))).collect();
            let (votes, to_judge) = (self.electorate.to_look(&changes), self.to_judge(&changes));
            let differing = self.mirror.apply(at, changes);
            let mut judged = match votes {
                None => self.electorate.look(&self.mirror),
                Some(votes) => {
                    let weighed = self.electorate.weigh(&self.mirror, votes);
                    // Of these pools, nothing but statements has changed, and they are not decided yet.
                    for pool in self.electorate.moved(&weighed).iter().filter_map(|place| pool_of(&result(place))) {
                        before.entry(pool.clone()).or_insert_with(|| self.before(pool));
                    }
                    self.electorate.decide(weighed)
                }
            };
            judged.extend(before.into_values().filter_map(|before| self.see(me, before, now)));
            judged.extend(self.judge(me, to_judge));
            if !judged.is_empty() {
                let known: BTreeSet<&String> = differing.iter().collect();
                judged.retain(|key| !known.contains(key));
            }
            changed.extend(differing.into_iter().chain(judged));
        }
        changed.extend(self.mirror.apply(revision, Vec::new()));
        self.look_at_size();
        changed
    }

    /// Takes over the list of operators as it is now; returns the keys that count, or do not count any more.
    pub(in super::super) fn trust_again(&mut self, me: &str, read: Result<Operators, String>) -> Vec<String> {
        let list_of = |electorate: &Electorate| (electorate.number(), electorate.keeps_another());
        let (before, list) = (self.all_before(), list_of(&self.electorate));
        if !self.electorate.trust_again(read) {
            return Vec::new();
        }
        let mut changed = self.electorate.look(&self.mirror);
        changed.extend(self.see_all(me, before, Tick::now()));
        // A host that could not vote may do so now, also if no other host has voted.
        changed.extend((list_of(&self.electorate) != list).then(|| VOTERS.to_owned()));
        changed
    }

    /// The pools whose elections these changes may change, apart from what they say about votes.
    fn concerned(&self, changes: &[Change]) -> BTreeSet<String> {
        let mut concerned: BTreeSet<String> = changes.iter().filter_map(|change| pool_of(&change.key)).collect();
        if self.electorate.is_signed() {
            let of_pools = changes.iter().filter(|change| change.key.starts_with(POOLS));
            let places = of_pools.filter_map(|change| place_of(&change.key));
            concerned.extend(places.filter_map(|place| pool_of(&result(&place))));
        }
        if changes.iter().any(|change| change.key == VOTERS) {
            concerned.extend(pools(&self.mirror));
        }
        concerned
    }

    fn before(&self, pool: String) -> Before {
        let (elected, votes) = (self.elected(&pool), votes_of(&self.counting(), &pool));
        let is_blocked = self.is_blocked(&pool);
        Before { pool, elected, is_blocked, votes }
    }

    /// Whether this host cannot count the votes of a pool.
    fn is_blocked(&self, pool: &str) -> bool {
        self.electorate.obstacle(&place(pool)).is_some()
    }

    fn all_before(&self) -> BTreeMap<String, Before> {
        pools(&self.mirror).into_iter().map(|pool| (pool.clone(), self.before(pool))).collect()
    }

    /// The result of each pool may differ from the one before. Returns the keys of those that do.
    fn see_all(&mut self, me: &str, mut before: BTreeMap<String, Before>, now: Tick) -> Vec<String> {
        for pool in pools(&self.mirror) {
            let none = || Before { pool: pool.clone(), elected: Vec::new(), is_blocked: false, votes: Vec::new() };
            before.entry(pool.clone()).or_insert_with(none);
        }
        before.into_values().filter_map(|before| self.see(me, before, now)).collect()
    }

    /// The result of a pool may differ from the one before. Returns its key if it does, or if this host can count the votes
    /// from now on, or no longer: its own vote and the result may be due.
    fn see(&mut self, me: &str, before: Before, now: Tick) -> Option<String> {
        let Before { pool, elected: earlier, is_blocked, votes: counted } = before;
        let after = self.elected(&pool);
        if earlier == after {
            return (is_blocked != self.is_blocked(&pool)).then(|| result(&place(&pool)));
        }
        let mut votes = votes_of(&self.counting(), &pool);
        let place = place(&pool);
        if self.electorate.is_signed() {
            // The host of a vote that no longer counts may not know yet, and act on its election.
            let is_there = |host: &str| self.mirror.held(&format!("{place}vote/{host}")).is_some();
            let ceased = counted.into_iter().filter(|(host, _)| is_there(host));
            let awaited = votes_of(&self.mirror, &pool).into_iter();
            let awaited = awaited.filter(|(host, _)| self.handover.awaits(&pool, host, now.0));
            for (host, vote) in ceased.chain(awaited) {
                if votes.iter().all(|(other, _)| *other != host) {
                    votes.push((host, vote));
                }
            }
        }
        let election = Election { pool: &pool, before: &earlier, after: &after, votes: &votes };
        self.handover.see(me, &election, now.0);
        Some(result(&place))
    }
}

/// Nothing that the election in the pool with this prefix depends on was set after this revision. A host that knows no list
/// of voters could otherwise count votes as before after the others have stopped.
pub(in super::super) fn nothing_newer(place: &str, revision: i64) -> Vec<If> {
    [place, VOTERS].map(|prefix| If::NoneAfter(prefix.to_owned(), revision)).into()
}

/// The key of the result of the pool with this prefix.
fn result(place: &str) -> String {
    format!("{place}chosen")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::world::mirror::Held;
    use mclive_base::vocab::schedule::{Lease, Options, Strategy, cast};
    use std::time::Duration;

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
