//! What would have happened: an action of the user at another moment, with everything that follows from it.

use super::Fleet;
use crate::protocol::Moment;

impl Fleet {
    /// Moves the action of a mark by a time span and repeats the history up to the latest moment; the fleet is then at
    /// the moved action. `max_steps` limits the repetition.
    ///
    /// Errors: why it cannot be moved, a sentence without a full stop.
    pub fn shift(&mut self, mark: u64, by_ms: i64, max_steps: usize) -> Result<(), String> {
        if !self.history.is_whole() {
            return Err("there are too many steps to repeat; start over to move events again".to_owned());
        }
        // A mark has the step after its action.
        let action = mark.checked_sub(1).and_then(|step| self.history.movable(step));
        let action = action.ok_or("this event follows from others; only your own actions can be moved")?;
        let until = self.reached.max(self.now());
        let to = Moment(self.history.at(action).0.saturating_add_signed(by_ms.saturating_mul(1_000_000)));
        let shifted = self.history.shift(action, to.min(until));
        self.snapshots.retain(|at| at.n_actions <= shifted.n_kept && at.now <= shifted.until);
        self.restore(u64::MAX);
        self.marks.branch(self.present.lines.last_step());
        let is_there = (0..max_steps).any(|_| !self.go_on(until));
        if is_there {
            self.present.hosts.skip(until);
        }
        match self.history.step(shifted.number) {
            Some(step) if self.seek(step + 1, max_steps) => Ok(()),
            Some(_) | None => {
                Err("the history is too long to be repeated at once; start over to move events".to_owned())
            }
        }
    }
}
