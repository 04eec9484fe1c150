//! [`Queue`]: vertices to step, running checks, and those waiting for room, a semaphore or time. Engine spec, 10 and
//! 27.6.

mod run;
mod sema;

use super::{Slot, Table, TimerKey};
pub(crate) use run::{CancelReason, Run, Stage};
use sema::Semaphores;
use std::collections::VecDeque;
use std::sync::Arc;

/// The maximum number of checks in flight that involve no command. More would only fill memory: a host looks at a few
/// files at a time.
const MOST_QUICK: usize = 512;

/// What the worker of a vertex is doing.
#[derive(Clone, Default)]
enum Busy {
    #[default]
    Idle,
    /// Before its first event: records are being read or written.
    Preparing,
    /// Its rate is used up; without a timer forever.
    Limited(Option<TimerKey>),
    /// Waiting for a semaphore, or for room among the checks in flight.
    Queued,
    RetryWait(TimerKey),
    /// Resting because it is looked at too often.
    Resting(TimerKey),
    Running(Box<Run>),
}

#[derive(Clone, Default)]
struct Worker {
    busy: Busy,
    /// It is in the queue of vertices to step.
    queued: bool,
    /// It has something to do at its next step.
    want: bool,
    /// A semaphore was reserved for it when its turn came, and it has not decided yet.
    woken: bool,
    /// Sorted, without duplicates.
    semas: Arc<[String]>,
}

/// The result of asking for room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Room {
    /// It has everything it needs.
    Taken,
    /// Too many checks are in flight: it waits.
    Full,
    /// A semaphore is used up: it waits.
    SemaphoreUsedUp,
}

#[derive(Clone, Default)]
pub(crate) struct Queue {
    workers: Table<Worker>,
    /// Vertices to step, in order.
    ready: VecDeque<Slot>,
    /// Vertices that wait for room among the checks in flight.
    waiting_for_room: VecDeque<Slot>,
    semaphores: Semaphores,
    /// The maximum number of checks in flight; 0: unlimited.
    parallel: usize,
    /// The number of checks in flight and of vertices being prepared.
    n_running: usize,
    /// The number of checks that involve no command.
    n_quick: usize,
    n_steps: u64,
}

impl Queue {
    pub(crate) fn set_parallel(&mut self, parallel: u32) {
        self.parallel = parallel as usize;
    }

    /// `semas` are the semaphores that its checks need; sorted, without duplicates.
    pub(crate) fn join(&mut self, slot: Slot, semas: Arc<[String]>) {
        self.workers.put(slot, Worker { semas, ..Worker::default() });
    }

    /// Removes a vertex; returns the timer it waited for.
    pub(crate) fn leave(&mut self, slot: Slot) -> Option<TimerKey> {
        match std::mem::take(&mut self.workers[slot]).busy {
            Busy::Limited(key) => key,
            Busy::RetryWait(key) | Busy::Resting(key) => Some(key),
            Busy::Idle | Busy::Queued | Busy::Preparing | Busy::Running(_) => None,
        }
    }

    pub(crate) fn semas(&self, slot: Slot) -> &[String] {
        &self.workers[slot].semas
    }

    /// Schedules a step of a vertex.
    pub(crate) fn enqueue(&mut self, slot: Slot) {
        if !std::mem::replace(&mut self.workers[slot].queued, true) {
            self.ready.push_back(slot);
        }
    }

    /// It has something to do at its next step.
    pub(crate) fn want(&mut self, slot: Slot) {
        self.workers[slot].want = true;
    }

    pub(crate) fn take_want(&mut self, slot: Slot) -> bool {
        std::mem::take(&mut self.workers[slot].want)
    }

    /// The next vertex to step.
    pub(crate) fn pop(&mut self) -> Option<Slot> {
        loop {
            let slot = self.ready.pop_front()?;
            // It may have left in the meantime, or may have been replaced.
            if std::mem::take(&mut self.workers[slot].queued) {
                self.n_steps += 1;
                return Some(slot);
            }
        }
    }

    /// The number of steps since the start.
    #[cfg(test)]
    pub(crate) fn n_steps(&self) -> u64 {
        self.n_steps
    }

    /// Whether there are no vertices to step.
    pub(crate) fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    /// Whether nothing runs, is to be stepped, or waits for room.
    pub(crate) fn is_quiet(&self) -> bool {
        self.n_running == 0 && self.ready.is_empty() && self.waiting_for_room.is_empty()
    }

    pub(crate) fn n_running(&self) -> usize {
        self.n_running
    }

    pub(crate) fn is_idle(&self, slot: Slot) -> bool {
        matches!(self.workers[slot].busy, Busy::Idle)
    }

    /// Whether it waits for a semaphore or for room.
    pub(crate) fn is_queued(&self, slot: Slot) -> bool {
        matches!(self.workers[slot].busy, Busy::Queued)
    }

    /// Whether something is in flight for it, or it waits its turn: events and pokes stay for later. That is essential:
    /// an event during a check makes the vertex dirty after the check has declared it clean.
    pub(crate) fn is_bound(&self, slot: Slot) -> bool {
        match self.workers[slot].busy {
            Busy::Preparing | Busy::Queued | Busy::Running(_) => true,
            Busy::Idle | Busy::Limited(_) | Busy::RetryWait(_) | Busy::Resting(_) => false,
        }
    }

    pub(crate) fn begin_preparing(&mut self, slot: Slot) {
        self.workers[slot].busy = Busy::Preparing;
        self.n_running += 1;
    }

    /// Its preparation is complete, or it is given up.
    pub(crate) fn end_preparing(&mut self, slot: Slot) {
        if let Busy::Preparing = std::mem::take(&mut self.workers[slot].busy) {
            self.n_running -= 1;
        }
    }

    /// Its rate allows it to proceed with this timer; without one, never.
    pub(crate) fn limit(&mut self, slot: Slot, timer: Option<TimerKey>) {
        self.workers[slot].busy = Busy::Limited(timer);
    }

    pub(crate) fn wait_for_retry(&mut self, slot: Slot, timer: TimerKey) {
        self.workers[slot].busy = Busy::RetryWait(timer);
    }

    pub(crate) fn rest(&mut self, slot: Slot, timer: TimerKey) {
        self.workers[slot].busy = Busy::Resting(timer);
    }

    /// It need not rest; returns its timer.
    pub(crate) fn end_rest(&mut self, slot: Slot) -> Option<TimerKey> {
        let Busy::Resting(key) = self.workers[slot].busy else { return None };
        self.workers[slot].busy = Busy::Idle;
        Some(key)
    }

    /// Ends its wait for a timer, and returns the timer.
    pub(crate) fn end_wait(&mut self, slot: Slot) -> Option<TimerKey> {
        let (Busy::RetryWait(key) | Busy::Limited(Some(key)) | Busy::Resting(key)) = self.workers[slot].busy else {
            return None;
        };
        self.workers[slot].busy = Busy::Idle;
        Some(key)
    }

    /// It need not wait any longer: it may try.
    pub(crate) fn resume(&mut self, slot: Slot) {
        let worker = &mut self.workers[slot];
        (worker.busy, worker.want) = (Busy::Idle, true);
        self.enqueue(slot);
    }

    fn has_room(&self) -> bool {
        (self.parallel == 0 || self.n_running < self.parallel) && self.n_quick < MOST_QUICK
    }

    /// Lets the first vertex that waits for room proceed, if there is one.
    pub(crate) fn admit(&mut self) -> bool {
        let slot = if self.has_room() { self.waiting_for_room.pop_front() } else { None };
        slot.inspect(|&slot| self.resume(slot)).is_some()
    }

    /// Takes the semaphores and the room for a check, or queues for them.
    pub(crate) fn take_room(&mut self, slot: Slot) -> Room {
        if !self.has_room() {
            self.workers[slot].busy = Busy::Queued;
            self.waiting_for_room.push_back(slot);
            return Room::Full;
        }
        let worker = &mut self.workers[slot];
        if worker.semas.is_empty() || self.semaphores.acquire(&worker.semas, slot) {
            worker.woken &= worker.semas.is_empty();
            return Room::Taken;
        }
        worker.busy = Busy::Queued;
        self.leave_to_others(slot);
        Room::SemaphoreUsedUp
    }

    /// If it was woken for a semaphore, passes the semaphore on to the next waiting vertex.
    pub(crate) fn leave_to_others(&mut self, slot: Slot) {
        if std::mem::take(&mut self.workers[slot].woken) {
            self.wake_waiting(slot);
        }
    }

    /// Wakes vertices that wait for semaphores of this vertex, as far as there is room.
    fn wake_waiting(&mut self, slot: Slot) {
        for slot in self.semaphores.wake(&self.workers[slot].semas) {
            self.workers[slot].woken = true;
            self.resume(slot);
        }
    }

    /// All vertices that wait for a semaphore or for room return to stepping, and ask again.
    pub(crate) fn free_waiting(&mut self) {
        let mut waiting = self.semaphores.forget_waiting();
        waiting.extend(self.waiting_for_room.drain(..));
        for slot in waiting {
            self.resume(slot);
        }
    }

    /// Begins a check, with room taken for it.
    pub(crate) fn begin(&mut self, slot: Slot, run: Run) {
        self.n_running += 1;
        self.n_quick += 1;
        self.workers[slot].busy = Busy::Running(Box::new(run));
    }

    /// Records that the check in flight waits for something slow, so that it does not hold up others.
    pub(crate) fn takes_long(&mut self, slot: Slot) {
        let was_quick = self.run_mut(slot).set_slow();
        self.n_quick -= usize::from(was_quick);
    }

    /// Ends the check and releases what it held.
    pub(crate) fn end(&mut self, slot: Slot) -> Option<Box<Run>> {
        let worker = &mut self.workers[slot];
        let Busy::Running(mut run) = std::mem::take(&mut worker.busy) else { return None };
        self.n_quick -= usize::from(run.set_slow());
        self.n_running -= 1;
        if !worker.semas.is_empty() {
            self.semaphores.release(&worker.semas);
            self.wake_waiting(slot);
        }
        Some(run)
    }

    /// The check in flight, if there is one.
    pub(crate) fn running(&self, slot: Slot) -> Option<&Run> {
        match &self.workers[slot].busy {
            Busy::Running(run) => Some(run),
            Busy::Idle | Busy::Preparing | Busy::Limited(_) => None,
            Busy::Queued | Busy::RetryWait(_) | Busy::Resting(_) => None,
        }
    }

    /// The check in flight. Tickets of checks exist only while one runs.
    pub(crate) fn run(&self, slot: Slot) -> &Run {
        self.running(slot).expect("tickets of checks are only kept while one runs")
    }

    pub(crate) fn run_mut(&mut self, slot: Slot) -> &mut Run {
        match &mut self.workers[slot].busy {
            Busy::Running(run) => run,
            Busy::Idle | Busy::Preparing | Busy::Limited(_) | Busy::Queued | Busy::RetryWait(_) | Busy::Resting(_) => {
                unreachable!("tickets of checks are only kept while one runs")
            }
        }
    }
}

/// For tests.
#[cfg(test)]
impl Queue {
    /// Whether a check is in flight, or it is being prepared.
    pub(crate) fn is_running(&self, slot: Slot) -> bool {
        matches!(self.workers[slot].busy, Busy::Running(_) | Busy::Preparing)
    }

    pub(crate) fn waits_for_retry(&self, slot: Slot) -> bool {
        matches!(self.workers[slot].busy, Busy::RetryWait(_))
    }

    pub(crate) fn ready(&self) -> impl Iterator<Item = Slot> {
        self.ready.iter().copied()
    }

    pub(crate) fn waits_for_room(&self) -> bool {
        !self.waiting_for_room.is_empty()
    }

    pub(crate) fn semaphores(&self) -> &Semaphores {
        &self.semaphores
    }
}
