//! [`React::run`]: takes in what has happened, begins or continues a round, and judges its result.

use super::round::Halt;
use super::{Outcome, React};
use crate::fgraph::VertexId;

impl React {
    /// Evaluates everything that depends on the changes since the last round, or continues that round.
    pub fn run(&mut self, now: u64) -> Outcome {
        let ended = if self.is_interrupted {
            self.round()
        } else if self.aside.is_some() {
            if self.begin_beside(now) { self.round() } else { self.round_aside() }
        } else {
            self.begin_round(now);
            if let Some(stuck) = &self.stuck {
                return Outcome::Failed(vec![stuck.clone()]);
            }
            if let Some(diagnostic) = self.effort.pausing(self.now) {
                return Outcome::Failed(vec![diagnostic.clone()]);
            }
            self.round()
        };
        match ended {
            Ok(false) => return Outcome::Underway,
            Ok(true) if self.aside.is_some() => return self.end_beside(),
            Ok(true) => {
                self.effort.succeeded();
                self.is_good = false;
            }
            Err(halt) => return self.halted(halt, self.now.max(now)),
        }
        let failures = self.judge();
        if !failures.is_empty() {
            return Outcome::Failed(failures);
        }
        if self.n_pending > 0 {
            return Outcome::Waiting;
        }
        (self.was_complete, self.is_good) = (true, true);
        Outcome::Complete { changed: std::mem::take(&mut self.changed) }
    }

    /// The rest has come to an end, and something is put aside.
    fn end_beside(&mut self) -> Outcome {
        if self.is_rebuilt {
            self.join();
            return Outcome::Underway;
        }
        let failures = self.judge();
        if !failures.is_empty() {
            return Outcome::Failed(failures);
        }
        // It is the same epoch still, for those that are put aside.
        match std::mem::take(&mut self.changed) {
            changed if self.n_pending > 0 => {
                self.changed = changed;
                Outcome::Waiting
            }
            true => Outcome::Complete { changed: true },
            false => Outcome::Underway,
        }
    }

    /// A bound was reached. What was put aside is begun again with the rest.
    fn halted(&mut self, halt: Halt, now: u64) -> Outcome {
        self.join();
        (self.is_interrupted, self.is_good) = (false, false);
        if let Some(call) = self.call.take() {
            self.forget(call);
        }
        let diagnostic = match halt {
            Halt::Stuck(stuck) => {
                self.stuck = Some(stuck.clone());
                stuck
            }
            Halt::Exhausted(diagnostic) => {
                self.effort.failed(diagnostic.clone(), now);
                diagnostic
            }
        };
        Outcome::Failed(vec![diagnostic])
    }

    /// Takes in what happened since the last round.
    fn begin_round(&mut self, now: u64) {
        self.begin_epoch();
        self.now = self.now.max(now);
        for (id, told) in std::mem::take(&mut self.late) {
            self.take_in(id, told);
        }
        while let Some((at, vertex)) = self.wakes.first().copied()
            && at <= self.now
        {
            self.awake(at, vertex);
        }
    }

    /// The moment came for which a vertex asked.
    pub(super) fn awake(&mut self, at: u64, vertex: VertexId) {
        self.wakes.remove(&(at, vertex));
        if let Some(senses) = &mut self.slots[vertex.0 as usize].senses {
            senses.wake = None;
        }
        self.enqueue(vertex);
    }

    /// The first news after a complete table.
    pub(super) fn begin_epoch(&mut self) {
        if std::mem::take(&mut self.was_complete) {
            self.epoch = self.epoch.wrapping_add(1);
        }
    }
}
