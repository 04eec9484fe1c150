//! [`Queue`]: the vertices marked for evaluation, taken in ascending order of level, id and birth.
//!
//! A construct adds its bodies one after the other, and each of them goes through the same levels: merged, these are a
//! few ascending runs. A vertex that continues one of the runs is appended to it, and takes its turn without a search;
//! only what fits none of them is kept in a heap.

use crate::fgraph::VertexId;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A marked vertex: level, id, birth.
pub(super) type Marked = (u32, VertexId, u32);

/// The maximum number of runs: the first of each is looked at for every turn.
const MOST_RUNS: usize = 8;

/// The maximum number of marked vertices in a run for which memory is kept between rounds.
const MANY_QUEUED: usize = 1024;

#[derive(Clone, Default)]
pub(super) struct Queue {
    /// Each is ascending.
    runs: Vec<VecDeque<Marked>>,
    rest: BinaryHeap<Reverse<Marked>>,
}

impl Queue {
    pub(super) fn is_empty(&self) -> bool {
        self.runs.iter().all(VecDeque::is_empty) && self.rest.is_empty()
    }

    pub(super) fn push(&mut self, marked: Marked) {
        for run in &mut self.runs {
            if run.back().is_none_or(|last| *last <= marked) {
                run.push_back(marked);
                return;
            }
        }
        if self.runs.len() < MOST_RUNS {
            self.runs.push(VecDeque::from([marked]));
        } else {
            self.rest.push(Reverse(marked));
        }
    }

    /// The least one.
    pub(super) fn pop(&mut self) -> Option<Marked> {
        let mut least = self.rest.peek().map(|Reverse(marked)| *marked);
        let mut its_run = None;
        for run in &mut self.runs {
            if let Some(first) = run.front().copied()
                && least.is_none_or(|least| first < least)
            {
                least = Some(first);
                its_run = Some(run);
            }
        }
        match its_run {
            Some(run) => run.pop_front(),
            None => self.rest.pop().map(|Reverse(marked)| marked),
        }
    }

    /// Divides it into those for which this holds, and the others.
    pub(super) fn partition(mut self, holds: impl Fn(VertexId) -> bool) -> (Queue, Queue) {
        let (mut those, mut others) = (Queue::default(), Queue::default());
        while let Some(marked) = self.pop() {
            let its = if holds(marked.1) { &mut those } else { &mut others };
            its.push(marked);
        }
        (those, others)
    }

    pub(super) fn append(&mut self, mut other: Queue) {
        while let Some(marked) = other.pop() {
            self.push(marked);
        }
    }

    /// Releases the memory that a large round needed.
    pub(super) fn shrink(&mut self) {
        for run in &mut self.runs {
            run.shrink_to(MANY_QUEUED);
        }
        self.rest.shrink_to(MANY_QUEUED);
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_RUNS, Marked, Queue};
    use crate::fgraph::VertexId;

    fn taken(mut queue: Queue) -> Vec<Marked> {
        std::iter::from_fn(|| queue.pop()).collect()
    }

    /// Bodies of this many levels, one after the other.
    fn bodies(n_levels: u32) -> Vec<Marked> {
        let of_body = |body| (0..n_levels).map(move |level| (level, VertexId(body * n_levels + level), body));
        (0..50).flat_map(of_body).collect()
    }

    #[test]
    fn all_are_taken_in_order() {
        for n_levels in [1, 2, 5, MOST_RUNS as u32, 3 * MOST_RUNS as u32] {
            for reversed in [false, true] {
                let mut marked = bodies(n_levels);
                if reversed {
                    marked.reverse();
                }
                let mut queue = Queue::default();
                marked.iter().for_each(|marked| queue.push(*marked));
                marked.sort_unstable();
                assert_eq!(taken(queue), marked, "{n_levels} {reversed}");
            }
        }
    }

    #[test]
    fn what_is_marked_meanwhile_takes_its_turn() {
        let mut queue = Queue::default();
        let of = |level| (level, VertexId(level), 1);
        [5, 3, 9, 7].into_iter().for_each(|level| queue.push(of(level)));
        assert_eq!(queue.pop(), Some(of(3)));
        [4, 8, 2].into_iter().for_each(|level| queue.push(of(level)));
        assert_eq!(taken(queue), [2, 4, 5, 7, 8, 9].map(of));
    }

    #[test]
    fn the_shallow_bodies_of_a_list_need_no_heap() {
        let mut queue = Queue::default();
        bodies(MOST_RUNS as u32).into_iter().for_each(|marked| queue.push(marked));
        assert!(queue.rest.is_empty());
        bodies(MOST_RUNS as u32 + 1).into_iter().for_each(|marked| queue.push(marked));
        assert!(!queue.rest.is_empty());
    }

    #[test]
    fn a_queue_in_two_parts_is_joined_again() {
        let mut queue = Queue::default();
        bodies(12).into_iter().for_each(|marked| queue.push(marked));
        let (mut even, odd) = queue.partition(|id| id.0.is_multiple_of(2));
        assert!(taken(odd.clone()).iter().all(|(_, id, _)| !id.0.is_multiple_of(2)));
        even.append(odd);
        let mut all = bodies(12);
        all.sort_unstable();
        assert_eq!(taken(even), all);
        assert!(Queue::default().is_empty());
    }
}
