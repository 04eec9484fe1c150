//! Watches: the events that make a vertex dirty. Engine spec, 7.1 and 27.5.

use super::Scheduler;
use super::state::{CancelReason, Run, Slot, Timer, TimerKey, Watching};
use crate::protocol::{Cause, Phase};
use crate::vocab::{HostError, Watch};

impl Scheduler {
    /// Starts its watch. If there is nothing to watch, the initial event of every watch is made here.
    pub(super) fn start_watch(&mut self, slot: Slot) {
        self.watches.restart(slot);
        let poll = self.graph.resource(slot).meta.poll;
        let is_unwatched = self.graph.resource(slot).meta.hidden || poll < 0 || self.options.once;
        let watches = if is_unwatched || poll > 0 { Vec::new() } else { self.wanted_watches(slot) };
        if !is_unwatched && poll > 0 {
            let key = self.clock.arm_in(poll as u64 * 1000, Timer::Poll(slot));
            self.watches.set(slot, Watching::Polling(key));
            self.take_event(slot, Cause::Started);
        } else if watches.is_empty() {
            self.watches.set(slot, Watching::Once);
            self.take_event(slot, Cause::Started);
        } else {
            self.put_watch(slot, watches);
            self.watches.set_starting(slot, true);
        }
        self.convergence.set_watches(slot, true, self.clock.now());
    }

    /// The watches its kind wants for its current fields.
    pub(super) fn wanted_watches(&self, slot: Slot) -> Vec<Watch> {
        let resource = self.graph.resource(slot);
        resource.kind.watches(&resource.want())
    }

    fn put_watch(&mut self, slot: Slot, watches: Vec<Watch>) {
        let is_periodic = watches.iter().any(Watch::is_periodic);
        let ticket = self.outbox.watch(slot, watches);
        self.watches.set_on(slot, ticket, is_periodic);
    }

    /// A received value changed what to watch.
    pub(super) fn renew_watch(&mut self, slot: Slot, before: &[Watch]) {
        let watches = self.wanted_watches(slot);
        if watches != before {
            self.replace_watch(slot, watches);
        }
    }

    /// A notification was handled: restarts the period of its watch.
    pub(super) fn restart_period(&mut self, slot: Slot) {
        let watches = self.wanted_watches(slot);
        if watches.iter().any(Watch::is_periodic) {
            self.replace_watch(slot, watches);
        }
    }

    fn replace_watch(&mut self, slot: Slot, watches: Vec<Watch>) {
        let Watching::On(old) = self.watches.watching(slot) else { return };
        // It stays started: the first event of the new watch triggers a look. The old watch ends last, so that shared
        // parts stay.
        self.put_watch(slot, watches);
        self.outbox.unwatch(old);
    }

    /// Ends its watch.
    pub(super) fn stop_watch(&mut self, slot: Slot) {
        match self.watches.set(slot, Watching::Off) {
            Watching::Off | Watching::Once => {}
            Watching::On(ticket) => {
                self.watches.set_starting(slot, false);
                self.outbox.unwatch(ticket);
            }
            Watching::Polling(key) | Watching::Delayed(key) => self.clock.cancel(key),
        }
    }

    pub(super) fn watch_fired(&mut self, slot: Slot, what: Option<String>) {
        self.watches.set_starting(slot, false);
        match what {
            Some(path) => {
                self.watches.saw(slot);
                let runs = self.queue.running(slot).is_some_and(Run::runs_command);
                self.pacing.hear(slot, self.clock.now(), runs);
                self.take_event(slot, Cause::Fired { path });
            }
            None => self.take_event(slot, Cause::Started),
        }
    }

    fn take_event(&mut self, slot: Slot, cause: Cause) {
        self.watches.event(slot, self.is_news(slot, &cause));
        self.causes.add(slot, cause);
        self.queue.enqueue(slot);
    }

    /// Whether an event triggers another look at a resource that was given up, or is being looked at and will be.
    fn is_news(&self, slot: Slot, cause: &Cause) -> bool {
        let is_own = || matches!(cause, Cause::Fired { path } if self.pacing.made(self.clock.now(), slot, path));
        !self.edges.is_new(slot) || !is_own()
    }

    pub(super) fn poll_fired(&mut self, slot: Slot, due: TimerKey) {
        let period = self.graph.resource(slot).meta.poll.max(1) as u64 * 1000;
        // The rhythm is kept, and periods missed during a long sleep are skipped.
        let next = due.at().plus_ms(period).max(self.clock.now());
        let key = self.clock.arm(next, Timer::Poll(slot));
        self.watches.set(slot, Watching::Polling(key));
        self.take_event(slot, Cause::Timer { reason: "polling".to_string() });
    }

    /// Sets up a failed watch again.
    pub(super) fn rewatch(&mut self, slot: Slot) {
        self.watches.set(slot, Watching::Off);
        self.start_watch(slot);
    }

    /// A watch ended with an error: it is retried, or the vertex is given up.
    pub(super) fn watch_ended(&mut self, slot: Slot, error: &HostError) {
        self.convergence.set_watches(slot, false, self.clock.now());
        self.watches.end(slot);
        self.cancel_check(slot, CancelReason::Restart);
        let Some(left) = self.watches.try_again(slot) else {
            self.fail(slot, format!("watch failed: {error}"));
            return;
        };
        let delay = self.graph.resource(slot).meta.delay;
        let text = format!("watch error: {error}; {}", super::report::retrying("Watch", delay, left));
        self.report_phase(slot, Phase::Retrying, text);
        if delay == 0 {
            self.start_watch(slot);
        } else {
            let key = self.clock.arm_in(delay, Timer::Rewatch(slot));
            self.watches.set(slot, Watching::Delayed(key));
        }
    }
}
