//! One turn of a vertex: consumes its events, and processes it if that is due. Engine spec, 27.6.

use super::Scheduler;
use super::state::{Slot, Timer, TimerKey};
use crate::protocol::{Cause, Moment, Phase};

impl Scheduler {
    /// Makes at most one transition. Called for every vertex in the queue while the engine runs.
    pub(super) fn step(&mut self, slot: Slot) {
        if !self.queue.is_bound(slot) {
            self.take_events(slot);
            self.act(slot);
        }
        // It may still wait for room, with the semaphore reserved for it.
        if !self.queue.is_queued(slot) {
            self.queue.leave_to_others(slot);
        }
    }

    /// Events of its watch make it dirty.
    fn take_events(&mut self, slot: Slot) {
        let now = self.clock.now();
        let Some(events) = self.watches.take_events(slot) else { return };
        if events.has_news {
            self.conditions.hear_news(slot);
        }
        self.conditions.set_clean(slot, false);
        self.queue.want(slot);
        self.pacing.reserve(slot, events.n, now, self.queue.is_idle(slot));
        self.convergence.set_settled(slot, false, now);
    }

    /// Processes the resource if there is something to do and it is due.
    fn act(&mut self, slot: Slot) {
        if !self.queue.is_idle(slot) || !self.queue.take_want(slot) {
            return;
        }
        if self.conditions.is_given_up(slot) || !self.watches.is_started(slot) {
            return;
        }
        let now = self.clock.now();
        match self.pacing.limited_until(slot) {
            Some(until) if until <= now => match self.pacing.rests_until(slot, now) {
                Some(until) => self.queue.rest(slot, self.clock.arm(until, Timer::Rest(slot))),
                None if self.conditions.is_prepared(slot) => self.process(slot),
                None => self.start(slot),
            },
            until => self.wait_for_limit(slot, until),
        }
    }

    fn wait_for_limit(&mut self, slot: Slot, until: Option<Moment>) {
        let timer = until.map(|until| self.clock.arm(until, Timer::Limited(slot)));
        self.queue.limit(slot, timer);
        let meta = &self.graph.resource(slot).meta;
        let (limit, burst) = (meta.limit, meta.burst);
        let next = match until {
            Some(until) => format!("{}ms", until.0.saturating_sub(self.clock.now().0) / 1_000_000),
            None => "never".to_string(),
        };
        let text = format!("limited (rate: {limit}/sec, burst: {burst}, next: {next})");
        self.report_phase(slot, Phase::Limited, text);
    }

    pub(super) fn timer_fired(&mut self, key: TimerKey, timer: Timer) {
        match timer {
            Timer::Limited(slot) => {
                self.pacing.lift_limit(slot, self.clock.now());
                self.resume_wait(slot, "rate limiting expired");
            }
            Timer::Retry(slot) => self.resume_wait(slot, "retry"),
            Timer::Recheck(slot) => self.recheck(slot),
            Timer::Rest(slot) => self.resume_wait(slot, "rest"),
            Timer::Quiet(slot) => self.quiet_due(slot),
            Timer::Poll(slot) => self.poll_fired(slot, key),
            Timer::Rewatch(slot) => self.rewatch(slot),
            Timer::Undo => self.load_undo(),
            Timer::Prune => self.prune_exports(),
            Timer::Deadline(slot) => self.deadline_passed(slot),
        }
    }

    fn resume_wait(&mut self, slot: Slot, reason: &str) {
        self.causes.add(slot, Cause::Timer { reason: reason.to_string() });
        self.queue.resume(slot);
    }
}
