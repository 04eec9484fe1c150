//! The order of execution: predecessors that are asked to run, and successors that are informed. Engine spec, 8 and
//! 27.7. [`Edges`](super::state::Edges) counts which vertex waits for which.

use super::Scheduler;
use super::state::{Arrival, Slot, Why};
use crate::protocol::{Cause, ResourceId};

impl Scheduler {
    /// Whether another vertex must run first: then it is asked to, and pokes back when it is done.
    pub(super) fn must_wait(&mut self, slot: Slot) -> bool {
        if self.all_others_rest(slot) || !self.edges.must_wait(slot) {
            return false;
        }
        for before in self.edges.stale_before(slot) {
            self.queue.want(before);
            self.causes.copy(slot, before);
            self.hurry(before);
            self.queue.enqueue(before);
        }
        true
    }

    /// Whether all other vertices are idle: predecessors asked to run first would do nothing and say so, so none is
    /// asked. Then an event on a quiet host costs only its vertex, however many predecessors there are.
    fn all_others_rest(&self, slot: Slot) -> bool {
        self.conditions.n_failed() == 0
            // A vertex with `noop` is looked at whenever it is asked.
            && self.graph.n_noop() == 0
            && self.queue.is_quiet()
            && self.convergence.only_it_is_unsettled(slot)
    }

    /// A vertex has succeeded, for the first time since the success with the number `before`: vertices that waited for
    /// it as their last predecessor may proceed.
    pub(super) fn poke_successors(&mut self, slot: Slot, before: u64) {
        let edges = self.edges.take_hearers(slot);
        if edges.is_empty() {
            return;
        }
        let id = self.graph.id(slot).clone();
        let cause = Cause::Poked { by: id.clone() };
        let poked = self.causes.of(slot).map_or_else(|| Why::new(cause.clone()), |why| why.then(cause.clone()));
        for edge in edges {
            let after = match self.edges.arrive(edge, before) {
                Arrival::MayGo(after) => after,
                Arrival::Told(after) if self.concerns(after, self.edges.is_pending(edge), &id) => after,
                Arrival::Waits(after) => {
                    self.report_waits_further(after, slot);
                    continue;
                }
                Arrival::Told(_) => continue,
            };
            self.queue.want(after);
            self.causes.or(after, Some(&poked));
            self.queue.enqueue(after);
        }
    }

    /// Informs a heeding vertex that a predecessor has succeeded; `true`: it has something to do.
    ///
    /// A vertex being checked will be newer anyway: only unknown news count. With several incoming edges, a vertex that
    /// is not newer yet would block news forever, so it is asked to run first. A vertex with `noop` is never clean and
    /// keeps its notifications, so there only an event is news; and a sender that repeats its last values has none, or
    /// two vertices with `noop` would ask each other forever.
    fn concerns(&self, after: Slot, is_notified: bool, from: &ResourceId) -> bool {
        let is_noop = self.graph.is_noop(after);
        let brings_news = || is_notified && !is_noop || self.sends_news(from, after);
        if self.queue.running(after).is_some() {
            return brings_news();
        }
        self.edges.is_due(after) || !self.edges.is_new(after) && (!self.is_settled(after) || brings_news())
    }

    /// Whether a vertex has sent another one, or a member of it, a value that is not held there yet.
    fn sends_news(&self, from: &ResourceId, after: Slot) -> bool {
        let resource = self.graph.resource(after);
        let members = std::iter::once(&**resource).chain(resource.children.iter().map(|child| &**child));
        let mut hears = members.filter(|member| member.receives.iter().any(|wire| wire.from == *from));
        hears.any(|member| self.wires.has_news(member))
    }

    /// Whether it was looked at since its last event. A vertex with `noop` is never clean: there the tracker decides.
    pub(super) fn is_settled(&self, slot: Slot) -> bool {
        if self.graph.is_noop(slot) { self.convergence.is_settled(slot) } else { self.conditions.is_clean(slot) }
    }
}
