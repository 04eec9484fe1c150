//! Graph sync: the running graph becomes the new one by difference. Engine spec, 6 and 27.9.
//!
//! A resource that is equal keeps its vertex with watch, timestamp, budget and memory. Wires of
//! send/recv are those of the new graph, also for what is kept. All that is not proportional to
//! the difference is one cheap pass over vertices and edges; where only fields of a few resources
//! differ, even that is spared (`exchange`).

use super::cause::{News, Why};
use super::equal::equal;
use super::{Mode, Pending, Scheduler, Slot};
use crate::index::{Id, IndexVec};
use crate::protocol::{ResourceId, What};
use crate::rgraph::{ResGraph, Resource, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Scheduler {
    /// Puts the graph that waits in force. No check is in flight.
    pub(super) fn commit(&mut self) {
        let news = std::mem::take(&mut self.news);
        match self.pending.take() {
            Some(Pending::Whole(graph)) => self.replace(&graph, &news),
            Some(Pending::Few(changes)) if self.can_exchange(&changes) => self.put_in_place(changes, &news),
            Some(Pending::Few(changes)) => {
                let graph = self.with(changes);
                self.replace(&Arc::new(graph), &news);
            }
            None => self.mode = Mode::Running,
        }
    }

    /// Any graph takes the place of any other.
    fn replace(&mut self, declared: &Arc<ResGraph>, news: &News) {
        let reversals = self.reversals(declared);
        let graph = with_isolated(declared, reversals);
        self.free_waiting();
        let (mut places, added) = self.match_vertices(&graph);
        let removed = self.remove_unmatched(&graph, &places, &added, news);
        self.add_vertices(&graph, &added, news, &mut places);
        self.replace_edges(&graph, &places);
        self.order = in_order(&graph, &places);
        self.turns.resize(self.slots.len(), 0);
        for (turn, slot) in (0..).zip(&self.order) {
            self.turns[slot.index()] = turn;
        }
        self.placed = places.clone();
        self.n_declared = declared.resources.len();
        self.n_visited += (graph.resources.len() + graph.edges.len()) as u64;
        self.managed = None;
        self.forget_budgets(&graph, !removed.is_empty());
        self.undo.had_another_go();
        self.prune_exports();
        self.in_force(added.len(), removed.len(), news);
        let added: FxHashSet<Slot> = added.iter().map(|&vertex| places[vertex]).collect();
        for slot in self.order.clone() {
            if added.contains(&slot) {
                self.start(slot);
            } else {
                self.resume(slot);
            }
        }
    }

    /// The graph stands; it is told.
    pub(super) fn in_force(&mut self, added: usize, removed: usize, news: &News) {
        self.mode = Mode::Running;
        self.has_graph = true;
        self.hold_convergence();
        self.report(
            What::GraphSwitched {
                n_vertices: self.order.len(),
                n_edges: self.edges.len(),
                added,
                removed,
                kinds: self.by_kind.iter().map(|(kind, &n)| (kind.clone(), n)).collect(),
            },
            Why::of(&news.all).as_ref(),
        );
    }

    /// Whoever waits for a semaphore or for room is between steps, and asks again.
    pub(super) fn free_waiting(&mut self) {
        let mut waiting = self.semaphores.forget_waiting();
        waiting.extend(self.waiting_for_room.drain(..));
        for slot in waiting {
            self.unqueue(slot);
        }
    }

    /// For each vertex of the new graph the running one that it is equal to, and those that are new.
    fn match_vertices(&mut self, graph: &ResGraph) -> (IndexVec<VertexId, Slot>, Vec<VertexId>) {
        // What stands where it stood, as the same object, needs no search.
        let mut taken = vec![false; self.slots.len()];
        let same: Vec<Option<Slot>> = graph
            .resources
            .iter()
            .map(|(at, resource)| {
                let slot = *self.placed.get(at)?;
                let stays = Arc::ptr_eq(&self.vertex(slot).declared, resource) && self.keeps(slot, resource);
                stays.then(|| {
                    taken[slot.index()] = true;
                    slot
                })
            })
            .collect();
        let mut known: FxHashMap<&ResourceId, Vec<Slot>> = FxHashMap::default();
        for &slot in self.order.iter().filter(|slot| !taken[slot.index()]) {
            let id = &self.slots[slot].as_ref().expect("it is in the order").declared.id;
            known.entry(id).or_default().push(slot);
        }
        let mut places = IndexVec::with_capacity(graph.resources.len());
        let mut added = Vec::new();
        let mut kept = Vec::new();
        for (vertex, resource) in graph.resources.iter() {
            if let Some(slot) = same[vertex.index()] {
                places.push(slot);
                continue;
            }
            let candidates = known.get_mut(&resource.id);
            let found = candidates.and_then(|slots| {
                let at = slots.iter().position(|&slot| self.keeps(slot, resource))?;
                Some(slots.remove(at))
            });
            match found {
                Some(slot) => {
                    kept.push((slot, resource));
                    places.push(slot);
                }
                None => {
                    added.push(vertex);
                    places.push(UNPLACED);
                }
            }
        }
        for (slot, resource) in kept {
            self.rewire(slot, resource);
        }
        (places, added)
    }

    /// Is the running vertex what the new graph wants?
    pub(super) fn keeps(&self, slot: Slot, new: &Arc<Resource>) -> bool {
        let vertex = self.vertex(slot);
        let old = &vertex.declared;
        if vertex.failed.is_some() && (old.meta.rewatch || new.meta.rewatch) {
            return false;
        }
        if vertex.failed.is_some() && self.undo.is_due_again(&old.id) {
            return false;
        }
        if vertex.noop != (self.options.noop || new.meta.noop) || vertex.semas != self.semas(new) {
            return false;
        }
        if !Arc::ptr_eq(old, new) && !equal(old, new) {
            return false;
        }
        if old.receives == new.receives {
            return true;
        }
        // Other wires: kept only if what they bring by now is what it holds.
        let (params, _) = self.stored(new, &mut Vec::new()).unwrap_or_else(|| (new.params.clone(), Vec::new()));
        let prefilled = Resource { params, ..(**new).clone() };
        let now = &vertex.resource;
        prefilled.kind.compare(&now.want(), &prefilled.want()).is_ok()
    }

    pub(super) fn rewire(&mut self, slot: Slot, new: &Arc<Resource>) {
        let vertex = self.vertex_mut(slot);
        if vertex.declared.receives != new.receives {
            let held = vertex.resource.params.clone();
            vertex.resource = Arc::new(Resource { params: held, ..(**new).clone() });
            vertex.changed = vec![false; new.receives.len()];
        } else if Arc::ptr_eq(&vertex.declared, &vertex.resource) {
            vertex.resource = new.clone(); // nothing was received: keep sharing
        }
        vertex.declared = new.clone();
    }

    fn remove_unmatched(
        &mut self,
        graph: &ResGraph,
        places: &IndexVec<VertexId, Slot>,
        added: &[VertexId],
        news: &News,
    ) -> Vec<Slot> {
        let mut kept = vec![false; self.slots.len()];
        places.values().filter(|slot| **slot != UNPLACED).for_each(|slot| kept[slot.index()] = true);
        let removed: Vec<Slot> = self.order.iter().copied().filter(|slot| !kept[slot.index()]).collect();
        let names: FxHashMap<&ResourceId, bool> =
            added.iter().map(|&at| &graph.resources[at].id).map(|id| (id, true)).collect();
        for &slot in &removed {
            let is_replaced = names.contains_key(&self.vertex(slot).declared.id);
            self.remove(slot, news, is_replaced);
        }
        removed
    }

    /// A kept vertex goes on where it was. What it waited for may be gone, so unless it is settled
    /// it has another look.
    pub(super) fn resume(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        // What is only looked at is never clean: there the tracker tells whether an event is to be answered.
        let settled = if vertex.noop { vertex.ts > 0 && vertex.trackers.second } else { vertex.clean };
        if !settled && vertex.started && (vertex.failed.is_none() || vertex.looks_again) {
            vertex.want = true;
            self.enqueue(slot);
        }
    }

    /// Budgets of what is gone are forgotten, and those of what has `reset`.
    fn forget_budgets(&mut self, graph: &ResGraph, any_removed: bool) {
        if self.budgets.is_empty() {
            return;
        }
        let present: FxHashMap<&ResourceId, bool> =
            graph.resources.values().map(|resource| (&resource.id, resource.meta.reset)).collect();
        self.budgets.retain(|id, _| match present.get(id) {
            Some(reset) => !reset,
            None => !any_removed,
        });
    }
}

const UNPLACED: Slot = Slot(u32::MAX);

fn with_isolated(graph: &Arc<ResGraph>, more: Vec<Arc<Resource>>) -> Arc<ResGraph> {
    if more.is_empty() {
        return graph.clone();
    }
    let mut graph = (**graph).clone();
    for resource in more {
        graph.resources.push(resource);
    }
    Arc::new(graph)
}

/// The vertices so that what comes before comes first, and else in the order of the graph.
fn in_order(graph: &ResGraph, places: &IndexVec<VertexId, Slot>) -> Vec<Slot> {
    let n_vertices = graph.resources.len();
    let mut n_before = vec![0usize; n_vertices];
    let mut after: Vec<Vec<VertexId>> = vec![Vec::new(); n_vertices];
    for edge in &graph.edges {
        n_before[edge.to.index()] += 1;
        after[edge.from.index()].push(edge.to);
    }
    let mut order: Vec<VertexId> = graph.resources.ids().filter(|vertex| n_before[vertex.index()] == 0).collect();
    let mut at = 0;
    while at < order.len() {
        for &next in &after[order[at].index()] {
            n_before[next.index()] -= 1;
            if n_before[next.index()] == 0 {
                order.push(next);
            }
        }
        at += 1;
    }
    debug_assert_eq!(order.len(), n_vertices, "a graph that is handed over has no cycle");
    order.into_iter().map(|vertex| places[vertex]).collect()
}
