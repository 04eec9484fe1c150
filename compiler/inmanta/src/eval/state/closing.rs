//! [`Closing`]: ends that may be closed, and ends that units wait for, each in its order. Spec, 10.5 to 10.7.

use crate::eval::VarId;
use crate::program::AttrId;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

#[derive(Default)]
pub(in crate::eval) struct Closing {
    /// Ends of relations without a rule, in order of arrival.
    candidates: VecDeque<VarId>,
    /// Ends of relations with rules, by rank.
    ranked: BTreeMap<u32, VecDeque<VarId>>,
    /// Ends without waiting units, by order of arrival.
    idle: BTreeMap<u64, VarId>,
    idle_nr: FxHashMap<VarId, u64>,
    /// Those of them with waiting units since.
    revived: BTreeSet<u64>,
    /// Ends with waiting units, by the order of the first wait.
    waited: BTreeMap<u64, VarId>,
    waited_nr: FxHashMap<VarId, u64>,
    next_nr: u64,
    /// Ranks of relations in the precedence policy, and whether they come before others.
    ranks: FxHashMap<AttrId, (u32, bool)>,
}

impl Closing {
    /// The ends of this relation are closed in this order.
    pub(in crate::eval) fn set_rank(&mut self, attr: AttrId, rank: u32, is_before: bool) {
        self.ranks.insert(attr, (rank, is_before));
    }

    /// The rank of a relation, and whether it comes before others.
    pub(in crate::eval) fn rank(&self, attr: AttrId) -> Option<(u32, bool)> {
        self.ranks.get(&attr).copied()
    }

    pub(in crate::eval) fn has_ranks(&self) -> bool {
        !self.ranks.is_empty()
    }

    /// Queues an end of a relation as a candidate.
    pub(in crate::eval) fn add_candidate(&mut self, end: VarId, attr: AttrId) {
        match self.rank(attr) {
            Some((rank, _)) => self.ranked.entry(rank).or_default().push_back(end),
            None => self.candidates.push_back(end),
        }
    }

    /// Takes the next candidate out.
    pub(in crate::eval) fn next_candidate(&mut self) -> Option<VarId> {
        self.candidates.pop_front().or_else(|| self.ranked.values_mut().find_map(VecDeque::pop_front))
    }

    /// No unit waits for this candidate.
    pub(in crate::eval) fn make_idle(&mut self, end: VarId) {
        if !self.idle_nr.contains_key(&end) {
            let nr = self.new_nr();
            self.idle_nr.insert(end, nr);
            self.idle.insert(nr, end);
        }
    }

    /// An end is idle no longer.
    pub(in crate::eval) fn leave_idle(&mut self, end: VarId) {
        if let Some(nr) = self.idle_nr.remove(&end) {
            self.idle.remove(&nr);
        }
    }

    /// A unit waits for an end.
    pub(in crate::eval) fn wait_for(&mut self, end: VarId) {
        if !self.waited_nr.contains_key(&end) {
            let nr = self.new_nr();
            self.waited_nr.insert(end, nr);
            self.waited.insert(nr, end);
        }
        if let Some(nr) = self.idle_nr.get(&end) {
            self.revived.insert(*nr);
        }
    }

    /// No unit waits for an end any longer.
    pub(in crate::eval) fn forget(&mut self, end: VarId) {
        if let Some(nr) = self.waited_nr.remove(&end) {
            self.waited.remove(&nr);
        }
    }

    /// The ends that units wait for, in order, with their numbers.
    pub(in crate::eval) fn waited(&self) -> impl Iterator<Item = (u64, VarId)> {
        self.waited.iter().map(|(nr, end)| (*nr, *end))
    }

    /// The end with this number cannot be closed.
    pub(in crate::eval) fn drop_waited(&mut self, nr: u64) {
        self.waited.remove(&nr);
    }

    /// The idle ends for which a unit has waited since they were asked for.
    pub(in crate::eval) fn take_revived(&mut self) -> Vec<VarId> {
        let revived = std::mem::take(&mut self.revived);
        revived.iter().filter_map(|nr| self.idle.get(nr).copied()).collect()
    }

    /// Takes all idle ends out, in order of arrival.
    pub(in crate::eval) fn take_idle(&mut self) -> Vec<VarId> {
        self.idle_nr.clear();
        self.revived.clear();
        std::mem::take(&mut self.idle).into_values().collect()
    }

    pub(in crate::eval) fn has_idle(&self) -> bool {
        !self.idle.is_empty()
    }

    /// Whether there is nothing to close.
    pub(in crate::eval) fn is_over(&self) -> bool {
        self.candidates.is_empty()
            && self.ranked.values().all(VecDeque::is_empty)
            && self.idle.is_empty()
            && self.waited.is_empty()
    }

    fn new_nr(&mut self) -> u64 {
        self.next_nr += 1;
        self.next_nr
    }

    /// The approximate number of bytes held.
    pub(in crate::eval) fn bytes(&self) -> u64 {
        32 * (self.candidates.len() + 2 * self.idle.len() + 2 * self.waited.len()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_come_in_order_of_arrival_and_those_with_rules_by_rank() {
        let mut closing = Closing::default();
        closing.set_rank(AttrId(1), 1, false);
        closing.set_rank(AttrId(2), 0, true);
        for (end, attr) in [(1, 1), (2, 2), (3, 0), (4, 0), (5, 2)] {
            closing.add_candidate(VarId(end), AttrId(attr));
        }
        let order: Vec<u32> = std::iter::from_fn(|| closing.next_candidate()).map(|end| end.0).collect();
        assert_eq!(order, [3, 4, 2, 5, 1]);
        assert!(closing.is_over());
    }

    #[test]
    fn an_idle_end_that_a_unit_waits_for_is_revived_once() {
        let mut closing = Closing::default();
        for end in [1, 2, 1] {
            closing.make_idle(VarId(end));
        }
        closing.wait_for(VarId(2));
        closing.wait_for(VarId(2));
        assert_eq!(closing.take_revived(), [VarId(2)]);
        assert!(closing.take_revived().is_empty());
        closing.leave_idle(VarId(2));
        assert_eq!(closing.take_idle(), [VarId(1)]);
        assert!(!closing.has_idle() && !closing.is_over());
        closing.forget(VarId(2));
        assert!(closing.is_over());
    }
}
