//! Who goes first: predecessors that are asked to, and successors that are told. Engine spec, 8 and 27.7.
//!
//! A vertex may go when each of its predecessors has succeeded since it last did. Taken literally, each
//! success is passed on to all successors, which find that there is nothing to do and pass it on in turn:
//! a look at one directory would cost a look at the ten thousand files in it. So one that is right and can
//! hear nothing new (it does not *heed*) counts as gone again by itself. When something happens to it, it
//! *asks* those before it to go first, and waits for those alone. What can be seen from outside is the
//! same: what was not visited would have done nothing.

use super::cause::Why;
use super::{Busy, EdgeIx, Scheduler, Slot};
use crate::protocol::{Cause, ResourceId};

impl Scheduler {
    /// Must somebody else go first? Then it is asked to, and pokes back when it is done.
    pub(super) fn must_wait(&mut self, slot: Slot) -> bool {
        if self.all_others_rest(slot) {
            return false;
        }
        let vertex = self.vertex(slot);
        if !vertex.heeds && !vertex.asked {
            self.ask(slot);
        }
        if self.vertex(slot).n_stale == 0 {
            return false;
        }
        self.back_poke(slot);
        true
    }

    /// Has nobody else anything to do? Then whoever was asked to go first would do nothing and say so, and nobody
    /// need be asked: an event in a host that is quiet costs the vertex alone, however many come before it.
    fn all_others_rest(&self, slot: Slot) -> bool {
        self.n_failed == 0
            // What is only looked at is looked at again whenever it is asked.
            && self.n_noop == 0
            && self.n_running == 0
            && self.ready.is_empty()
            && self.waiting_for_room.is_empty()
            && self.only_it_is_unsettled(slot)
    }

    /// Waits for all that come before it; the first time, for those that have not succeeded yet.
    fn ask(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        vertex.asked = true;
        let is_first = vertex.ts == 0;
        for index in 0..self.vertex(slot).edges_in.len() {
            let edge = self.vertex(slot).edges_in[index];
            self.n_visited += 1;
            if !is_first || self.vertex(self.edges[edge].from).ts == 0 {
                self.await_edge(edge);
            }
        }
    }

    /// The end of an edge waits for its start.
    pub(super) fn await_edge(&mut self, index: EdgeIx) {
        let edge = &mut self.edges[index];
        if std::mem::replace(&mut edge.awaited, true) {
            return;
        }
        let (from, to) = (edge.from, edge.to);
        self.vertex_mut(from).edges_awaited.push(index);
        self.vertex_mut(to).n_stale += 1;
    }

    /// A predecessor is older: it goes first. One that has never succeeded is on its way by itself, so a
    /// long chain that starts costs no more than its length.
    fn back_poke(&mut self, slot: Slot) {
        let vertex = self.vertex(slot);
        if vertex.ts == 0 {
            return; // then so is every older one
        }
        let why = vertex.why.clone();
        let (ts, heeds, edges) = (vertex.ts, vertex.heeds, vertex.edges_in.clone());
        for edge in edges {
            self.n_visited += 1;
            let before = self.edges[edge].from;
            let is_stale = if heeds { self.vertex(before).ts <= ts } else { self.edges[edge].awaited };
            if is_stale {
                let poked = self.vertex_mut(before);
                poked.want = true;
                if poked.why.is_none() {
                    poked.why.clone_from(&why);
                }
                self.hurry(before);
                self.enqueue(before);
            }
        }
    }

    /// A predecessor has succeeded: whoever waited for the last of its predecessors may go on.
    pub(super) fn poke_successors(&mut self, slot: Slot, old_ts: u64) {
        let vertex = self.vertex_mut(slot);
        let mut edges = std::mem::take(&mut vertex.edges_awaited);
        if edges.is_empty() && vertex.edges_told.is_empty() {
            return;
        }
        edges.extend(&vertex.edges_told);
        edges.sort_unstable();
        let id = vertex.resource.id.clone();
        let poked = vertex.why.as_ref().map(|why| why.then(Cause::Poked { by: id.clone() }));
        let poked = poked.unwrap_or_else(|| Why::new(Cause::Poked { by: id.clone() }));
        for edge in edges {
            self.n_visited += 1;
            let after = self.edges[edge].to;
            let may_go = if std::mem::take(&mut self.edges[edge].awaited) {
                let next = self.vertex_mut(after);
                next.n_stale -= 1;
                next.n_stale == 0
            } else {
                self.tell(edge, after, old_ts, &id)
            };
            if may_go {
                let next = self.vertex_mut(after);
                next.want = true;
                if next.why.is_none() {
                    next.why = Some(poked.clone());
                }
                self.enqueue(after);
            }
        }
    }

    /// One that heeds is told that a predecessor has succeeded. Is there anything for it to do?
    fn tell(&mut self, edge: EdgeIx, after: Slot, old_ts: u64, from: &ResourceId) -> bool {
        let next = self.vertex_mut(after);
        if old_ts <= next.ts {
            next.n_stale -= 1; // the edge was stale, and is no more
        }
        // One that is being looked at will be newer by itself: only what it cannot know counts.
        match next.busy {
            Busy::Running(_) => self.has_sent_news(after, edge, from),
            Busy::Preparing | Busy::Idle | Busy::Limited(_) | Busy::Queued | Busy::RetryWait(_) | Busy::Resting(_) => {
                next.n_stale == 0 || next.ts > 0 && self.has_news(after, edge, from)
            }
        }
    }

    /// With several ways in, one that is not newer yet would hold up news for ever: then it is asked
    /// to go first. What is only looked at is never clean and keeps its notifications, so there
    /// only an event is news; and a sender that sends what it sent before has none, or two that
    /// are only looked at would ask each other for ever.
    fn has_news(&self, after: Slot, edge: EdgeIx, from: &ResourceId) -> bool {
        let next = self.vertex(after);
        let settled = if next.noop { next.trackers.second } else { next.clean };
        !settled || self.has_sent_news(after, edge, from)
    }

    /// Was there a notification along this edge, or a value that is not known yet?
    fn has_sent_news(&self, after: Slot, edge: EdgeIx, from: &ResourceId) -> bool {
        let next = self.vertex(after);
        self.edges[edge].refresh && !next.noop
            || next.resource.receives.iter().any(|wire| wire.from == *from)
                && self.stored(&next.resource, &mut Vec::new()).is_some()
    }
}
