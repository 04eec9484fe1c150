//! What joins the running graph, and what leaves it. Engine spec, 6 and 27.9.

use super::bucket::Bucket;
use super::cause::News;
use super::vertex::Trackers;
use super::{Busy, Scheduler, Slot, Vertex, Watching};
use crate::index::IndexVec;
use crate::protocol::Phase;
use crate::rgraph::{ResGraph, Resource, VertexId};
use std::sync::Arc;

impl Scheduler {
    /// `is_replaced`: another one of the same name comes, so for who looks on nothing leaves.
    pub(super) fn remove(&mut self, slot: Slot, news: &News, is_replaced: bool) {
        self.end_reversal(slot);
        self.take_notice(slot);
        self.clear_refresh(slot);
        self.drop_notifications(slot);
        self.stop_watch(slot);
        self.unregister(slot);
        let vertex = self.vertex_mut(slot);
        let busy = std::mem::replace(&mut vertex.busy, Busy::Idle);
        match busy {
            Busy::Limited(Some(key)) | Busy::RetryWait(key) | Busy::Resting(key) => self.timers.cancel(key),
            Busy::Limited(None) | Busy::Idle | Busy::Queued | Busy::Preparing | Busy::Running(_) => {}
        }
        self.forget_pace(slot);
        let vertex = self.vertex_mut(slot);
        vertex.why = news.why(&vertex.resource.id);
        let (resource, failed) = (vertex.resource.clone(), vertex.failed.is_some());
        self.n_failed -= usize::from(failed);
        self.n_noop -= usize::from(self.vertex(slot).noop);
        self.n_rewatch -= usize::from(failed && self.vertex(slot).declared.meta.rewatch);
        for id in resource.ids() {
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
        let phase = if is_replaced { Phase::Waiting } else { Phase::Removed };
        self.report_phase(slot, phase, String::new);
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

    pub(super) fn add_vertices(
        &mut self,
        graph: &ResGraph,
        added: &[VertexId],
        news: &News,
        places: &mut IndexVec<VertexId, Slot>,
    ) {
        for &at in added {
            let resource = graph.resources[at].clone();
            let slot = self.free.pop().unwrap_or_else(|| self.slots.push(None));
            places[at] = slot;
            self.put_vertex(slot, resource, news);
        }
    }

    /// A new vertex in a free slot.
    pub(super) fn put_vertex(&mut self, slot: Slot, resource: Arc<Resource>, news: &News) {
        let mut vertex = self.new_vertex(resource.clone());
        vertex.why = news.why(&resource.id);
        self.n_noop += usize::from(vertex.noop);
        self.slots[slot] = Some(Box::new(vertex));
        self.register(slot);
        for kind in kinds_of(&resource) {
            *self.by_kind.entry(kind).or_default() += 1;
        }
        if !resource.meta.hidden {
            for id in resource.ids() {
                self.senders.insert(id.clone(), slot);
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
            edges_told: Vec::new(),
            edges_awaited: Vec::new(),
            heeds: false,
            asked: false,
            n_stale: 0,
            ts: 0,
            clean: false,
            started: false,
            failed: None,
            looks_again: false,
            is_prepared: false,
            watching: Watching::Off,
            starting: false,
            watch_budget: meta.retry,
            n_events: 0,
            has_news: false,
            events_current: false,
            want: false,
            busy: Busy::Idle,
            woken: false,
            bucket: Bucket::new(meta.limit, meta.burst, self.now),
            pace: None,
            by_event: false,
            is_hurried: false,
            is_periodic: false,
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

/// The kinds of a resource and of its members.
fn kinds_of(resource: &Resource) -> Vec<Arc<str>> {
    let mut kinds = vec![resource.id.kind.clone()];
    kinds.extend(resource.children.iter().flat_map(|child| kinds_of(child)));
    kinds
}
