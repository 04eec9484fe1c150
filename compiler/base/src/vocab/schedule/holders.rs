//! [`Holders`]: which votes a run holds, and what becomes of those that it lets go. The same on both bodies.

use super::Lease;
use std::collections::{BTreeMap, BTreeSet};

/// The votes of one run, by pool.
#[derive(Default, Debug)]
pub struct Holders {
    pools: BTreeMap<String, Pool>,
}

#[derive(Default, Debug)]
struct Pool {
    watches: BTreeSet<u64>,
    /// Of the vote that this run has cast.
    lease: Option<Lease>,
    /// Nobody has let it go.
    is_held: bool,
    /// Counts what happened to the vote: an end that was set before is none any more.
    turn: u64,
}

/// When a vote that nobody holds is to be withdrawn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    pub namespace: String,
    /// Units: seconds, from now on.
    pub after_s: u64,
    turn: u64,
}

/// A vote that is let go stays so long: a program that goes on voting in another way has it again by then, and nobody
/// else was elected in between.
const GRACE_S: u64 = 1;

impl Holders {
    /// A watch that holds whatever this run votes in a pool.
    pub fn watch(&mut self, ticket: u64, namespace: &str) {
        self.pools.entry(namespace.to_owned()).or_default().watches.insert(ticket);
    }

    /// This run has voted, or withdrawn the vote.
    pub fn cast(&mut self, namespace: &str, lease: Option<Lease>) {
        let pool = self.pools.entry(namespace.to_owned()).or_default();
        (pool.lease, pool.is_held) = (lease, lease.is_some());
        pool.turn += 1;
    }

    /// This run holds the vote. One without an end needs nobody.
    pub fn holds(&self, namespace: &str, lease: Lease) -> bool {
        lease == Lease::Endless || self.pools.get(namespace).is_some_and(|pool| pool.is_held)
    }

    /// A watch has ended: the votes that it was the last to hold.
    pub fn leave(&mut self, ticket: u64) -> Vec<End> {
        let mut ends = Vec::new();
        for (namespace, pool) in &mut self.pools {
            if !pool.watches.remove(&ticket) || !pool.watches.is_empty() {
                continue;
            }
            let after_s = match pool.lease.filter(|_| pool.is_held) {
                None | Some(Lease::Endless) => continue,
                Some(Lease::Held) => GRACE_S,
                Some(Lease::For(s)) => s,
            };
            pool.is_held = false;
            pool.turn += 1;
            ends.push(End { namespace: namespace.clone(), after_s, turn: pool.turn });
        }
        ends
    }

    /// A vote of an earlier run, which went without a word.
    pub fn found(&mut self, namespace: &str, lease: Lease) -> Option<End> {
        let after_s = lease.seconds()?;
        let turn = self.pools.entry(namespace.to_owned()).or_default().turn;
        Some(End { namespace: namespace.to_owned(), after_s, turn })
    }

    /// The time of an end has come. It counts unless something happened to the vote since it was set.
    pub fn is_over(&self, end: &End) -> bool {
        self.pools.get(&end.namespace).is_some_and(|pool| pool.turn == end.turn)
    }

    /// The run ends: the pools whose votes end with it, also those that were just let go.
    pub fn stop(&mut self) -> Vec<String> {
        let pools = std::mem::take(&mut self.pools).into_iter();
        pools.filter(|(_, pool)| pool.lease == Some(Lease::Held)).map(|(namespace, _)| namespace).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_watch_lets_go_and_who_votes_again_keeps() {
        let mut holders = Holders::default();
        holders.watch(1, "web");
        holders.watch(2, "web");
        assert!(!holders.holds("web", Lease::Held));
        holders.cast("web", Some(Lease::For(30)));
        assert!(holders.holds("web", Lease::For(30)));
        assert_eq!(holders.leave(1), []);
        let ends = holders.leave(2);
        assert_eq!((ends.len(), ends[0].after_s), (1, 30));
        assert!(holders.is_over(&ends[0]));
        assert!(!holders.holds("web", Lease::For(30)));
        holders.watch(3, "web");
        holders.cast("web", Some(Lease::Held));
        assert!(!holders.is_over(&ends[0]));
        assert_eq!(holders.leave(3).len(), 1);
        assert_eq!(holders.stop(), ["web"]);
    }

    #[test]
    fn what_an_earlier_run_left_ends_unless_it_is_endless() {
        let mut holders = Holders::default();
        assert_eq!(holders.found("a", Lease::Endless), None);
        assert_eq!(holders.found("a", Lease::Held).map(|end| end.after_s), Some(10));
        assert!(holders.holds("a", Lease::Endless));
    }
}
