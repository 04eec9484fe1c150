//! Replacing edges: those of a new graph, or of one vertex that replaces another. Engine spec, 6 and 27.9.

use super::{Edges, Ends, RunEdge};
use crate::index::IndexVec;
use crate::rgraph::{ResGraph, Resource, VertexId};
use crate::sched::state::Slot;
use rustc_hash::FxHashSet;

/// The edges of a vertex that is being replaced.
pub(crate) struct Legacy {
    ends: Ends,
}

impl Edges {
    /// Sets the edges of the new graph; an undelivered notification stays with its edge. Returns the vertices that lost
    /// one with its edge: it does not come back after a restart either.
    pub(crate) fn replace(
        &mut self,
        graph: &ResGraph,
        places: &IndexVec<VertexId, Slot>,
        is_noop: impl Fn(Slot) -> bool,
    ) -> Vec<Slot> {
        self.n_visited += (graph.resources.len() + graph.edges.len()) as u64;
        let mut pending: FxHashSet<(Slot, Slot)> =
            self.all.values().filter(|edge| edge.refresh).map(|edge| (edge.from, edge.to)).collect();
        for ((_, resource), &slot) in graph.resources.iter().zip(places.values()) {
            let ends = &mut self.of[slot];
            for edges in [&mut ends.before, &mut ends.after, &mut ends.told, &mut ends.awaited] {
                edges.clear();
            }
            ends.heeds = is_noop(slot) || receives(resource);
            // Waiting vertices ask again: they may have other predecessors now.
            ends.asked &= !ends.heeds && ends.n_stale == 0;
            ends.n_stale = 0;
        }
        for edge in graph.edges.iter().filter(|edge| edge.notify) {
            self.heed(places[edge.to]);
        }
        self.heed_before_what_is_only_looked_at(graph, places, is_noop);
        let before = std::mem::replace(&mut self.all, IndexVec::with_capacity(graph.edges.len()));
        for edge in &graph.edges {
            let (from, to) = (places[edge.from], places[edge.to]);
            let refresh = edge.notify && !pending.is_empty() && pending.remove(&(from, to));
            let (name, notify) = (edge.name.clone(), edge.notify);
            let index = self.all.push(RunEdge { from, to, name, notify, refresh, noticed: false, awaited: false });
            self.of[from].after.push(index);
            let from_ts = self.of[from].ts;
            let after = &mut self.of[to];
            after.before.push(index);
            if after.heeds {
                after.n_stale += usize::from(from_ts <= after.ts);
                self.of[from].told.push(index);
            }
        }
        self.await_who_never_was();
        let lost = before.values().filter(|edge| edge.refresh && pending.remove(&(edge.from, edge.to)));
        lost.map(|edge| edge.to).collect()
    }

    fn heed(&mut self, slot: Slot) {
        let ends = &mut self.of[slot];
        (ends.heeds, ends.asked) = (true, false);
    }

    /// A vertex with `noop` is never clean, so it runs whenever any predecessor does, however far before it: all
    /// between them pass that on.
    fn heed_before_what_is_only_looked_at(
        &mut self,
        graph: &ResGraph,
        places: &IndexVec<VertexId, Slot>,
        is_noop: impl Fn(Slot) -> bool,
    ) {
        let mut work: Vec<VertexId> = places.iter().filter(|(_, slot)| is_noop(**slot)).map(|(at, _)| at).collect();
        if work.is_empty() || work.len() == places.len() {
            return;
        }
        let mut before: IndexVec<VertexId, Vec<VertexId>> = places.values().map(|_| Vec::new()).collect();
        for edge in &graph.edges {
            before[edge.to].push(edge.from);
        }
        while let Some(at) = work.pop() {
            for before in std::mem::take(&mut before[at]) {
                self.heed(places[before]);
                work.push(before);
            }
        }
    }

    /// A vertex that may run, but has not succeeded yet, waits for new predecessors that have not either.
    fn await_who_never_was(&mut self) {
        for index in self.all.ids() {
            let edge = &self.all[index];
            let after = &self.of[edge.to];
            if after.asked && self.of[edge.from].ts <= after.ts {
                self.wait_for(index);
            }
        }
    }

    /// It is being replaced: predecessors need not inform it.
    pub(crate) fn wait_no_more(&mut self, slot: Slot) {
        for index in 0..self.of[slot].before.len() {
            let index = self.of[slot].before[index];
            let edge = &mut self.all[index];
            if std::mem::take(&mut edge.awaited) {
                self.of[edge.from].awaited.retain(|other| *other != index);
            }
        }
    }

    /// The edges it leaves to its replacement.
    pub(crate) fn legacy(&mut self, slot: Slot) -> Legacy {
        let ends = &mut self.of[slot];
        Legacy {
            ends: Ends {
                before: ends.before.clone(),
                after: ends.after.clone(),
                told: ends.told.clone(),
                awaited: std::mem::take(&mut ends.awaited),
                heeds: ends.heeds,
                asked: false,
                n_stale: 0,
                ts: ends.ts,
            },
        }
    }

    /// Gives the edges to a replacement with the same edges, wires and `noop`, which has not succeeded yet. `others` are
    /// replaced as well.
    pub(crate) fn inherit(&mut self, slot: Slot, legacy: Legacy, others: &FxHashSet<Slot>) {
        let Legacy { ends } = legacy;
        let n_stale = ends.before.iter().filter(|edge| self.is_new(self.all[**edge].from)).count();
        self.n_visited += (ends.before.len() + ends.after.len()) as u64;
        for &index in &ends.after {
            let to = self.all[index].to;
            if others.contains(&to) {
                continue; // it sees to that itself
            }
            let after = &mut self.of[to];
            if after.heeds {
                after.n_stale += usize::from(ends.ts > after.ts);
            } else if after.asked {
                self.wait_for(index);
            }
        }
        let mine = &mut self.of[slot];
        mine.heeds = ends.heeds;
        mine.n_stale = if mine.heeds { n_stale } else { 0 };
        (mine.before, mine.after, mine.told) = (ends.before, ends.after, ends.told);
        // Edges added in the meantime come on top.
        mine.awaited.extend(ends.awaited);
    }
}

/// Whether another resource can send to this one, or to one of its members.
fn receives(resource: &Resource) -> bool {
    !resource.receives.is_empty() || resource.children.iter().any(|child| receives(child))
}
