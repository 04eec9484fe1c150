//! [`Indexes`]: instances by key, and lookups that wait for one. Spec, 6.4 and 8.9.

use crate::eval::lookup::{Key, Pending};
use crate::value::InstId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

pub(in crate::eval) struct Indexes {
    /// One for each index of the program.
    known: Vec<FxHashMap<Key, InstId>>,
    /// Waiting lookups, in the order in which they began.
    pending: BTreeMap<u64, Pending>,
    pending_by_key: FxHashMap<(u32, Key), Vec<u64>>,
    n_pending: u64,
}

impl Indexes {
    /// So many empty indexes.
    pub(in crate::eval) fn new(n: usize) -> Indexes {
        Indexes {
            known: std::iter::repeat_with(FxHashMap::default).take(n).collect(),
            pending: BTreeMap::new(),
            pending_by_key: FxHashMap::default(),
            n_pending: 0,
        }
    }

    pub(in crate::eval) fn get(&self, index: usize, key: &Key) -> Option<InstId> {
        self.known[index].get(key).copied()
    }

    pub(in crate::eval) fn insert(&mut self, index: usize, key: Key, instance: InstId) {
        self.known[index].insert(key, instance);
    }

    /// A lookup waits for an instance.
    pub(in crate::eval) fn wait(&mut self, index: u32, key: Key, lookup: Pending) {
        let nr = self.n_pending;
        self.n_pending += 1;
        self.pending.insert(nr, lookup);
        self.pending_by_key.entry((index, key)).or_default().push(nr);
    }

    /// The lookups that wait.
    pub(in crate::eval) fn pending(&self) -> impl Iterator<Item = &Pending> {
        self.pending.values()
    }

    /// Takes out the lookups of a key that a new instance answers.
    pub(in crate::eval) fn answer(
        &mut self,
        index: u32,
        key: &Key,
        is_answered: impl Fn(&Pending) -> bool,
    ) -> Vec<Pending> {
        let Some(waiting) = self.pending_by_key.remove(&(index, key.clone())) else { return Vec::new() };
        let (answered, left): (Vec<u64>, Vec<u64>) =
            waiting.into_iter().partition(|nr| self.pending.get(nr).is_some_and(&is_answered));
        if !left.is_empty() {
            self.pending_by_key.insert((index, key.clone()), left);
        }
        answered.iter().filter_map(|nr| self.pending.remove(nr)).collect()
    }

    /// The approximate number of bytes held.
    pub(in crate::eval) fn bytes(&self) -> u64 {
        256 * self.pending.len() as u64
    }
}
