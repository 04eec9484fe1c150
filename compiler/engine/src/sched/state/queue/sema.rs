//! [`Semaphores`]: how many vertices may be processed at once, by name. Engine spec, 10.
//!
//! A vertex acquires all the semaphores that it needs, or none. Otherwise it waits for the first one that is exhausted,
//! so a release wakes few vertices: 10,000 vertices waiting for one semaphore are cheap.

use crate::sched::state::Slot;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

#[derive(Clone, Default)]
pub(crate) struct Semaphores {
    by_name: FxHashMap<String, Semaphore>,
}

#[derive(Clone)]
struct Semaphore {
    size: usize,
    n_held: usize,
    waiting: VecDeque<Slot>,
}

/// The size is the positive number after the last colon, or 1.
fn size(name: &str) -> usize {
    let number = name.rsplit_once(':').and_then(|(_, number)| number.parse().ok());
    number.filter(|&number| number > 0).unwrap_or(1)
}

impl Semaphores {
    fn get(&mut self, name: &str) -> &mut Semaphore {
        if !self.by_name.contains_key(name) {
            let fresh = Semaphore { size: size(name), n_held: 0, waiting: VecDeque::new() };
            self.by_name.insert(name.to_string(), fresh);
        }
        self.by_name.get_mut(name).expect("it was just made")
    }

    /// Takes all of them, or queues the vertex and returns `false`. `names` has no duplicates.
    pub(crate) fn acquire(&mut self, names: &[String], vertex: Slot) -> bool {
        let used_up = names.iter().find(|name| {
            let semaphore = self.get(name);
            semaphore.n_held >= semaphore.size
        });
        match used_up {
            None => {
                for name in names {
                    self.get(name).n_held += 1;
                }
                true
            }
            Some(name) => {
                self.get(name).waiting.push_back(vertex);
                false
            }
        }
    }

    pub(crate) fn release(&mut self, names: &[String]) {
        for name in names {
            self.get(name).n_held -= 1;
        }
    }

    /// For each of these, takes as many waiting vertices out of the queue as there is room for: they may try again.
    /// Call it after a release, and after a woken vertex started waiting elsewhere.
    pub(crate) fn wake(&mut self, names: &[String]) -> Vec<Slot> {
        let mut woken = Vec::new();
        for name in names {
            let semaphore = self.get(name);
            let n_free = semaphore.size.saturating_sub(semaphore.n_held);
            let n_woken = n_free.min(semaphore.waiting.len());
            woken.extend(semaphore.waiting.drain(..n_woken));
        }
        woken
    }

    /// Empties the queues and returns the vertices, which will ask again.
    pub(crate) fn forget_waiting(&mut self) -> Vec<Slot> {
        let mut all: Vec<Slot> = self.by_name.values_mut().flat_map(|it| it.waiting.drain(..)).collect();
        all.sort_unstable();
        all
    }

    /// Whether none is held. For invariants.
    #[cfg(test)]
    pub(crate) fn all_free(&self) -> bool {
        self.by_name.values().all(|semaphore| semaphore.n_held == 0)
    }

    /// The names with waiting vertices although there is room. For invariants.
    #[cfg(test)]
    pub(crate) fn waited_for_in_vain(&self) -> Vec<&str> {
        let in_vain = |it: &Semaphore| !it.waiting.is_empty() && it.n_held < it.size;
        self.by_name.iter().filter(|(_, it)| in_vain(it)).map(|(name, _)| name.as_str()).collect()
    }

    #[cfg(test)]
    pub(crate) fn within_size(&self) -> bool {
        self.by_name.values().all(|semaphore| semaphore.n_held <= semaphore.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_tells_the_size() {
        let sizes: Vec<usize> = ["net", "disk:3", ":3", "a:", "a:b", "a:0", "a:-2"].map(size).into();
        assert_eq!(sizes, [1, 3, 3, 1, 1, 1, 1]);
    }

    #[test]
    fn all_or_none_is_taken_and_a_release_wakes_in_order() {
        let mut all = Semaphores::default();
        let (a, ab) = (["a".to_string()], ["a".to_string(), "b".to_string()]);
        assert!(all.acquire(&a, Slot(1)));
        assert!(!all.acquire(&ab, Slot(2)));
        assert!(!all.acquire(&a, Slot(3)));
        all.release(&a);
        assert_eq!(all.wake(&a), [Slot(2)]);
        assert!(all.acquire(&ab, Slot(2)));
        assert!(all.wake(&a).is_empty());
        all.release(&ab);
        assert_eq!(all.wake(&ab), [Slot(3)]);
        assert!(all.all_free());
    }
}
