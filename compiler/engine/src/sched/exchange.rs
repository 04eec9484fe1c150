//! Exchange: a few resources take the places of others of the same name; edges, order and everybody else
//! stay as they are. Engine spec, 6 and 27.9, for the switch that comes most often: the value of a field.
//!
//! What it does is what `sync` would do with the whole graph, in proportion to the exchanges and to the
//! edges at them.

use super::cause::News;
use super::{EdgeIx, Mode, Pending, Scheduler, Slot};
use crate::index::Id;
use crate::protocol::Moment;
use crate::rgraph::{Changed, Edge, ResGraph, Resource, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) type Changes = BTreeMap<VertexId, Arc<Resource>>;

impl Scheduler {
    /// The newest graph with a few resources in the places of others of the same name, with the same edges
    /// and meta parameters, comes into force as soon as no check is in flight.
    pub fn exchange(&mut self, now: Moment, changes: Vec<Changed>, news: News) {
        self.advance(now);
        match self.mode {
            Mode::Running | Mode::Pausing => {
                let changes = changes.into_iter().map(|changed| (changed.at, changed.now));
                match &mut self.pending {
                    Some(Pending::Whole(graph)) => {
                        let graph = Arc::make_mut(graph);
                        changes.for_each(|(at, resource)| graph.resources[at] = resource);
                    }
                    Some(Pending::Few(earlier)) => earlier.extend(changes),
                    None => self.pending = Some(Pending::Few(changes.collect())),
                }
                self.news = std::mem::take(&mut self.news).then(news);
                self.mode = Mode::Pausing;
            }
            Mode::Exiting | Mode::Ended => {}
        }
        self.settle();
    }

    /// Would a switch to the very same resources do anything? What undid something leaves with the next one,
    /// what failed with `rewatch` begins anew, and `reset` gives attempts back.
    pub(crate) fn gains_by_a_switch(&self) -> bool {
        let resets = |id| self.senders.get(id).is_some_and(|slot| self.vertex(*slot).declared.meta.reset);
        self.n_rewatch > 0
            || self.placed.values().skip(self.n_declared).any(|slot| self.vertex(*slot).clean)
            || self.budgets.keys().any(resets)
    }

    /// Is nothing else to be done at this switch, and is it what was promised?
    pub(super) fn can_exchange(&self, changes: &Changes) -> bool {
        let alike = |(at, now): (&VertexId, &Arc<Resource>)| {
            let Some(&slot) = self.placed.get(*at).filter(|_| at.index() < self.n_declared) else { return false };
            let before = &self.vertex(slot).declared;
            before.id == now.id
                && before.meta == now.meta
                && before.receives == now.receives
                && before.children.is_empty()
                && now.children.is_empty()
        };
        // A reversal may be done, and what failed with `rewatch` begins anew.
        self.n_declared == self.placed.len() && self.n_rewatch == 0 && changes.iter().all(alike)
    }

    /// The whole graph that the changes lead to.
    pub(super) fn with(&self, changes: Changes) -> ResGraph {
        let mut graph = ResGraph::default();
        let mut places: FxHashMap<Slot, VertexId> = FxHashMap::default();
        for &slot in self.placed.values().take(self.n_declared) {
            places.insert(slot, graph.resources.push(self.vertex(slot).declared.clone()));
        }
        let edges = self.edges.values().filter_map(|edge| {
            let (from, to) = (*places.get(&edge.from)?, *places.get(&edge.to)?);
            Some(Edge { from, to, name: edge.name.clone(), notify: edge.notify })
        });
        graph.edges = edges.collect();
        for (at, resource) in changes {
            graph.resources[at] = resource;
        }
        graph
    }

    /// Puts the changes in force. No check is in flight.
    pub(super) fn put_in_place(&mut self, changes: Changes, news: &News) {
        self.free_waiting();
        let mut others = Vec::new();
        for (at, resource) in changes {
            let slot = self.placed[at];
            self.n_visited += 1;
            self.forget_managed(&self.vertex(slot).declared.clone(), &resource);
            if self.keeps(slot, &resource) {
                self.rewire(slot, &resource);
            } else {
                others.push((slot, resource));
            }
        }
        others.sort_by_key(|(slot, _)| self.turns[slot.index()]);
        let slots: FxHashSet<Slot> = others.iter().map(|(slot, _)| *slot).collect();
        slots.iter().for_each(|slot| self.wait_no_more(*slot));
        let ends: Vec<Ends> = others.iter().map(|(slot, _)| self.ends(*slot)).collect();
        for (slot, _) in &others {
            self.remove(*slot, news, true);
            // It is not free: another one comes there.
            self.free.pop();
        }
        for (slot, resource) in &others {
            self.put_vertex(*slot, resource.clone(), news);
        }
        for ((slot, _), ends) in others.iter().zip(ends) {
            self.connect(*slot, ends, &slots);
        }
        let senders = &self.senders;
        let slots = &self.slots;
        self.budgets.retain(|id, _| {
            let vertex = senders.get(id).and_then(|slot| slots[*slot].as_ref());
            !vertex.is_some_and(|vertex| vertex.declared.meta.reset)
        });
        self.in_force(others.len(), others.len(), news);
        for (slot, _) in others {
            self.start(slot);
        }
    }

    /// It leaves: whoever it waits for need not tell it.
    fn wait_no_more(&mut self, slot: Slot) {
        for index in 0..self.vertex(slot).edges_in.len() {
            let edge = self.vertex(slot).edges_in[index];
            if std::mem::take(&mut self.edges[edge].awaited) {
                let from = self.edges[edge].from;
                self.vertex_mut(from).edges_awaited.retain(|other| *other != edge);
            }
        }
    }

    fn ends(&mut self, slot: Slot) -> Ends {
        let vertex = self.vertex_mut(slot);
        Ends {
            ts: vertex.ts,
            heeds: vertex.heeds,
            edges_in: vertex.edges_in.clone(),
            edges_out: vertex.edges_out.clone(),
            edges_told: vertex.edges_told.clone(),
            edges_awaited: std::mem::take(&mut vertex.edges_awaited),
        }
    }

    /// The edges of the one that was there are those of the new one, which has not succeeded yet.
    fn connect(&mut self, slot: Slot, ends: Ends, others: &FxHashSet<Slot>) {
        let is_new = |edge: &&EdgeIx| self.vertex(self.edges[**edge].from).ts == 0;
        let n_stale = ends.edges_in.iter().filter(is_new).count();
        self.n_visited += (ends.edges_in.len() + ends.edges_out.len()) as u64;
        for &index in &ends.edges_out {
            let to = self.edges[index].to;
            if others.contains(&to) {
                continue; // it sees to that itself
            }
            let after = self.vertex_mut(to);
            if after.heeds {
                after.n_stale += usize::from(ends.ts > after.ts);
            } else if after.asked {
                self.await_edge(index);
            }
        }
        let vertex = self.vertex_mut(slot);
        // It says the same of edges, wires and `noop`.
        vertex.heeds = ends.heeds;
        vertex.n_stale = if vertex.heeds { n_stale } else { 0 };
        (vertex.edges_in, vertex.edges_out) = (ends.edges_in, ends.edges_out);
        vertex.edges_told = ends.edges_told;
        // What `await_edge` has added comes on top.
        vertex.edges_awaited.extend(ends.edges_awaited);
    }

    /// The paths that others may ask about are looked up anew where a path changed.
    fn forget_managed(&mut self, before: &Resource, now: &Resource) {
        let traits = before.kind.decl().traits;
        if traits.graph_queryable && before.kind.claims(&before.want()) != now.kind.claims(&now.want()) {
            self.managed = None;
        }
    }
}

/// The edges of a vertex that leaves.
struct Ends {
    ts: u64,
    heeds: bool,
    edges_in: Vec<EdgeIx>,
    edges_out: Vec<EdgeIx>,
    edges_told: Vec<EdgeIx>,
    edges_awaited: Vec<EdgeIx>,
}
