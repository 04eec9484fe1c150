//! The end of a run: interrupts, convergence, `once`, and the maximum run time. Engine spec, 19.

use super::Scheduler;
use super::state::{CancelReason, Slot, Timer};
use crate::protocol::{Moment, StopMode, status};

/// The maximum number of resources that are named as still running.
const MOST_TOLD: usize = 3;

impl Scheduler {
    /// A user or the system asks to stop. Each repetition is more forceful.
    pub fn stop(&mut self, now: Moment, rung: StopMode) {
        self.advance(now);
        let is_new = self.lifecycle.climb(rung);
        self.lifecycle.begin_exit(status::GOOD);
        if is_new {
            match rung {
                StopMode::Graceful => self.hurry_all(),
                StopMode::Soft | StopMode::Hard => self.cancel_all(rung),
            }
        }
        self.settle();
    }

    /// Ends the run as soon as no check is in flight: a resource asked for it, or the program was refused.
    pub fn exit(&mut self, now: Moment, status: i32) {
        self.advance(now);
        self.lifecycle.begin_exit(status);
        self.settle();
    }

    fn running(&self) -> Vec<Slot> {
        let order = self.graph.order().iter().copied();
        order.filter(|&slot| self.queue.running(slot).is_some()).collect()
    }

    /// Running operations may finish; long ones that can safely be interrupted are cancelled.
    fn hurry_all(&mut self) {
        let running = self.running();
        let slow = running.iter().filter(|&&slot| self.queue.run(slot).is_slow());
        let names: Vec<String> = slow.map(|&slot| self.graph.id(slot).to_string()).collect();
        if let Some(text) = waiting_for(&names) {
            self.report_log(text);
        }
        for slot in running {
            self.outbox.cancel(self.queue.run(slot).ticket(), StopMode::Graceful);
        }
    }

    fn cancel_all(&mut self, mode: StopMode) {
        for slot in self.running() {
            self.cancel_check(slot, CancelReason::Interrupt);
            if mode == StopMode::Hard {
                self.outbox.cancel(self.queue.run(slot).ticket(), StopMode::Hard);
            }
        }
    }

    /// Called when nothing runs any more: drops the records of finished reversals, and ends the run once everything is
    /// written.
    pub(super) fn try_to_end(&mut self) {
        if self.lifecycle.begin_leaving() {
            for slot in self.graph.order().to_vec() {
                self.end_reversal(slot);
                self.stop_watch(slot);
            }
        }
        if self.notes.is_empty() && !self.publications.is_busy() {
            let status = self.lifecycle.end(self.conditions.n_failed() > 0);
            self.outbox.exit(status);
        }
    }

    pub(super) fn max_runtime_at(&self) -> Option<Moment> {
        if self.options.max_runtime == 0 || self.lifecycle.is_exiting() || self.lifecycle.has_ended() {
            return None;
        }
        Some(self.clock.began().plus_ms(self.options.max_runtime.saturating_mul(1000)))
    }

    /// 0 only if nothing failed.
    pub(super) fn status_at_end(&self) -> i32 {
        if self.lifecycle.never_had_a_graph() {
            return status::ERROR;
        }
        let unsure = self.undo.unreadable().is_some() || self.publications.has_failed();
        let is_bad = self.conditions.n_failed() > 0 || self.lifecycle.program_failed() || unsure;
        if is_bad { status::FAILED } else { status::GOOD }
    }

    /// Whether every resource was applied once, or never will be: no check is in flight, due, or to be retried.
    pub(crate) fn is_done_once(&self) -> bool {
        let waits = self.clock.any(|timer| match timer {
            Timer::Limited(_) | Timer::Retry(_) | Timer::Rewatch(_) | Timer::Rest(_) => true,
            Timer::Poll(_) | Timer::Recheck(_) | Timer::Quiet(_) | Timer::Undo | Timer::Prune | Timer::Deadline(_) => {
                false
            }
        });
        self.lifecycle.may_converge()
            && self.queue.n_running() == 0
            && self.watches.n_starting() == 0
            && self.queue.is_empty()
            && self.notes.is_empty()
            && !self.publications.is_busy()
            && !waits
    }

    pub(super) fn evaluate_exit(&mut self) {
        if self.max_runtime_at().is_some_and(|at| at <= self.clock.now()) {
            self.report_log("maximum runtime reached".to_string());
            self.lifecycle.begin_exit(status::ERROR);
        }
        if self.lifecycle.is_exiting() && self.queue.n_running() == 0 {
            self.try_to_end();
        }
    }

    /// With `once`, and no value pending: ends.
    pub(crate) fn end_once(&mut self, now: Moment) {
        if self.options.once && self.is_done_once() {
            let is_behind = self.graph.order().iter().any(|&slot| self.edges.is_new(slot));
            self.report_blocked();
            let status = if is_behind { status::FAILED } else { self.status_at_end() };
            self.exit(now, status);
        }
    }
}

/// What the end waits for, in words; `None` if nothing is running.
fn waiting_for(names: &[String]) -> Option<String> {
    let (told, rest) = names.split_at(names.len().min(MOST_TOLD));
    match rest.len() {
        _ if told.is_empty() => None,
        0 => Some(format!("waiting for {} to end", told.join(", "))),
        n_more => Some(format!("waiting for {} and {n_more} more to end", told.join(", "))),
    }
}
