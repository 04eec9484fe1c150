//! What would have happened: an action of the user at another moment, or without it, with everything that follows.

use super::Fleet;
use crate::protocol::Moment;

impl Fleet {
    /// Moves the action of a mark by a time span and repeats the history up to the latest moment; the fleet is then at
    /// the moved action. `max_steps` limits the repetition.
    ///
    /// Errors: why it cannot be moved, a sentence without a full stop.
    pub fn shift(&mut self, mark: u64, by_ms: i64, max_steps: usize) -> Result<(), String> {
        let action = self.own(mark)?;
        let until = self.reached.max(self.now());
        let to = Moment(self.history.at(action).0.saturating_add_signed(by_ms.saturating_mul(1_000_000)));
        let shifted = self.history.shift(action, to.min(until));
        self.snapshots.retain(|at| at.n_actions <= shifted.n_kept && at.now <= shifted.until);
        self.repeat(until, max_steps);
        match self.history.step(shifted.number) {
            Some(step) if self.seek(step + 1, max_steps) => Ok(()),
            Some(_) | None => Err(TOO_LONG.to_owned()),
        }
    }

    /// Takes the action of a mark back and repeats the history without it up to the latest moment, where the fleet is then.
    /// `max_steps` limits the repetition.
    ///
    /// Errors: why it cannot be taken back, a sentence without a full stop.
    pub fn take_back(&mut self, mark: u64, max_steps: usize) -> Result<(), String> {
        let action = self.own(mark)?;
        let until = self.reached.max(self.now());
        self.history.take_back(action);
        self.snapshots.retain(|at| at.n_actions <= action);
        if self.repeat(until, max_steps) { Ok(()) } else { Err(TOO_LONG.to_owned()) }
    }

    /// The number of the user's own action of a mark.
    fn own(&self, mark: u64) -> Result<usize, String> {
        if !self.history.is_whole() {
            return Err("there are too many steps to repeat; start over to move events again".to_owned());
        }
        // A mark has the step after its action.
        let action = mark.checked_sub(1).and_then(|step| self.history.movable(step));
        action.ok_or_else(|| "this event follows from others; only your own actions can be moved or undone".to_owned())
    }

    /// Goes on from the last snapshot to a moment. `false`: it takes more steps than allowed.
    fn repeat(&mut self, until: Moment, max_steps: usize) -> bool {
        self.restore(u64::MAX);
        self.marks.branch(self.present.lines.last_step());
        let is_there = (0..max_steps).any(|_| !self.go_on(until));
        if is_there {
            self.present.hosts.skip(until);
        }
        is_there
    }
}

const TOO_LONG: &str = "the history is too long to be repeated at once; start over to move events";
