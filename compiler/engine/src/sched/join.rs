//! Joining and leaving the running graph. Engine spec, 6 and 27.9.

use super::Scheduler;
use super::state::{News, Slot};
use crate::index::IndexVec;
use crate::protocol::{Phase, What};
use crate::rgraph::{ResGraph, Resource, VertexId};
use std::sync::Arc;

impl Scheduler {
    /// Removes a vertex. `is_replaced`: another one of the same name follows, so nothing is reported as removed.
    pub(super) fn remove(&mut self, slot: Slot, news: &News, is_replaced: bool) {
        self.end_reversal(slot);
        self.edges.take_notice(slot);
        self.clear_refresh(slot);
        self.drop_notifications(slot);
        self.stop_watch(slot);
        self.convergence.unregister(slot, self.clock.now());
        self.clock.cancel(self.queue.leave(slot));
        self.clock.cancel(self.pacing.forget(slot));
        self.clock.cancel(self.conditions.leave(slot));
        let resource = self.graph.resource(slot).clone();
        self.causes.put(slot, news.why(&resource.id));
        self.wires.leave(slot, &resource);
        self.touches.leave(slot);
        let phase = if is_replaced { Phase::Waiting } else { Phase::Removed };
        self.report_phase(slot, phase, String::new());
        if !resource.children.is_empty() {
            self.report(What::Grouped { id: resource.id.clone(), members: Vec::new() }, None);
        }
        self.graph.take(slot);
    }

    pub(super) fn add_vertices(
        &mut self,
        graph: &ResGraph,
        added: &[VertexId],
        news: &News,
        places: &mut IndexVec<VertexId, Slot>,
    ) {
        for &at in added {
            places[at] = self.graph.free_slot();
            self.put_vertex(places[at], graph.resources[at].clone(), news);
        }
    }

    /// Adds a vertex in a free place.
    pub(super) fn put_vertex(&mut self, slot: Slot, resource: Arc<Resource>, news: &News) {
        let meta = &resource.meta;
        self.edges.join(slot);
        self.queue.join(slot, self.semas(&resource));
        self.watches.join(slot, meta.retry);
        self.conditions.join(slot, meta.rewatch);
        self.pacing.join(slot, meta.limit, meta.burst, self.clock.now());
        self.causes.put(slot, news.why(&resource.id));
        self.convergence.register(slot);
        self.publications.join(slot);
        if !meta.hidden {
            self.wires.join(slot, &resource);
        }
        let is_noop = self.options.noop || meta.noop;
        self.graph.put(slot, resource.clone(), is_noop);
        if !resource.children.is_empty() {
            let members = resource.ids().into_iter().skip(1).cloned().collect();
            self.report(What::Grouped { id: resource.id.clone(), members }, None);
        }
    }

    /// The semaphores of a resource, with the one of the whole program; sorted, without duplicates.
    pub(super) fn semas(&self, resource: &Resource) -> Arc<[String]> {
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
}
