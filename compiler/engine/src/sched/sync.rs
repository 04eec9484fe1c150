//! Graph sync: the running graph becomes the new one by difference. Engine spec, 6 and 27.9.
//!
//! An equal resource keeps its vertex with watch, timestamp, budget and memory. Send/recv wires are those of the new
//! graph, also for kept resources. Everything is proportional to the difference, except one cheap pass over vertices
//! and edges; if only fields of a few resources differ, even that is skipped (`exchange`).

use super::Scheduler;
use super::equal::equal;
use super::flap::Follows;
use super::state::{Changes, News, Pending, Slot, Why};
use crate::index::{Id, IndexVec};
use crate::protocol::{ResourceId, What};
use crate::rgraph::{ResGraph, Resource, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Scheduler {
    /// Puts the waiting graph in effect. No check is in flight.
    pub(super) fn commit(&mut self) {
        let (pending, news) = self.lifecycle.take_pending();
        match pending {
            Some(Pending::Whole(graph)) => self.replace(&graph, &news),
            Some(Pending::Few(changes)) if self.can_exchange(&changes) => self.put_in_place(changes, &news),
            Some(Pending::Few(changes)) => self.replace(&Arc::new(self.with(changes)), &news),
            None => {}
        }
    }

    /// Replaces the running graph by any other.
    fn replace(&mut self, declared: &Arc<ResGraph>, news: &News) {
        self.leave_out(&declared.left_out);
        let reversals = self.reversals(declared);
        let graph = with_isolated(declared, reversals);
        self.queue.free_waiting();
        let (mut places, added) = self.match_vertices(&graph);
        let (n_removed, mut follows) = self.remove_unmatched(&graph, &places, &added, news);
        self.add_vertices(&graph, &added, news, &mut places);
        for &at in &added {
            if let Some(follows) = follows.remove(&graph.resources[at].id) {
                self.follow(places[at], follows);
            }
        }
        for slot in self.edges.replace(&graph, &places, |slot| self.graph.is_noop(slot)) {
            self.keep_refresh(slot);
        }
        let is_added: FxHashSet<Slot> = added.iter().map(|&vertex| places[vertex]).collect();
        let order = in_order(&graph, &places);
        self.graph.arrange(order.clone(), places, declared.resources.len());
        self.restore_attempts(&graph, n_removed > 0);
        self.undo.had_another_go();
        self.prune_exports();
        self.in_force(added.len(), n_removed, news);
        for slot in order {
            if is_added.contains(&slot) {
                self.start(slot);
            } else {
                self.resume(slot);
            }
        }
    }

    /// Puts the graph of the program in effect again, with additional resources.
    pub(super) fn replace_by_itself(&mut self) {
        let graph = self.with(Changes::new());
        self.lifecycle.begin_anew(Arc::new(graph));
    }

    /// Reports that the graph is in effect.
    pub(super) fn in_force(&mut self, added: usize, removed: usize, news: &News) {
        self.lifecycle.set_in_force();
        self.convergence.hold(self.clock.now());
        let (n_vertices, n_edges) = (self.graph.order().len(), self.edges.n_edges());
        let kinds = self.graph.kinds();
        self.report(What::GraphSwitched { n_vertices, n_edges, added, removed, kinds }, Why::of(&news.all).as_ref());
    }

    /// For each vertex of the new graph the equal running one, and the new vertices.
    fn match_vertices(&mut self, graph: &ResGraph) -> (IndexVec<VertexId, Slot>, Vec<VertexId>) {
        // The same object at the same index needs no search.
        let mut taken = vec![false; self.graph.n_slots()];
        let same: Vec<Option<Slot>> = graph
            .resources
            .iter()
            .map(|(at, resource)| {
                let slot = self.graph.place(at)?;
                let stays = Arc::ptr_eq(self.graph.declared(slot), resource) && self.keeps(slot, resource);
                stays.then(|| {
                    taken[slot.index()] = true;
                    slot
                })
            })
            .collect();
        let mut known: FxHashMap<&ResourceId, Vec<Slot>> = FxHashMap::default();
        for &slot in self.graph.order().iter().filter(|slot| !taken[slot.index()]) {
            known.entry(&self.graph.declared(slot).id).or_default().push(slot);
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
            self.graph.declare_again(slot, resource);
        }
        (places, added)
    }

    /// Whether the running vertex is what the new graph wants.
    pub(super) fn keeps(&self, slot: Slot, new: &Arc<Resource>) -> bool {
        let old = self.graph.declared(slot);
        if self.conditions.has_failed(slot) {
            let begins_anew = old.meta.rewatch || new.meta.rewatch;
            if begins_anew || self.undo.is_due_again(&old.id) {
                return false;
            }
        }
        let noop = self.options.noop || new.meta.noop;
        if self.graph.is_noop(slot) != noop || *self.queue.semas(slot) != *self.semas(new) {
            return false;
        }
        if !Arc::ptr_eq(old, new) && !equal(old, new) {
            return false;
        }
        if old.receives == new.receives {
            return true;
        }
        // Other wires: kept only if they have brought the value it already holds.
        let stored = self.wires.stored(new, &mut Vec::new());
        let (params, _) = stored.unwrap_or_else(|| (new.params.clone(), Vec::new()));
        let prefilled = Resource { params, ..(**new).clone() };
        prefilled.kind.compare(&self.graph.resource(slot).want(), &prefilled.want()).is_ok()
    }

    fn remove_unmatched(
        &mut self,
        graph: &ResGraph,
        places: &IndexVec<VertexId, Slot>,
        added: &[VertexId],
        news: &News,
    ) -> (usize, FxHashMap<ResourceId, Follows>) {
        let mut kept = vec![false; self.graph.n_slots()];
        places.values().filter(|slot| **slot != UNPLACED).for_each(|slot| kept[slot.index()] = true);
        let order = self.graph.order().iter().copied();
        let removed: Vec<Slot> = order.filter(|slot| !kept[slot.index()]).collect();
        let names: FxHashSet<&ResourceId> = added.iter().map(|&at| &graph.resources[at].id).collect();
        let mut all_follow = FxHashMap::default();
        for &slot in &removed {
            let id = self.graph.declared(slot).id.clone();
            let is_replaced = names.contains(&id);
            let follows = if is_replaced { self.follows(slot, news.why(&id).as_ref()) } else { None };
            self.remove(slot, news, is_replaced);
            self.graph.release(slot);
            all_follow.extend(follows.map(|follows| (id, follows)));
        }
        (removed.len(), all_follow)
    }

    /// Continues a kept vertex. Whatever it waited for may be gone, so unless it is settled it is looked at again.
    fn resume(&mut self, slot: Slot) {
        let has_looked = !self.graph.is_noop(slot) || !self.edges.is_new(slot);
        let is_settled = self.is_settled(slot) && has_looked;
        if !is_settled && self.watches.is_started(slot) && !self.conditions.is_given_up(slot) {
            self.queue.want(slot);
            self.queue.enqueue(slot);
        }
    }

    /// Forgets attempts of removed resources, and of those with `reset`.
    fn restore_attempts(&mut self, graph: &ResGraph, any_removed: bool) {
        if !self.conditions.any_attempt_spent() {
            return;
        }
        let present: FxHashMap<&ResourceId, bool> =
            graph.resources.values().map(|resource| (&resource.id, resource.meta.reset)).collect();
        self.conditions.restore_attempts_where(|id| present.get(id).copied().unwrap_or(any_removed));
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

/// The vertices in topological order, otherwise in the order of the graph.
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
