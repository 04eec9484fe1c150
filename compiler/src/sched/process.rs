//! May a vertex be looked at, and must it? Engine spec, 8 and 27.7.

use super::{Busy, EdgeIx, Scheduler, Slot};
use crate::protocol::{Cause, Phase, ResourceId, StopMode};
use std::sync::Arc;

/// What there is to do for a vertex that may be processed.
enum Need {
    /// Nothing: as if it had been looked at and was right.
    Nothing,
    /// Nothing that may be done, though something would change.
    WouldRefresh,
    Check {
        refresh: bool,
    },
}

impl Scheduler {
    /// One scheduling step.
    pub(super) fn process(&mut self, slot: Slot) {
        if self.rung >= Some(StopMode::Soft) {
            return;
        }
        if self.vertex(slot).n_stale > 0 {
            self.back_poke(slot);
            return;
        }
        let received = self.receive(slot);
        if let Err(error) = received {
            let error = format!("could not receive: {error}");
            self.finish(slot, Err(error), None);
            return;
        }
        match self.need(slot) {
            Need::Nothing if !self.must_publish(slot) => self.finish_quietly(slot, false),
            Need::WouldRefresh => self.finish_quietly(slot, true),
            Need::Nothing => self.begin_run(slot, false),
            Need::Check { refresh } => self.begin_run(slot, refresh),
        }
    }

    fn need(&mut self, slot: Slot) -> Need {
        self.take_notice(slot);
        let vertex = self.vertex(slot);
        let refreshable = vertex.resource.kind.decl().traits.refreshable;
        let refresh = vertex.edges_in.iter().any(|&edge| self.edges[edge].refresh);
        if vertex.clean && !(refresh && refreshable) || vertex.resource.meta.hidden {
            Need::Nothing
        } else if vertex.noop && refresh && refreshable && vertex.ts > 0 && vertex.trackers.second {
            // It was looked at since its last event; that it would take notice is all there is to say.
            Need::WouldRefresh
        } else {
            Need::Check { refresh }
        }
    }

    /// A predecessor is older: it goes first, and pokes back when it is done. One that has never
    /// succeeded is on its way by itself, so a long chain that starts costs no more than its length.
    fn back_poke(&mut self, slot: Slot) {
        let vertex = self.vertex(slot);
        if vertex.ts == 0 {
            return; // then so is every older one
        }
        let why = vertex.why.clone();
        let (ts, edges) = (vertex.ts, vertex.edges_in.clone());
        for edge in edges {
            let before = self.edges[edge].from;
            if self.vertex(before).ts <= ts {
                let poked = self.vertex_mut(before);
                poked.want = true;
                if poked.why.is_none() {
                    poked.why.clone_from(&why);
                }
                self.enqueue(before);
            }
        }
    }

    /// A predecessor has succeeded: whoever waited for the last of its predecessors may go on.
    pub(super) fn poke_successors(&mut self, slot: Slot, old_ts: u64) {
        let vertex = self.vertex(slot);
        if vertex.edges_out.is_empty() {
            return;
        }
        let id = vertex.resource.id.clone();
        let poked = vertex.why.as_ref().map(|why| why.then(Cause::Poked { by: id.clone() }));
        let poked = poked.unwrap_or_else(|| super::cause::Why::new(Cause::Poked { by: id.clone() }));
        for index in 0..self.vertex(slot).edges_out.len() {
            let edge = self.vertex(slot).edges_out[index];
            let after = self.edges[edge].to;
            let next = self.vertex_mut(after);
            if old_ts <= next.ts {
                next.n_stale -= 1; // the edge was stale, and is no more
            }
            // One that is being looked at will be newer by itself: only what it cannot know counts.
            let wanted = match next.busy {
                Busy::Running(_) => self.has_sent_news(after, edge, &id),
                Busy::Preparing | Busy::Idle | Busy::Limited(_) | Busy::Queued | Busy::RetryWait(_) => {
                    next.n_stale == 0 || next.ts > 0 && self.has_news(after, edge, &id)
                }
            };
            if wanted {
                let next = self.vertex_mut(after);
                next.want = true;
                if next.why.is_none() {
                    next.why = Some(poked.clone());
                }
                self.enqueue(after);
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

    /// Takes the semaphores and the room that a check needs, or queues for them.
    pub(super) fn take_room(&mut self, slot: Slot) -> bool {
        if !self.has_room() {
            self.vertex_mut(slot).busy = Busy::Queued;
            self.waiting_for_room.push_back(slot);
            return false;
        }
        let semas: Arc<[String]> = self.vertex(slot).semas.clone();
        if semas.is_empty() {
            return true;
        }
        if self.semaphores.acquire(&semas, slot) {
            return true;
        }
        self.vertex_mut(slot).busy = Busy::Queued;
        self.report_phase(slot, Phase::Waiting, || "waiting for a semaphore".to_string());
        // It may have been woken for a semaphore that it now leaves to others.
        self.wake_waiting(&semas);
        false
    }

    pub(super) fn release_semas(&mut self, slot: Slot) {
        let semas: Arc<[String]> = self.vertex(slot).semas.clone();
        if !semas.is_empty() {
            self.semaphores.release(&semas);
            self.wake_waiting(&semas);
        }
    }

    fn wake_waiting(&mut self, semas: &[String]) {
        for slot in self.semaphores.wake(semas) {
            self.unqueue(slot);
        }
    }
}
