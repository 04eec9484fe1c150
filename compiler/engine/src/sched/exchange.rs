//! Exchange: replaces a few resources by others of the same name; edges, order and all other resources stay. Engine
//! spec, 6 and 27.9, for the most frequent switch: the value of a field.
//!
//! It has the same effect as `sync` with the whole graph, at a cost proportional to the exchanges and their edges.

use super::Scheduler;
use super::state::{Changes, Graph, News, Slot, Wires};
use crate::protocol::{Moment, ResourceId};
use crate::rgraph::{Changed, ResGraph, Resource, VertexId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

impl Scheduler {
    /// Requests that a few resources of the newest graph are replaced as soon as no check is in flight. Edges and meta
    /// parameters stay the same.
    pub fn exchange(&mut self, now: Moment, changes: Vec<Changed>, news: News) {
        self.advance(now);
        self.lifecycle.exchange(changes.into_iter().map(|changed| (changed.at, changed.now)), news);
        self.settle();
    }

    /// Whether a switch to identical resources would have an effect: a finished undo leaves at the next switch, a
    /// failed resource with `rewatch` restarts, and `reset` restores attempts.
    pub(crate) fn gains_by_a_switch(&self) -> bool {
        self.conditions.n_rewatch() > 0
            || self.graph.undoing().any(|slot| self.conditions.is_clean(slot))
            || self.conditions.any_attempt_spent_where(|id| resets(&self.wires, &self.graph, id))
    }

    /// Whether this switch has nothing else to do, and the changes are as promised.
    pub(super) fn can_exchange(&self, changes: &Changes) -> bool {
        let alike = |(at, now): (&VertexId, &Arc<Resource>)| {
            let Some(slot) = self.graph.declared_place(*at) else { return false };
            let before = self.graph.declared(slot);
            before.id == now.id
                && before.meta == now.meta
                && before.receives == now.receives
                && before.secret_fields == now.secret_fields
                && before.children.is_empty()
                && now.children.is_empty()
        };
        // An undo may be finished, and a failed resource with `rewatch` restarts.
        self.graph.undoing().next().is_none() && self.conditions.n_rewatch() == 0 && changes.iter().all(alike)
    }

    /// The whole graph after the changes.
    pub(super) fn with(&self, changes: Changes) -> ResGraph {
        let mut graph = ResGraph::default();
        let mut places: FxHashMap<Slot, VertexId> = FxHashMap::default();
        for slot in self.graph.said() {
            places.insert(slot, graph.resources.push(self.graph.declared(slot).clone()));
        }
        graph.edges = self.edges.among(&places);
        graph.left_out = self.undo.left_out().to_vec();
        for (at, resource) in changes {
            graph.resources[at] = resource;
        }
        graph
    }

    /// Applies the changes. No check is in flight.
    pub(super) fn put_in_place(&mut self, changes: Changes, news: &News) {
        self.queue.free_waiting();
        let mut others = Vec::new();
        for (at, resource) in changes {
            let Some(slot) = self.graph.declared_place(at) else { continue };
            self.graph.exchange_managed(slot, &resource);
            if self.keeps(slot, &resource) {
                self.graph.declare_again(slot, &resource);
            } else {
                others.push((slot, resource));
            }
        }
        others.sort_by_cached_key(|(slot, _)| self.graph.turn(*slot));
        let slots: FxHashSet<Slot> = others.iter().map(|(slot, _)| *slot).collect();
        slots.iter().for_each(|slot| self.edges.wait_no_more(*slot));
        let legacies: Vec<_> = others.iter().map(|(slot, _)| self.edges.legacy(*slot)).collect();
        let follows: Vec<_> =
            others.iter().map(|(slot, resource)| self.follows(*slot, news.why(&resource.id).as_ref())).collect();
        for (slot, _) in &others {
            self.remove(*slot, news, true);
        }
        for ((slot, resource), follows) in others.iter().zip(follows) {
            self.put_vertex(*slot, resource.clone(), news);
            if let Some(follows) = follows {
                self.follow(*slot, follows);
            }
        }
        for ((slot, _), legacy) in others.iter().zip(legacies) {
            self.edges.inherit(*slot, legacy, &slots);
        }
        self.conditions.restore_attempts_where(|id| resets(&self.wires, &self.graph, id));
        self.in_force(others.len(), others.len(), news);
        for (slot, _) in others {
            self.start(slot);
        }
    }
}

/// Whether its attempts are restored at each switch.
fn resets(wires: &Wires, graph: &Graph, id: &ResourceId) -> bool {
    wires.sender(id).is_some_and(|slot| graph.declared(slot).meta.reset)
}
