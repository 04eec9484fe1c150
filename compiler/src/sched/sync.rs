//! Graph sync: the running graph becomes the new one by difference. Engine spec, 6 and 27.9.
//!
//! A resource that is equal keeps its vertex with watch, timestamp, budget and memory. Wires of
//! send/recv are those of the new graph, also for what is kept. All that is not proportional to
//! the difference is one cheap pass over vertices and edges.

use super::bucket::Bucket;
use super::cause::{News, Why};
use super::vertex::{RunEdge, Trackers};
use super::{Busy, Mode, Scheduler, Slot, Vertex, Watching};
use crate::index::{Id, IndexVec};
use crate::protocol::{Phase, ResourceId, What};
use crate::rgraph::{ResGraph, Resource, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Scheduler {
    /// Puts the graph that waits in force. No check is in flight.
    pub(super) fn commit(&mut self) {
        let Some(pending) = self.pending.take() else {
            self.mode = Mode::Running;
            return;
        };
        let news = std::mem::take(&mut self.news);
        let reversals = self.reversals(&pending);
        let graph = with_isolated(&pending, reversals);
        self.free_waiting();
        let (mut places, added) = self.match_vertices(&graph);
        let removed = self.remove_unmatched(&places);
        self.add_vertices(&graph, &added, &news, &mut places);
        self.replace_edges(&graph, &places);
        self.order = in_order(&graph, &places);
        self.placed = places.clone();
        self.managed = None;
        self.forget_budgets(&graph, !removed.is_empty());
        self.prune_exports();
        self.mode = Mode::Running;
        self.has_graph = true;
        self.hold_convergence();
        self.report(
            What::GraphSwitched {
                n_vertices: graph.resources.len(),
                n_edges: graph.edges.len(),
                added: added.len(),
                removed: removed.len(),
                kinds: self.by_kind.iter().map(|(kind, &n)| (kind.clone(), n)).collect(),
            },
            Why::of(&news.all).as_ref(),
        );
        let added: FxHashSet<Slot> = added.iter().map(|&vertex| places[vertex]).collect();
        for slot in self.order.clone() {
            if added.contains(&slot) {
                self.start(slot);
            } else {
                self.resume(slot);
            }
        }
    }

    /// Whoever waits for a semaphore or for room is between steps, and asks again.
    fn free_waiting(&mut self) {
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
    fn keeps(&self, slot: Slot, new: &Arc<Resource>) -> bool {
        let vertex = self.vertex(slot);
        let old = &vertex.declared;
        if vertex.failed.is_some() && (old.meta.rewatch || new.meta.rewatch) {
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

    fn rewire(&mut self, slot: Slot, new: &Arc<Resource>) {
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

    fn remove_unmatched(&mut self, places: &IndexVec<VertexId, Slot>) -> Vec<Slot> {
        let mut kept = vec![false; self.slots.len()];
        places.values().filter(|slot| **slot != UNPLACED).for_each(|slot| kept[slot.index()] = true);
        let removed: Vec<Slot> = self.order.iter().copied().filter(|slot| !kept[slot.index()]).collect();
        for &slot in &removed {
            self.remove(slot);
        }
        removed
    }

    fn remove(&mut self, slot: Slot) {
        self.end_reversal(slot);
        self.take_notice(slot);
        self.clear_refresh(slot);
        self.drop_notifications(slot);
        self.stop_watch(slot);
        self.unregister(slot);
        let vertex = self.vertex_mut(slot);
        let busy = std::mem::replace(&mut vertex.busy, Busy::Idle);
        match busy {
            Busy::Limited(Some(key)) | Busy::RetryWait(key) => self.timers.cancel(key),
            Busy::Limited(None) | Busy::Idle | Busy::Queued | Busy::Preparing | Busy::Running(_) => {}
        }
        let vertex = self.vertex(slot);
        let (resource, failed) = (vertex.resource.clone(), vertex.failed.is_some());
        self.n_failed -= usize::from(failed);
        for id in std::iter::once(&resource.id).chain(resource.children.iter().map(|child| &child.id)) {
            if self.senders.get(id) == Some(&slot) {
                self.senders.remove(id);
                self.sent.remove(id);
            }
        }
        for kind in kinds_of(&resource) {
            if let Some(n) = self.by_kind.get_mut(&kind) {
                *n -= 1;
            }
        }
        self.report_phase(slot, Phase::Removed, String::new);
        self.slots[slot] = None;
        self.free.push(slot);
    }

    /// What it had told others goes with it: the edges end here.
    fn drop_notifications(&mut self, slot: Slot) {
        for edge in self.vertex(slot).edges_out.clone() {
            let edge = &mut self.edges[edge];
            let to = edge.to;
            if std::mem::take(&mut edge.refresh) && self.slots[to].is_some() {
                self.keep_refresh(to);
            }
        }
    }

    fn add_vertices(
        &mut self,
        graph: &ResGraph,
        added: &[VertexId],
        news: &News,
        places: &mut IndexVec<VertexId, Slot>,
    ) {
        for &at in added {
            let resource = graph.resources[at].clone();
            let mut vertex = self.new_vertex(resource.clone());
            vertex.why = news.why(&resource.id);
            let slot = match self.free.pop() {
                Some(slot) => {
                    self.slots[slot] = Some(Box::new(vertex));
                    slot
                }
                None => self.slots.push(Some(Box::new(vertex))),
            };
            places[at] = slot;
            self.register(slot);
            for kind in kinds_of(&resource) {
                *self.by_kind.entry(kind).or_default() += 1;
            }
            if !resource.meta.hidden {
                for id in std::iter::once(&resource.id).chain(resource.children.iter().map(|child| &child.id)) {
                    self.senders.insert(id.clone(), slot);
                }
            }
        }
    }

    fn new_vertex(&self, resource: Arc<Resource>) -> Vertex {
        let meta = &resource.meta;
        Vertex {
            noop: self.options.noop || meta.noop,
            semas: self.semas(&resource),
            edges_in: Vec::new(),
            edges_out: Vec::new(),
            n_stale: 0,
            ts: 0,
            clean: false,
            started: false,
            failed: None,
            watching: Watching::Off,
            starting: false,
            watch_budget: meta.retry,
            n_events: 0,
            events_current: false,
            want: false,
            busy: Busy::Idle,
            bucket: Bucket::new(meta.limit, meta.burst, self.now),
            limit_until: Some(self.now),
            changed: vec![false; resource.receives.len()],
            kept: None,
            queued: false,
            n_confirmed: 0,
            why: None,
            trackers: Trackers { registered: false, first: false, second: false },
            published: None,
            declared: resource.clone(),
            resource,
        }
    }

    /// The semaphores of a resource, with that of the whole program; sorted, none twice.
    fn semas(&self, resource: &Resource) -> Arc<[String]> {
        if resource.meta.sema.is_empty() && self.options.sema == 0 {
            return Arc::default();
        }
        let mut names = resource.meta.sema.clone();
        if self.options.sema > 0 {
            names.push(format!(":{}", self.options.sema));
        }
        names.sort();
        names.dedup();
        names.into()
    }

    /// The edges of the new graph; an undelivered notification stays where its edge does.
    fn replace_edges(&mut self, graph: &ResGraph, places: &IndexVec<VertexId, Slot>) {
        let mut pending: FxHashSet<(Slot, Slot)> =
            self.edges.values().filter(|edge| edge.refresh).map(|edge| (edge.from, edge.to)).collect();
        for (_, slot) in places.iter() {
            let vertex = self.vertex_mut(*slot);
            vertex.edges_in.clear();
            vertex.edges_out.clear();
            vertex.n_stale = 0;
        }
        let mut edges = IndexVec::with_capacity(graph.edges.len());
        for edge in &graph.edges {
            let (from, to) = (places[edge.from], places[edge.to]);
            let refresh = edge.notify && !pending.is_empty() && pending.remove(&(from, to));
            let name = edge.name.clone();
            let index = edges.push(RunEdge { from, to, name, notify: edge.notify, refresh, noticed: false });
            let from_ts = self.vertex(from).ts;
            self.vertex_mut(from).edges_out.push(index);
            let after = self.vertex_mut(to);
            after.edges_in.push(index);
            after.n_stale += usize::from(from_ts <= after.ts);
        }
        self.edges = edges;
    }

    /// A kept vertex goes on where it was. What it waited for may be gone, so unless it is settled
    /// it has another look.
    fn resume(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        // What is only looked at is never clean: there the tracker tells whether an event is to be answered.
        let settled = if vertex.noop { vertex.ts > 0 && vertex.trackers.second } else { vertex.clean };
        if !settled && vertex.started && vertex.failed.is_none() {
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

/// The kinds of a resource and of its members.
fn kinds_of(resource: &Resource) -> Vec<Arc<str>> {
    let mut kinds = vec![resource.id.kind.clone()];
    kinds.extend(resource.children.iter().flat_map(|child| kinds_of(child)));
    kinds
}

const UNPLACED: Slot = Slot(u32::MAX);

/// Do two resources of one identity say the same, wires aside?
fn equal(old: &Resource, new: &Resource) -> bool {
    old.meta == new.meta
        && old.is_reversal == new.is_reversal
        && old.kind.compare(&old.want(), &new.want()).is_ok()
        && equal_children(old, new)
}

fn equal_children(old: &Resource, new: &Resource) -> bool {
    if old.children.len() != new.children.len() {
        return false;
    }
    let sorted = |resource: &Resource| {
        let mut children = resource.children.clone();
        children.sort_by(|a, b| a.id.cmp(&b.id));
        children
    };
    sorted(old)
        .iter()
        .zip(&sorted(new))
        .all(|(old, new)| old.id == new.id && (Arc::ptr_eq(old, new) || equal(old, new)))
}

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
