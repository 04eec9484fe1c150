//! [`Edges`]: the order of vertices, their last successes, and the notifications between them. Engine spec, 6, 8 and 9.
//!
//! A vertex may run when each of its predecessors has succeeded since its own last success. Taken literally, each
//! success is passed on to all successors, which have nothing to do and pass it on in turn: a look at one directory
//! would cost a look at the ten thousand files in it. So a vertex that is up to date and cannot get news over its edges
//! (it does not *heed*) counts as having run again. When something happens to it, it *asks* its predecessors to run
//! first, and waits for those only. The observable behaviour is the same: vertices that were not visited would have
//! done nothing.

mod notices;
mod replace;

use super::{Slot, Table};
use crate::define_id;
use crate::index::IndexVec;
use crate::rgraph::{Edge, VertexId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

define_id!(
    /// Id of an edge of the running graph; renumbered at each switch.
    EdgeIx,
    "e"
);

/// An edge of the running graph.
#[derive(Clone)]
struct RunEdge {
    from: Slot,
    to: Slot,
    name: Arc<str>,
    notify: bool,
    /// `from` changed, and `to` has not reacted yet.
    refresh: bool,
    /// The check that runs at `to` includes it.
    noticed: bool,
    /// `to` waits for `from`, and is in its `awaited`.
    awaited: bool,
}

/// The edges of a vertex.
#[derive(Clone, Default)]
struct Ends {
    before: Vec<EdgeIx>,
    after: Vec<EdgeIx>,
    /// Those of `after` whose end heeds.
    told: Vec<EdgeIx>,
    /// Those of `after` whose end has asked this vertex to run first, and waits for it.
    awaited: Vec<EdgeIx>,
    /// Whether it runs whenever its predecessors have succeeded again. Only vertices that can get news over their edges
    /// do: those that receive, that are notified, or that are never clean because of `noop`, with all predecessors of
    /// the latter. The others run when something happened to them; until then successes of their predecessors do not
    /// matter.
    heeds: bool,
    /// If it does not heed: its predecessors were asked to run first since its last success.
    asked: bool,
    /// The number of predecessors that have to succeed before it may run.
    n_stale: usize,
    /// The number of the last successful step; 0: none yet.
    ts: u64,
}

/// The effect of a success on the end of one edge.
pub(crate) enum Arrival {
    /// It had asked, and waits for nothing more.
    MayGo(Slot),
    /// It had asked, and still waits for others.
    Waits(Slot),
    /// It heeds, and is informed.
    Told(Slot),
}

#[derive(Clone, Default)]
pub(crate) struct Edges {
    all: IndexVec<EdgeIx, RunEdge>,
    of: Table<Ends>,
    /// The number of the last successful step.
    seq: u64,
    /// The number of edges and vertices visited since the start.
    n_visited: u64,
}

impl Edges {
    /// A vertex takes a place, without edges so far.
    pub(crate) fn join(&mut self, slot: Slot) {
        self.of.put(slot, Ends::default());
    }

    pub(crate) fn n_edges(&self) -> usize {
        self.all.len()
    }

    #[cfg(test)]
    pub(crate) fn n_visited(&self) -> u64 {
        self.n_visited
    }

    /// Whether it has never succeeded.
    pub(crate) fn is_new(&self, slot: Slot) -> bool {
        self.of[slot].ts == 0
    }

    /// Whether another vertex must run first.
    pub(crate) fn must_wait(&mut self, slot: Slot) -> bool {
        let ends = &self.of[slot];
        if !ends.heeds && !ends.asked {
            self.ask(slot);
        }
        self.of[slot].n_stale > 0
    }

    /// Waits for all predecessors; the first time, for those that have not succeeded yet.
    fn ask(&mut self, slot: Slot) {
        self.of[slot].asked = true;
        let is_first = self.is_new(slot);
        for index in 0..self.of[slot].before.len() {
            let edge = self.of[slot].before[index];
            self.n_visited += 1;
            if !is_first || self.is_new(self.all[edge].from) {
                self.wait_for(edge);
            }
        }
    }

    /// The end of an edge waits for its start.
    fn wait_for(&mut self, index: EdgeIx) {
        let edge = &mut self.all[index];
        if !std::mem::replace(&mut edge.awaited, true) {
            let (from, to) = (edge.from, edge.to);
            self.of[from].awaited.push(index);
            self.of[to].n_stale += 1;
        }
    }

    /// The predecessors that must run first. One that has never succeeded is already scheduled, so starting a long
    /// chain costs no more than its length.
    pub(crate) fn stale_before(&mut self, slot: Slot) -> Vec<Slot> {
        let ends = &self.of[slot];
        if ends.ts == 0 {
            return Vec::new(); // then so is every older one
        }
        self.n_visited += ends.before.len() as u64;
        let is_stale = |edge: &&RunEdge| if ends.heeds { self.of[edge.from].ts <= ends.ts } else { edge.awaited };
        ends.before.iter().map(|&edge| &self.all[edge]).filter(is_stale).map(|edge| edge.from).collect()
    }

    /// Records a success and returns the number of the previous one. Nothing is newer now: every incoming edge is stale
    /// until its start succeeds again.
    pub(crate) fn succeed(&mut self, slot: Slot) -> u64 {
        self.seq += 1;
        let ends = &mut self.of[slot];
        ends.asked = false;
        ends.n_stale = if ends.heeds { ends.before.len() } else { 0 };
        std::mem::replace(&mut ends.ts, self.seq)
    }

    /// The edges to the vertices informed of its success, in order.
    pub(crate) fn take_hearers(&mut self, slot: Slot) -> Vec<EdgeIx> {
        let ends = &mut self.of[slot];
        let mut edges = std::mem::take(&mut ends.awaited);
        edges.extend(&ends.told);
        edges.sort_unstable();
        edges
    }

    /// Records that the start of an edge has succeeded; its previous success had the number `before`.
    pub(crate) fn arrive(&mut self, edge: EdgeIx, before: u64) -> Arrival {
        self.n_visited += 1;
        let edge = &mut self.all[edge];
        let after = &mut self.of[edge.to];
        if std::mem::take(&mut edge.awaited) {
            after.n_stale -= 1;
            return if after.n_stale == 0 { Arrival::MayGo(edge.to) } else { Arrival::Waits(edge.to) };
        }
        if before <= after.ts {
            after.n_stale -= 1; // the edge was stale, and is no more
        }
        Arrival::Told(edge.to)
    }

    /// Whether no incoming edge is stale.
    pub(crate) fn is_due(&self, slot: Slot) -> bool {
        self.of[slot].n_stale == 0
    }

    /// The edges between these vertices, as graph edges.
    pub(crate) fn among(&self, places: &FxHashMap<Slot, VertexId>) -> Vec<Edge> {
        let edges = self.all.values().filter_map(|edge| {
            let (from, to) = (*places.get(&edge.from)?, *places.get(&edge.to)?);
            Some(Edge { from, to, name: edge.name.clone(), notify: edge.notify })
        });
        edges.collect()
    }
}

impl Edges {
    /// The direct predecessors of a vertex.
    pub(crate) fn before(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        self.of[slot].before.iter().map(|&edge| self.all[edge].from)
    }

    /// The direct predecessors that must run first.
    pub(crate) fn holds_up(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        let before = self.of[slot].before.iter().map(|&edge| &self.all[edge]);
        before.filter(|edge| self.is_stale(edge)).map(|edge| edge.from)
    }

    /// The direct successors that wait for it.
    pub(crate) fn held_up(&self, slot: Slot) -> Vec<Slot> {
        let after = self.of[slot].after.iter().map(|&edge| &self.all[edge]);
        after.filter(|edge| self.is_stale(edge)).map(|edge| edge.to).collect()
    }

    /// Whether the end of an edge cannot run before its start. A new vertex waits for all new predecessors, asked or
    /// not.
    fn is_stale(&self, edge: &RunEdge) -> bool {
        let (from, to) = (&self.of[edge.from], &self.of[edge.to]);
        edge.awaited || to.heeds && from.ts <= to.ts || to.ts == 0 && from.ts == 0
    }
}

/// For tests.
#[cfg(test)]
impl Edges {
    /// Whether none of its predecessors was asked, or all of them: if it runs now, it does so while the others rest.
    pub(crate) fn is_alone(&self, slot: Slot) -> bool {
        let ends = &self.of[slot];
        ends.n_stale > 0 || !ends.heeds && !ends.asked
    }

    pub(crate) fn ts(&self, slot: Slot) -> u64 {
        self.of[slot].ts
    }

    pub(crate) fn heeds(&self, slot: Slot) -> bool {
        self.of[slot].heeds
    }

    pub(crate) fn asked(&self, slot: Slot) -> bool {
        self.of[slot].asked
    }

    pub(crate) fn n_stale(&self, slot: Slot) -> usize {
        self.of[slot].n_stale
    }

    /// The starts of the incoming edges, each with whether it is awaited.
    pub(crate) fn awaited_before(&self, slot: Slot) -> impl Iterator<Item = (Slot, bool)> {
        self.of[slot].before.iter().map(|&edge| &self.all[edge]).map(|edge| (edge.from, edge.awaited))
    }

    pub(crate) fn all_awaited_wait(&self, slot: Slot) -> bool {
        self.of[slot].awaited.iter().all(|&edge| self.all[edge].awaited)
    }

    /// The ends of each edge, whether it notifies, and whether its notification is pending.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Slot, Slot, bool, bool)> {
        self.all.values().map(|edge| (edge.from, edge.to, edge.notify, edge.refresh))
    }
}
