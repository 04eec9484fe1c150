//! [`Units`]: units of work, what they wait for, and the queue of jobs. Spec, 10.3.
//!
//! The units that wait for a variable are a list of nodes; the variable has its ends. A place whose unit has run is
//! used again with another generation, so that nodes of the earlier unit wake no other one.

use super::FrameId;
use crate::eval::flow::Element;
use crate::eval::store::NONE;
use crate::eval::unit::{Needs, Work};
use std::collections::VecDeque;

struct Unit {
    work: Work,
    frame: FrameId,
    needs: Needs,
    /// The number of inputs that are not ready.
    missing: u32,
    /// Changes when the place is reused.
    generation: u32,
}

/// A unit that waits for a variable.
#[derive(Clone, Copy)]
struct Node {
    unit: u32,
    generation: u32,
    next: u32,
}

/// A queued job.
#[derive(Debug)]
pub(in crate::eval) enum Job {
    Unit(u32),
    Element(Element),
    /// A part of a sink's input is complete.
    PartDone(u32),
}

#[derive(Default)]
pub(in crate::eval) struct Units {
    all: Vec<Unit>,
    free: Vec<u32>,
    nodes: Vec<Node>,
    free_nodes: Vec<u32>,
    queue: VecDeque<Job>,
}

impl Units {
    /// Makes a unit, and queues it if no input is missing.
    pub(in crate::eval) fn add(&mut self, work: Work, frame: FrameId, needs: Needs, missing: u32) -> u32 {
        let id = match self.free.pop() {
            Some(id) => {
                let unit = &mut self.all[id as usize];
                *unit = Unit { work, frame, needs, missing, generation: unit.generation + 1 };
                id
            }
            None => {
                self.all.push(Unit { work, frame, needs, missing, generation: 0 });
                self.all.len() as u32 - 1
            }
        };
        if missing == 0 {
            self.queue.push_back(Job::Unit(id));
        }
        id
    }

    /// The inputs of a unit that has not run.
    pub(in crate::eval) fn needs(&self, unit: u32) -> &Needs {
        &self.all[unit as usize].needs
    }

    /// Takes a unit out to run it.
    pub(in crate::eval) fn take(&mut self, id: u32) -> (Work, FrameId, Needs) {
        let unit = &mut self.all[id as usize];
        let work = std::mem::replace(&mut unit.work, Work::Done);
        let needs = std::mem::take(&mut unit.needs);
        self.free.push(id);
        (work, unit.frame, needs)
    }

    /// A node for a waiting unit, as the last one of a list.
    pub(in crate::eval) fn node(&mut self, unit: u32) -> u32 {
        let node = Node { unit, generation: self.all[unit as usize].generation, next: NONE };
        match self.free_nodes.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                self.nodes.len() as u32 - 1
            }
        }
    }

    /// Appends a node to the last one of a list.
    pub(in crate::eval) fn link(&mut self, last: u32, node: u32) {
        self.nodes[last as usize].next = node;
    }

    /// Makes a node the last one of a list, and returns the one after it.
    pub(in crate::eval) fn unlink(&mut self, node: u32) -> u32 {
        std::mem::replace(&mut self.nodes[node as usize].next, NONE)
    }

    /// The unit of a node and its generation, if the first member of its input is enough for it.
    pub(in crate::eval) fn wants_first_member(&self, node: u32) -> Option<(u32, u32)> {
        let Node { unit, generation, .. } = self.nodes[node as usize];
        let waiting = &self.all[unit as usize];
        let is_enough = matches!(waiting.work, Work::IsDefined { .. }) && waiting.needs.len() == 1;
        is_enough.then_some((unit, generation))
    }

    /// An input of all units in a list is ready, from this node on: those that miss nothing else are queued.
    pub(in crate::eval) fn wake(&mut self, first: u32) {
        let mut node = first;
        while node != NONE {
            let Node { unit, generation, next } = self.nodes[node as usize];
            self.free_nodes.push(node);
            node = next;
            let waiting = &mut self.all[unit as usize];
            if waiting.generation == generation && waiting.missing > 0 {
                waiting.missing -= 1;
                if waiting.missing == 0 {
                    self.queue.push_back(Job::Unit(unit));
                }
            }
        }
    }

    /// Queues a unit that need not wait any longer. `false`: it does not wait.
    pub(in crate::eval) fn release(&mut self, id: u32, generation: u32) -> bool {
        let unit = &mut self.all[id as usize];
        let waits = unit.generation == generation && unit.missing > 0;
        if waits {
            unit.missing = 0;
            self.queue.push_back(Job::Unit(id));
        }
        waits
    }

    /// The work of each waiting unit.
    pub(in crate::eval) fn waiting(&self) -> impl Iterator<Item = &Work> {
        self.all.iter().filter(|unit| unit.missing > 0).map(|unit| &unit.work)
    }

    pub(in crate::eval) fn queue(&mut self, job: Job) {
        self.queue.push_back(job);
    }

    pub(in crate::eval) fn next_job(&mut self) -> Option<Job> {
        self.queue.pop_front()
    }

    /// Whether no job is queued.
    pub(in crate::eval) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }

    /// The approximate number of bytes held.
    pub(in crate::eval) fn bytes(&self) -> u64 {
        112 * self.all.len() as u64 + 12 * self.nodes.len() as u64 + 48 * self.queue.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: FrameId = FrameId(0);

    fn jobs(units: &mut Units) -> Vec<u32> {
        let jobs = std::iter::from_fn(|| units.next_job());
        jobs.map(|job| if let Job::Unit(id) = job { id } else { panic!("a unit: {job:?}") }).collect()
    }

    #[test]
    fn a_unit_is_queued_when_its_last_input_is_ready() {
        let mut units = Units::default();
        let id = units.add(Work::Done, FRAME, Needs::new(), 2);
        let [first, second] = [0; 2].map(|_| units.node(id));
        units.wake(first);
        assert_eq!((jobs(&mut units), units.waiting().count()), (vec![], 1));
        units.wake(second);
        assert_eq!((jobs(&mut units), units.waiting().count()), (vec![id], 0));
    }

    #[test]
    fn all_units_of_a_list_are_woken_in_its_order() {
        let mut units = Units::default();
        let ids = [0; 3].map(|_| units.add(Work::Done, FRAME, Needs::new(), 1));
        let nodes = ids.map(|id| units.node(id));
        units.link(nodes[0], nodes[1]);
        units.link(nodes[1], nodes[2]);
        assert_eq!(units.unlink(nodes[1]), nodes[2]);
        units.wake(nodes[0]);
        assert_eq!(jobs(&mut units), ids[..2]);
        units.wake(nodes[2]);
        assert_eq!(jobs(&mut units), ids[2..]);
    }

    #[test]
    fn a_node_of_an_earlier_unit_wakes_nobody() {
        let mut units = Units::default();
        let id = units.add(Work::Done, FRAME, Needs::new(), 1);
        let node = units.node(id);
        assert!(units.release(id, 0) && !units.release(id, 0));
        assert_eq!(jobs(&mut units), [id]);
        units.take(id);
        assert_eq!(units.add(Work::Done, FRAME, Needs::new(), 1), id, "the place is used again");
        units.wake(node);
        assert!(jobs(&mut units).is_empty() && !units.release(id, 0));
        assert_eq!(units.waiting().count(), 1);
    }
}
