//! The edges of the running graph. Engine spec, 6 and 27.9.

use super::vertex::RunEdge;
use super::{Scheduler, Slot};
use crate::index::IndexVec;
use crate::rgraph::{ResGraph, Resource, VertexId};
use rustc_hash::FxHashSet;

impl Scheduler {
    /// The edges of the new graph; an undelivered notification stays where its edge does.
    pub(super) fn replace_edges(&mut self, graph: &ResGraph, places: &IndexVec<VertexId, Slot>) {
        let mut pending: FxHashSet<(Slot, Slot)> =
            self.edges.values().filter(|edge| edge.refresh).map(|edge| (edge.from, edge.to)).collect();
        for (_, slot) in places.iter() {
            let vertex = self.vertex_mut(*slot);
            vertex.edges_in.clear();
            vertex.edges_out.clear();
            vertex.edges_told.clear();
            vertex.edges_awaited.clear();
            vertex.heeds = vertex.noop || receives(&vertex.declared);
            // Who waits asks anew: it may be others that come before it now.
            vertex.asked &= !vertex.heeds && vertex.n_stale == 0;
            vertex.n_stale = 0;
        }
        for edge in graph.edges.iter().filter(|edge| edge.notify) {
            self.heed(places[edge.to]);
        }
        self.heed_before_what_is_only_looked_at(graph, places);
        let mut edges = IndexVec::with_capacity(graph.edges.len());
        for edge in &graph.edges {
            let (from, to) = (places[edge.from], places[edge.to]);
            let refresh = edge.notify && !pending.is_empty() && pending.remove(&(from, to));
            let (name, notify) = (edge.name.clone(), edge.notify);
            let index = edges.push(RunEdge { from, to, name, notify, refresh, noticed: false, awaited: false });
            self.vertex_mut(from).edges_out.push(index);
            let from_ts = self.vertex(from).ts;
            let after = self.vertex_mut(to);
            after.edges_in.push(index);
            if after.heeds {
                after.n_stale += usize::from(from_ts <= after.ts);
                self.vertex_mut(from).edges_told.push(index);
            }
        }
        // What was to come along an edge that is gone does not come after a restart either.
        for edge in std::mem::replace(&mut self.edges, edges).values() {
            if edge.refresh && pending.remove(&(edge.from, edge.to)) {
                self.keep_refresh(edge.to);
            }
        }
        self.await_who_never_was();
    }

    fn heed(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        (vertex.heeds, vertex.asked) = (true, false);
    }

    /// What is only looked at is never clean, so it goes again whenever something before it does, however
    /// far before: all between them pass that on.
    fn heed_before_what_is_only_looked_at(&mut self, graph: &ResGraph, places: &IndexVec<VertexId, Slot>) {
        let mut work: Vec<VertexId> =
            places.iter().filter(|(_, slot)| self.vertex(**slot).noop).map(|(at, _)| at).collect();
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

    /// One that may go, but has not succeeded yet, waits for what now comes before it and has not either.
    fn await_who_never_was(&mut self) {
        for index in self.edges.ids() {
            let edge = &self.edges[index];
            let after = self.vertex(edge.to);
            if after.asked && self.vertex(edge.from).ts <= after.ts {
                self.await_edge(index);
            }
        }
    }
}

/// Can another resource send to this one, or to one of its members?
fn receives(resource: &Resource) -> bool {
    !resource.receives.is_empty() || resource.children.iter().any(|child| receives(child))
}
