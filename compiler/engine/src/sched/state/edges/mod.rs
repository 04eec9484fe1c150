//! [`Edges`]: who goes before whom, who went last, and the notifications between them. Engine spec, 6, 8 and 9.
//!
//! A vertex may go when each of its predecessors has succeeded since it last did. Taken literally, each
//! success is passed on to all successors, which find that there is nothing to do and pass it on in turn:
//! a look at one directory would cost a look at the ten thousand files in it. So one that is right and can
//! hear nothing new (it does not *heed*) counts as gone again by itself. When something happens to it, it
//! *asks* those before it to go first, and waits for those alone. What can be seen from outside is the
//! same: what was not visited would have done nothing.

mod notices;
mod replace;

use super::{Slot, Table};
use crate::define_id;
use crate::index::IndexVec;
use crate::rgraph::{Edge, VertexId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

define_id!(
    /// An edge of the running graph; renumbered at each switch.
    EdgeIx,
    "e"
);

/// An edge of the running graph.
struct RunEdge {
    from: Slot,
    to: Slot,
    name: Arc<str>,
    notify: bool,
    /// Something changed at `from`, and `to` has not taken notice yet.
    refresh: bool,
    /// The check that runs at `to` knows of it.
    noticed: bool,
    /// `to` waits for `from`, and is among its `awaited`.
    awaited: bool,
}

/// What a vertex knows of its edges.
#[derive(Default)]
struct Ends {
    before: Vec<EdgeIx>,
    after: Vec<EdgeIx>,
    /// Those of `after` whose end heeds.
    told: Vec<EdgeIx>,
    /// Those of `after` whose end has asked this one to go first, and waits for it.
    awaited: Vec<EdgeIx>,
    /// It goes whenever those before it have succeeded again. Only who may hear something new of
    /// them need do so: who receives, who is notified, and who is never clean because it only looks,
    /// with all that come before such a one.
    /// The others go when something happened to them; until then their predecessors may succeed as
    /// often as they like without a thought for them.
    heeds: bool,
    /// For one that does not heed: those before it were asked to go first, since it last succeeded.
    asked: bool,
    /// How many predecessors have to succeed before this one may go.
    n_stale: usize,
    /// The number of the last successful step; 0: none yet.
    ts: u64,
}

/// What a success means to the end of one edge.
pub(crate) enum Arrival {
    /// It had asked, and waits for nobody any more.
    MayGo(Slot),
    /// It had asked, and waits for others still.
    Waits(Slot),
    /// It heeds, and is told.
    Told(Slot),
}

#[derive(Default)]
pub(crate) struct Edges {
    all: IndexVec<EdgeIx, RunEdge>,
    of: Table<Ends>,
    /// The number of the last successful step.
    seq: u64,
    /// How many edges and vertices were looked at since the start.
    n_visited: u64,
}

impl Edges {
    /// A vertex takes a place; nothing comes before or after it yet.
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

    /// It has never succeeded.
    pub(crate) fn is_new(&self, slot: Slot) -> bool {
        self.of[slot].ts == 0
    }

    /// Somebody else must go first.
    pub(crate) fn must_wait(&mut self, slot: Slot) -> bool {
        let ends = &self.of[slot];
        if !ends.heeds && !ends.asked {
            self.ask(slot);
        }
        self.of[slot].n_stale > 0
    }

    /// Waits for all that come before it; the first time, for those that have not succeeded yet.
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

    /// The predecessors that must go first. One that has never succeeded is on its way by itself, so a
    /// long chain that starts costs no more than its length.
    pub(crate) fn stale_before(&mut self, slot: Slot) -> Vec<Slot> {
        let ends = &self.of[slot];
        if ends.ts == 0 {
            return Vec::new(); // then so is every older one
        }
        self.n_visited += ends.before.len() as u64;
        let is_stale = |edge: &&RunEdge| if ends.heeds { self.of[edge.from].ts <= ends.ts } else { edge.awaited };
        ends.before.iter().map(|&edge| &self.all[edge]).filter(is_stale).map(|edge| edge.from).collect()
    }

    /// A vertex has succeeded; the answer is the number of its success before this one. Nothing is newer than it
    /// now: every way in is stale until it succeeds again.
    pub(crate) fn succeed(&mut self, slot: Slot) -> u64 {
        self.seq += 1;
        let ends = &mut self.of[slot];
        ends.asked = false;
        ends.n_stale = if ends.heeds { ends.before.len() } else { 0 };
        std::mem::replace(&mut ends.ts, self.seq)
    }

    /// The edges to those that hear of its success, in order.
    pub(crate) fn take_hearers(&mut self, slot: Slot) -> Vec<EdgeIx> {
        let ends = &mut self.of[slot];
        let mut edges = std::mem::take(&mut ends.awaited);
        edges.extend(&ends.told);
        edges.sort_unstable();
        edges
    }

    /// The start of an edge has succeeded; before that it had done so with the number `before`.
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

    /// No way in is stale.
    pub(crate) fn is_due(&self, slot: Slot) -> bool {
        self.of[slot].n_stale == 0
    }

    /// The edges between these vertices, as those of a graph.
    pub(crate) fn among(&self, places: &FxHashMap<Slot, VertexId>) -> Vec<Edge> {
        let edges = self.all.values().filter_map(|edge| {
            let (from, to) = (*places.get(&edge.from)?, *places.get(&edge.to)?);
            Some(Edge { from, to, name: edge.name.clone(), notify: edge.notify })
        });
        edges.collect()
    }
}

impl Edges {
    /// Who comes directly before a vertex.
    pub(crate) fn before(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        self.of[slot].before.iter().map(|&edge| self.all[edge].from)
    }

    /// Those directly before a vertex that must go first.
    pub(crate) fn holds_up(&self, slot: Slot) -> impl Iterator<Item = Slot> {
        let before = self.of[slot].before.iter().map(|&edge| &self.all[edge]);
        before.filter(|edge| self.is_stale(edge)).map(|edge| edge.from)
    }

    /// Those directly after a vertex that wait for it.
    pub(crate) fn held_up(&self, slot: Slot) -> Vec<Slot> {
        let after = self.of[slot].after.iter().map(|&edge| &self.all[edge]);
        after.filter(|edge| self.is_stale(edge)).map(|edge| edge.to).collect()
    }

    /// The end of an edge cannot go before its start does. One that is new waits for all that are, asked or not.
    fn is_stale(&self, edge: &RunEdge) -> bool {
        let (from, to) = (&self.of[edge.from], &self.of[edge.to]);
        edge.awaited || to.heeds && from.ts <= to.ts || to.ts == 0 && from.ts == 0
    }
}

/// What tests ask.
#[cfg(test)]
impl Edges {
    /// Nobody before it was asked, or all of them: should it go now, it goes while the others rest.
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

    /// The starts of the edges to a vertex, each with whether it is awaited.
    pub(crate) fn awaited_before(&self, slot: Slot) -> impl Iterator<Item = (Slot, bool)> {
        self.of[slot].before.iter().map(|&edge| &self.all[edge]).map(|edge| (edge.from, edge.awaited))
    }

    pub(crate) fn all_awaited_wait(&self, slot: Slot) -> bool {
        self.of[slot].awaited.iter().all(|&edge| self.all[edge].awaited)
    }

    /// The ends of each edge, whether it notifies, and whether its notification waits.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Slot, Slot, bool, bool)> {
        self.all.values().map(|edge| (edge.from, edge.to, edge.notify, edge.refresh))
    }
}
