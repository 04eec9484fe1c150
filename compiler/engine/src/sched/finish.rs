//! What follows from a check: timestamps, pokes, notifications, retries. Engine spec, 8, steps 8 to
//! 12, and 27.7.

use super::pace::Found;
use super::run::Checked;
use super::timers::Timer;
use super::vertex::{CancelReason, Run};
use super::{Busy, Scheduler, Slot};
use crate::protocol::Phase;
use std::sync::Arc;

/// How long at least what failed without asking the host waits for its next attempt. Without a wait it would
/// be tried for ever before anybody else, and time itself, had a turn. Units: milliseconds.
const SHORTEST_MS: u64 = 10;

impl Scheduler {
    /// Nothing had to be looked at; its successors may go on all the same.
    pub(super) fn finish_quietly(&mut self, slot: Slot, would_change: bool) {
        if would_change {
            self.restart_first(slot);
            self.track_second(slot, true);
        } else if !self.vertex(slot).noop {
            self.become_clean(slot);
        } else {
            self.track_second(slot, true);
        }
        self.succeed(slot);
        self.vertex_mut(slot).why = None;
    }

    /// A check is over, or could not even begin.
    pub(super) fn finish(&mut self, slot: Slot, result: Result<Checked, String>, run: Option<Box<Run>>) {
        match result {
            Ok(checked) => self.checked(slot, checked),
            Err(error) => self.check_failed(slot, error, run),
        }
        // What happened meanwhile wants its turn.
        self.enqueue(slot);
    }

    fn checked(&mut self, slot: Slot, checked: Checked) {
        let Checked { changed, sent, run } = checked;
        let wrong = changed || run.export_changed;
        if !sent.is_empty() {
            let id = self.resource(slot).id.clone();
            self.sent.insert(id, Arc::new(sent));
        }
        self.recover(slot);
        self.charge(slot, &run, if wrong && !self.vertex(slot).noop { Found::Wrong } else { Found::InState });
        if wrong {
            self.restart_first(slot);
        }
        let vertex = self.vertex_mut(slot);
        vertex.changed.fill(false);
        vertex.n_confirmed = 0;
        // The chain of this check is what its successors are told.
        let since = vertex.why.take();
        vertex.why.clone_from(&run.why);
        let noop = vertex.noop;
        let id = vertex.resource.id.clone();
        if vertex.resource.meta.retryreset {
            self.budgets.remove(&id);
        }
        let phase = match (changed, noop) {
            (false, _) => Phase::InState,
            (true, false) => Phase::Changed,
            (true, true) => Phase::WouldChange,
        };
        if noop {
            self.track_second(slot, true);
        } else {
            self.become_clean(slot);
        }
        self.report_ended(slot, phase, &run);
        if wrong && !noop {
            self.notify(slot);
        }
        if changed && !noop && run.refresh {
            self.restart_period(slot);
        }
        self.succeed(slot);
        self.vertex_mut(slot).why = since;
        let resource = self.resource(slot);
        if changed
            && !noop
            && let Some(status) = resource.kind.exits(&resource.want())
        {
            self.begin_exit(status);
        }
    }

    fn become_clean(&mut self, slot: Slot) {
        self.vertex_mut(slot).clean = true;
        self.track_second(slot, true);
        self.clear_refresh(slot);
    }

    /// Advances its timestamp and lets its successors go on.
    fn succeed(&mut self, slot: Slot) {
        self.seq += 1;
        let seq = self.seq;
        let vertex = self.vertex_mut(slot);
        let old_ts = std::mem::replace(&mut vertex.ts, seq);
        // Nothing is newer than this one now: every way in is stale until it succeeds again.
        vertex.asked = false;
        vertex.is_hurried = false;
        vertex.n_stale = if vertex.heeds { vertex.edges_in.len() } else { 0 };
        self.poke_successors(slot, old_ts);
    }

    fn check_failed(&mut self, slot: Slot, error: String, run: Option<Box<Run>>) {
        let cancelled = run.as_ref().and_then(|run| run.cancelled);
        match cancelled {
            Some(CancelReason::Restart | CancelReason::Interrupt) => {
                let vertex = self.vertex_mut(slot);
                vertex.want = vertex.want || cancelled == Some(CancelReason::Restart);
                let text = format!("process interrupted: {error}");
                self.report_phase(slot, Phase::Waiting, || text);
                return;
            }
            Some(CancelReason::Deadline) | None => {}
        }
        let error = match (cancelled, &run) {
            (Some(CancelReason::Deadline), Some(run)) => {
                let seconds = self.now.0.saturating_sub(run.began.0) as f64 / 1e9;
                format!("timeout after {seconds:.3} seconds")
            }
            _ => error,
        };
        self.restart_first(slot);
        let vertex = self.vertex(slot);
        if vertex.failed.is_some() && !vertex.looks_again {
            return; // its watch has failed meanwhile
        }
        let (id, meta) = (vertex.resource.id.clone(), &vertex.resource.meta);
        let (retry, delay) = (meta.retry, meta.delay);
        let hidden = meta.hidden;
        let left = if hidden { 0 } else { self.budgets.get(&id).copied().unwrap_or(retry) };
        // The same cause is still what it is about.
        let cause = run.as_ref().and_then(|run| run.why.clone());
        let vertex = self.vertex_mut(slot);
        vertex.why = vertex.why.take().or(cause);
        if left == 0 {
            if let Some(run) = &run {
                self.charge(slot, run, Found::Wrong);
            }
            if !self.confirm(slot, &error, run.as_deref()) {
                self.fail(slot, error);
            }
            return;
        }
        let left = if left > 0 { left - 1 } else { left };
        self.budgets.insert(id, left);
        let delay = if asked_host(run.as_deref()) { delay } else { delay.max(SHORTEST_MS) };
        let now = self.now;
        if delay == 0 {
            self.vertex_mut(slot).want = true;
        } else {
            let key = self.timers.arm(now.plus_ms(delay), Timer::Retry(slot));
            self.vertex_mut(slot).busy = Busy::RetryWait(key);
        }
        self.report_phase(slot, Phase::Retrying, || {
            format!("{error}; {}", super::report::retrying("CheckApply", delay, left))
        });
    }
}

fn asked_host(run: Option<&Run>) -> bool {
    run.is_some_and(|run| !run.asked.is_empty() || !run.outcomes.is_empty())
}
