//! [`Indexes`]: instances by key, and lookups that wait for one. Spec, 6.4 and 8.9.

use crate::eval::lookup::{Key, Pending};
use crate::value::InstId;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// An index of the program.
#[derive(Default)]
struct Index {
    instances: FxHashMap<Key, InstId>,
    /// The numbers of the lookups that wait for a key.
    waiting: FxHashMap<Key, Vec<u64>>,
}

pub(in crate::eval) struct Indexes {
    all: Vec<Index>,
    /// Waiting lookups, in the order in which they began.
    pending: BTreeMap<u64, Pending>,
    n_pending: u64,
}

impl Indexes {
    /// So many empty indexes.
    pub(in crate::eval) fn new(n: usize) -> Indexes {
        Indexes {
            all: std::iter::repeat_with(Index::default).take(n).collect(),
            pending: BTreeMap::new(),
            n_pending: 0,
        }
    }

    pub(in crate::eval) fn get(&self, index: usize, key: &Key) -> Option<InstId> {
        self.all[index].instances.get(key).copied()
    }

    pub(in crate::eval) fn insert(&mut self, index: usize, key: Key, instance: InstId) {
        self.all[index].instances.insert(key, instance);
    }

    /// A lookup waits for an instance.
    pub(in crate::eval) fn wait(&mut self, index: u32, key: Key, lookup: Pending) {
        let nr = self.n_pending;
        self.n_pending += 1;
        self.pending.insert(nr, lookup);
        self.all[index as usize].waiting.entry(key).or_default().push(nr);
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
        let waiting = &mut self.all[index as usize].waiting;
        let Some(numbers) = waiting.remove(key) else { return Vec::new() };
        let (answered, left): (Vec<u64>, Vec<u64>) =
            numbers.into_iter().partition(|nr| self.pending.get(nr).is_some_and(&is_answered));
        if !left.is_empty() {
            waiting.insert(key.clone(), left);
        }
        answered.iter().filter_map(|nr| self.pending.remove(nr)).collect()
    }

    /// The approximate number of bytes held.
    pub(in crate::eval) fn bytes(&self) -> u64 {
        256 * self.pending.len() as u64
    }
}
