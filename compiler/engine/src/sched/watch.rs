//! Watches: what makes a vertex dirty. Engine spec, 7.1 and 27.5.

use super::timers::{Timer, TimerKey};
use super::vertex::CancelReason;
use super::{Busy, Flight, Scheduler, Slot, Watching};
use crate::protocol::{Cause, Output, Phase};
use crate::vocab::{HostError, Watch};

impl Scheduler {
    /// Begins to watch. Where nothing is there to be watched, the one event that every watch
    /// begins with is made here.
    pub(super) fn start_watch(&mut self, slot: Slot) {
        self.vertex_mut(slot).started = false;
        let resource = self.resource(slot).clone();
        let meta = &resource.meta;
        if meta.hidden || meta.poll < 0 || self.options.once {
            self.vertex_mut(slot).watching = Watching::Once;
            self.take_event(slot, Cause::Started);
        } else if meta.poll > 0 {
            let at = self.now.plus_ms(meta.poll as u64 * 1000);
            let key = self.timers.arm(at, Timer::Poll(slot));
            self.vertex_mut(slot).watching = Watching::Polling(key);
            self.take_event(slot, Cause::Started);
        } else {
            let watches = resource.kind.watches(&resource.want());
            if watches.is_empty() {
                self.vertex_mut(slot).watching = Watching::Once;
                self.take_event(slot, Cause::Started);
            } else {
                self.put_watch(slot, watches);
                self.set_starting(slot, true);
            }
        }
        self.track_first(slot, true);
    }

    /// Is its watch being put in place?
    fn set_starting(&mut self, slot: Slot, starting: bool) {
        let before = std::mem::replace(&mut self.vertex_mut(slot).starting, starting);
        self.n_starting = self.n_starting + usize::from(starting) - usize::from(before);
    }

    fn put_watch(&mut self, slot: Slot, watches: Vec<Watch>) {
        let ticket = self.new_ticket(Flight::Watch(slot));
        let vertex = self.vertex_mut(slot);
        vertex.watching = Watching::On(ticket);
        vertex.is_periodic = watches.iter().any(Watch::is_periodic);
        self.outputs.push_back(Output::Watch(ticket, watches));
    }

    /// A received value changed what there is to watch.
    pub(super) fn renew_watch(&mut self, slot: Slot, before: &[Watch]) {
        let resource = self.resource(slot).clone();
        let watches = resource.kind.watches(&resource.want());
        if watches != before {
            self.replace_watch(slot, watches);
        }
    }

    /// A notification was taken notice of: what is waited for is waited for from now on.
    pub(super) fn restart_period(&mut self, slot: Slot) {
        let resource = self.resource(slot).clone();
        let watches = resource.kind.watches(&resource.want());
        if watches.iter().any(Watch::is_periodic) {
            self.replace_watch(slot, watches);
        }
    }

    fn replace_watch(&mut self, slot: Slot, watches: Vec<Watch>) {
        let Watching::On(old) = self.vertex(slot).watching else { return };
        // It stays started: the new watch's first event makes it look again.
        // The old one goes last, so that what both need stays.
        self.put_watch(slot, watches);
        self.in_flight.remove(&old);
        self.outputs.push_back(Output::Unwatch(old));
    }

    /// Ends whatever watches.
    pub(super) fn stop_watch(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        match std::mem::replace(&mut vertex.watching, Watching::Off) {
            Watching::Off | Watching::Once => {}
            Watching::On(ticket) => {
                self.set_starting(slot, false);
                self.in_flight.remove(&ticket);
                self.outputs.push_back(Output::Unwatch(ticket));
            }
            Watching::Polling(key) | Watching::Delayed(key) => self.timers.cancel(key),
        }
    }

    pub(super) fn watch_fired(&mut self, slot: Slot, what: Option<String>) {
        self.set_starting(slot, false);
        self.vertex_mut(slot).by_event |= what.is_some();
        let cause = match what {
            Some(path) => Cause::Fired { path },
            None => Cause::Started,
        };
        self.take_event(slot, cause);
    }

    fn take_event(&mut self, slot: Slot, cause: Cause) {
        let is_news = self.is_news(slot, &cause);
        let vertex = self.vertex_mut(slot);
        vertex.has_news |= is_news;
        vertex.n_events = vertex.n_events.saturating_add(1);
        vertex.events_current = true;
        self.add_cause(slot, cause);
        self.enqueue(slot);
    }

    /// Is an event a reason to look again for one that was given up, or is being looked at and will be?
    fn is_news(&self, slot: Slot, cause: &Cause) -> bool {
        let is_own = || matches!(cause, Cause::Fired { path } if self.own_paths.made(self.now, slot, path));
        self.vertex(slot).ts > 0 || !is_own()
    }

    pub(super) fn poll_fired(&mut self, slot: Slot, due: TimerKey) {
        let period = self.resource(slot).meta.poll.max(1) as u64 * 1000;
        // The rhythm is kept, and after a long sleep what was missed is not made up for.
        let next = due.at.plus_ms(period).max(self.now);
        let key = self.timers.arm(next, Timer::Poll(slot));
        self.vertex_mut(slot).watching = Watching::Polling(key);
        self.take_event(slot, Cause::Timer { reason: "polling".to_string() });
    }

    /// A watch ended with an error: it is tried again, or the vertex is given up.
    pub(super) fn watch_ended(&mut self, slot: Slot, error: &HostError) {
        self.track_first(slot, false);
        let vertex = self.vertex_mut(slot);
        vertex.watching = Watching::Off;
        // Its events make the vertex dirty still, but only a watch that is in place lets it start.
        vertex.events_current = false;
        self.set_starting(slot, false);
        self.cancel_run(slot, CancelReason::Restart);
        let vertex = self.vertex_mut(slot);
        if vertex.watch_budget == 0 {
            self.fail(slot, format!("watch failed: {error}"));
            return;
        }
        if vertex.watch_budget > 0 {
            vertex.watch_budget -= 1;
        }
        vertex.started = false;
        let (delay, left) = (vertex.resource.meta.delay, vertex.watch_budget);
        self.report_phase(slot, Phase::Retrying, || {
            format!("watch error: {error}; {}", super::report::retrying("Watch", delay, left))
        });
        if delay == 0 {
            self.start_watch(slot);
        } else {
            let key = self.timers.arm(self.now.plus_ms(delay), Timer::Rewatch(slot));
            self.vertex_mut(slot).watching = Watching::Delayed(key);
        }
    }

    /// Gives a vertex up: it has no attempts left. What it watches is watched further, and an event there makes
    /// it look again.
    pub(super) fn fail(&mut self, slot: Slot, text: String) {
        let vertex = self.vertex_mut(slot);
        (vertex.looks_again, vertex.is_hurried) = (false, false);
        if let Busy::RetryWait(key) | Busy::Limited(Some(key)) | Busy::Resting(key) = vertex.busy {
            vertex.busy = Busy::Idle;
            self.timers.cancel(key);
        }
        if self.vertex_mut(slot).failed.replace(text.clone()).is_none() {
            self.unregister(slot);
            self.n_failed += 1;
            self.n_rewatch += usize::from(self.vertex(slot).declared.meta.rewatch);
        }
        self.report_phase(slot, Phase::Failed, || text);
    }

    /// One that was given up was looked at again, and is up to date.
    pub(super) fn recover(&mut self, slot: Slot) {
        let vertex = self.vertex_mut(slot);
        if !std::mem::take(&mut vertex.looks_again) || vertex.failed.take().is_none() {
            return;
        }
        let watches = match vertex.watching {
            Watching::On(_) | Watching::Once | Watching::Polling(_) => true,
            Watching::Off | Watching::Delayed(_) => false,
        };
        self.n_failed -= 1;
        self.n_rewatch -= usize::from(self.vertex(slot).declared.meta.rewatch);
        self.register(slot);
        self.track_first(slot, watches);
    }
}
