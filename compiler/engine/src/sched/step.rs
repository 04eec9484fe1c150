//! One turn of a vertex: take in what happened to it, and process it if that is due. Engine spec,
//! 27.6.

use super::timers::{Timer, TimerKey};
use super::{Busy, Scheduler, Slot, Watching};
use crate::protocol::{Cause, Moment, Phase};

impl Scheduler {
    /// At most one transition. Called for every vertex in the queue while the engine runs.
    pub(super) fn step(&mut self, slot: Slot) {
        self.turn(slot);
        // It may still wait for room, with the semaphore left for it.
        if !matches!(self.vertex(slot).busy, Busy::Queued) {
            self.leave_to_others(slot);
        }
    }

    fn turn(&mut self, slot: Slot) {
        let now = self.now;
        self.n_visited += 1;
        let vertex = self.vertex_mut(slot);
        vertex.queued = false;
        match vertex.busy {
            // Events and pokes stay for later. That is essential: an event during a check makes
            // the vertex dirty after the check has called it clean.
            Busy::Preparing | Busy::Queued | Busy::Running(_) => return,
            Busy::Idle | Busy::Limited(_) | Busy::RetryWait(_) | Busy::Resting(_) => {}
        }
        if vertex.n_events > 0 {
            let n_events = std::mem::take(&mut vertex.n_events);
            let has_news = std::mem::take(&mut vertex.has_news);
            if vertex.events_current {
                vertex.started = true;
                if vertex.failed.is_some() && has_news && !std::mem::replace(&mut vertex.looks_again, true) {
                    vertex.n_confirmed = 0;
                }
            }
            vertex.clean = false;
            vertex.want = true;
            let due = vertex.bucket.as_mut().map(|bucket| bucket.reserve(n_events, now));
            // Reservations that are taken while it waits only use up the bucket.
            if let (Some(due), Busy::Idle) = (due, &vertex.busy) {
                vertex.limit_until = due;
            }
            self.track_second(slot, false);
        }
        let vertex = self.vertex_mut(slot);
        if !matches!(vertex.busy, Busy::Idle) {
            return;
        }
        let is_given_up = vertex.failed.is_some() && !vertex.looks_again;
        if !std::mem::replace(&mut vertex.want, false) || is_given_up || !vertex.started {
            return;
        }
        match vertex.limit_until {
            Some(until) if until <= now => match self.rests_until(slot) {
                Some(until) => self.rest(slot, until),
                None if self.vertex(slot).is_prepared => self.process(slot),
                None => self.start(slot),
            },
            until => self.wait_for_limit(slot, until),
        }
    }

    fn wait_for_limit(&mut self, slot: Slot, until: Option<Moment>) {
        let timer = until.map(|until| self.timers.arm(until, Timer::Limited(slot)));
        let now = self.now;
        let vertex = self.vertex_mut(slot);
        vertex.busy = Busy::Limited(timer);
        let meta = &vertex.resource.meta;
        let (limit, burst) = (meta.limit, meta.burst);
        let next = match until {
            Some(until) => format!("{}ms", until.0.saturating_sub(now.0) / 1_000_000),
            None => "never".to_string(),
        };
        self.report_phase(slot, Phase::Limited, || {
            format!("limited (rate: {limit}/sec, burst: {burst}, next: {next})")
        });
    }

    pub(super) fn timer_fired(&mut self, key: TimerKey, timer: Timer) {
        match timer {
            Timer::Limited(slot) => {
                self.vertex_mut(slot).limit_until = Some(self.now);
                self.resume_wait(slot, "rate limiting expired");
            }
            Timer::Retry(slot) => self.resume_wait(slot, "retry"),
            Timer::Rest(slot) => self.resume_wait(slot, "rest"),
            Timer::Quiet(slot) => self.quiet_due(slot),
            Timer::Poll(slot) => self.poll_fired(slot, key),
            Timer::Rewatch(slot) => {
                self.vertex_mut(slot).watching = Watching::Off;
                self.start_watch(slot);
            }
            Timer::Undo => self.load_undo(),
            Timer::Prune => self.prune_exports(),
            Timer::Deadline(slot) => self.deadline_passed(slot),
        }
    }

    fn resume_wait(&mut self, slot: Slot, reason: &str) {
        let vertex = self.vertex_mut(slot);
        vertex.busy = Busy::Idle;
        vertex.want = true;
        self.add_cause(slot, Cause::Timer { reason: reason.to_string() });
        self.enqueue(slot);
    }
}
