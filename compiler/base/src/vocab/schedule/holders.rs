//! [`Holders`]: which votes a run holds, and what happens to those that it releases. The same on both bodies.

use super::Lease;
use crate::gather::Boxed;
use std::collections::BTreeSet;

/// The votes of one run, by pool.
#[derive(Clone, Default, Debug)]
pub struct Holders {
    pools: Boxed<String, Pool>,
}

#[derive(Clone, Default, Debug)]
struct Pool {
    watches: BTreeSet<u64>,
    /// The lease of this run's vote.
    lease: Option<Lease>,
    /// Whether the vote is still held by a watch.
    is_held: bool,
    /// Counts changes of the vote, which invalidate an earlier timer.
    turn: u64,
}

/// When to withdraw a vote that is no longer held.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// The pool.
    pub namespace: String,
    /// Seconds from now.
    pub after_s: u64,
    turn: u64,
}

/// How long a released vote stays. A program that votes again in another way within this time keeps its place, with no
/// election in between.
const GRACE_S: u64 = 1;

impl Holders {
    /// Registers a watch that holds this run's vote in a pool.
    pub fn watch(&mut self, ticket: u64, namespace: &str) {
        self.pools.entry(namespace.to_owned()).or_default().watches.insert(ticket);
    }

    /// Records that this run has voted, or withdrawn its vote.
    pub fn cast(&mut self, namespace: &str, lease: Option<Lease>) {
        let pool = self.pools.entry(namespace.to_owned()).or_default();
        (pool.lease, pool.is_held) = (lease, lease.is_some());
        pool.turn += 1;
    }

    /// Whether this run holds the vote. Endless votes need no holder.
    pub fn holds(&self, namespace: &str, lease: Lease) -> bool {
        lease == Lease::Endless || self.pools.get(namespace).is_some_and(|pool| pool.is_held)
    }

    /// Ends a watch; returns the votes that are no longer held.
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

    /// A vote left over from an earlier run that crashed.
    pub fn found(&mut self, namespace: &str, lease: Lease) -> Option<End> {
        let after_s = lease.seconds()?;
        let turn = self.pools.entry(namespace.to_owned()).or_default().turn;
        Some(End { namespace: namespace.to_owned(), after_s, turn })
    }

    /// Whether a timer still applies: not if the vote has changed since.
    pub fn is_over(&self, end: &End) -> bool {
        self.pools.get(&end.namespace).is_some_and(|pool| pool.turn == end.turn)
    }

    /// Ends the run; returns the pools whose votes end with it, including those just released. The timers of other votes
    /// still apply.
    pub fn stop(&mut self) -> Vec<String> {
        let mut ending = Vec::new();
        for (namespace, pool) in &mut self.pools {
            if pool.lease == Some(Lease::Held) {
                // Nothing is left of it, and its timers no longer apply.
                **pool = Pool { turn: pool.turn + 1, ..Pool::default() };
                ending.push(namespace.clone());
            }
        }
        ending
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
        holders.watch(4, "slow");
        holders.cast("slow", Some(Lease::For(30)));
        let slow = holders.leave(4);
        assert_eq!(holders.stop(), ["web"]);
        assert!(holders.is_over(&slow[0]), "it outlives the run for its time");
    }

    #[test]
    fn what_an_earlier_run_left_ends_unless_it_is_endless() {
        let mut holders = Holders::default();
        assert_eq!(holders.found("a", Lease::Endless), None);
        assert_eq!(holders.found("a", Lease::Held).map(|end| end.after_s), Some(10));
        assert!(holders.holds("a", Lease::Endless));
    }
}
