//! How it ends: interrupts, convergence, `once`, and the longest time to run. Engine spec, 19.

use super::timers::Timer;
use super::vertex::CancelReason;
use super::{Busy, Mode, Scheduler, Slot};
use crate::protocol::{Moment, Output, StopMode, status};

impl Scheduler {
    /// A person or the system asks to end. Each further time climbs a rung.
    pub fn stop(&mut self, now: Moment, rung: StopMode) {
        self.advance(now);
        let before = self.rung;
        let rung = before.map_or(rung, |before| before.max(rung));
        self.rung = Some(rung);
        if self.mode != Mode::Ended {
            self.begin_exit(status::GOOD);
        }
        if before < Some(rung) {
            match rung {
                StopMode::Graceful => {}
                StopMode::Soft => self.cancel_all(StopMode::Soft),
                StopMode::Hard => self.cancel_all(StopMode::Hard),
            }
        }
        self.settle();
    }

    /// Ends at once where nothing runs; a resource asked for it, or the program was refused.
    pub fn exit(&mut self, now: Moment, status: i32) {
        self.advance(now);
        self.begin_exit(status);
        self.settle();
    }

    pub(super) fn begin_exit(&mut self, status: i32) {
        match self.mode {
            Mode::Running | Mode::Pausing => {
                self.mode = Mode::Exiting;
                self.pending = None;
                self.exit_status = status;
            }
            Mode::Exiting | Mode::Ended => {}
        }
    }

    fn cancel_all(&mut self, mode: StopMode) {
        let running = |slot: &Slot| matches!(self.vertex(*slot).busy, Busy::Running(_));
        let running: Vec<Slot> = self.order.iter().copied().filter(running).collect();
        for slot in running {
            self.cancel_run(slot, CancelReason::Interrupt);
            if mode == StopMode::Hard {
                let ticket = self.run(slot).ticket;
                self.outputs.push_back(Output::Cancel(ticket, StopMode::Hard));
            }
        }
    }

    /// Nothing runs any more: what was undone is forgotten, and when all is written down it ends.
    pub(super) fn try_to_end(&mut self) {
        if !std::mem::replace(&mut self.is_leaving, true) {
            for slot in self.order.clone() {
                self.end_reversal(slot);
                self.stop_watch(slot);
            }
        }
        if !self.notes.is_empty() || self.publications.is_busy() {
            return;
        }
        self.mode = Mode::Ended;
        // Who was asked to end says what it leaves behind.
        let was_asked = self.rung.is_some() && self.exit_status == status::GOOD;
        let status = if was_asked && self.n_failed > 0 { status::FAILED } else { self.exit_status };
        self.outputs.push_back(Output::Exit { status });
    }

    pub(super) fn max_runtime_at(&self) -> Option<Moment> {
        match (self.options.max_runtime, self.mode) {
            (0, _) | (_, Mode::Exiting | Mode::Ended) => None,
            (seconds, Mode::Running | Mode::Pausing) => Some(self.began.plus_ms(seconds.saturating_mul(1000))),
        }
    }

    /// 0 only when nothing failed.
    pub(super) fn status_at_end(&self) -> i32 {
        let unsure = self.undo.unreadable().is_some() || self.publications.has_failed();
        if self.n_failed > 0 || self.program_failed || unsure { status::FAILED } else { status::GOOD }
    }

    /// Everything was brought into its state once, or never will be: no check is in flight, due,
    /// or to be tried again.
    fn is_done_once(&self) -> bool {
        let waits = self.timers.any(|timer| match timer {
            Timer::Limited(_) | Timer::Retry(_) | Timer::Rewatch(_) | Timer::Rest(_) => true,
            Timer::Poll(_) | Timer::Quiet(_) | Timer::Undo | Timer::Prune | Timer::Deadline(_) => false,
        });
        self.mode == Mode::Running
            && (self.has_graph || self.program_failed)
            && self.n_running == 0
            && self.n_starting == 0
            && self.ready.is_empty()
            && self.notes.is_empty()
            && !self.publications.is_busy()
            && !waits
    }

    pub(super) fn evaluate_exit(&mut self) {
        if self.max_runtime_at().is_some_and(|at| at <= self.now) {
            self.report_log("max runtime reached".to_string());
            self.begin_exit(status::ERROR);
            if self.n_running == 0 {
                self.try_to_end();
            }
        } else if self.mode == Mode::Exiting && self.n_running == 0 {
            self.try_to_end();
        }
    }

    /// With `once`, and no value still to come: ends.
    pub(crate) fn end_once(&mut self, now: Moment) {
        if self.options.once && self.is_done_once() {
            let n_behind = self.order.iter().filter(|&&slot| self.vertex(slot).ts == 0).count();
            let status = if n_behind > 0 { status::FAILED } else { self.status_at_end() };
            self.exit(now, status);
        }
    }
}
