//! May a vertex be looked at, and must it? Engine spec, 8 and 27.7.

use super::{Busy, Scheduler, Slot};
use crate::protocol::{Phase, StopMode};
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
        if self.must_wait(slot) {
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
            self.vertex_mut(slot).woken = false;
            return true;
        }
        self.vertex_mut(slot).busy = Busy::Queued;
        self.report_phase(slot, Phase::Waiting, || "waiting for a semaphore".to_string());
        self.leave_to_others(slot);
        false
    }

    /// It was woken for a semaphore, and does not take it: whoever waits behind it may.
    pub(super) fn leave_to_others(&mut self, slot: Slot) {
        if std::mem::take(&mut self.vertex_mut(slot).woken) {
            let semas: Arc<[String]> = self.vertex(slot).semas.clone();
            self.wake_waiting(&semas);
        }
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
            self.vertex_mut(slot).woken = true;
            self.unqueue(slot);
        }
    }
}
