//! What would have happened: an action of the user at another moment, or without it, with everything that follows.
//!
//! What follows is repeated a number of steps at a time, since it can take as long as the run itself.

use super::Fleet;
use super::history::History;
use super::marks::Marks;
use super::present::Present;
use crate::protocol::Moment;

/// The fleet before an action was moved or taken back.
pub(super) struct Before {
    present: Present,
    history: History,
    marks: Marks,
    reached: Moment,
}

/// The rest of a repetition.
#[derive(Clone, Copy)]
pub(super) enum Repeating {
    /// Up to a moment, and then back to the action of this number.
    Until(Moment, Option<usize>),
    /// Back to a step.
    BackTo(u64),
}

impl Fleet {
    /// Moves the action of a mark by a time span. [`Fleet::repeat`] then repeats the history up to the latest moment, and
    /// leaves the fleet at the moved action.
    ///
    /// Errors: why it cannot be moved, a sentence without a full stop.
    pub fn shift(&mut self, mark: u64, by_ms: i64) -> Result<(), String> {
        let action = self.own(mark)?;
        let before = self.as_it_is();
        let until = self.reached.max(self.now());
        let to = Moment(self.history.at(action).0.saturating_add_signed(by_ms.saturating_mul(1_000_000)));
        let shifted = self.history.shift(action, to.min(until));
        self.snapshots.retain(|at| at.n_actions <= shifted.n_kept && at.now <= shifted.until);
        self.begin(before, until, Some(shifted.number));
        Ok(())
    }

    /// Takes the action of a mark back. [`Fleet::repeat`] then repeats the history without it up to the latest moment, where
    /// the fleet is then.
    ///
    /// Errors: why it cannot be taken back, a sentence without a full stop.
    pub fn take_back(&mut self, mark: u64) -> Result<(), String> {
        let action = self.own(mark)?;
        let before = self.as_it_is();
        let until = self.reached.max(self.now());
        self.history.take_back(action);
        self.snapshots.retain(|at| at.n_actions <= action);
        self.begin(before, until, None);
        Ok(())
    }

    /// Continues to repeat what follows from an action that was moved or taken back. `false`: it takes more steps than
    /// allowed; the next call continues. There is a host then: a deploy that replaces all of them is not left half
    /// done.
    pub fn repeat(&mut self, max_steps: usize) -> bool {
        let mut n_steps = max_steps;
        while !self.repeat_some(n_steps) {
            if !self.present.hosts.is_empty() {
                return false;
            }
            n_steps = 1;
        }
        true
    }

    /// The moment up to which something is being repeated, if it is.
    pub fn repeats_until(&self) -> Option<Moment> {
        self.repeating.map(|_| self.reached)
    }

    /// Stops repeating: the fleet is as it was before the action was moved or taken back. `false`: nothing is being repeated.
    pub fn stop_repeating(&mut self) -> bool {
        let Some((before, n_common)) = self.before.take() else { return false };
        // The moments since then are those of the other course.
        self.snapshots.retain(|at| at.step <= n_common);
        let Before { present, history, marks, reached } = *before;
        (self.present, self.history, self.marks, self.reached) = (present, history, marks, reached);
        self.repeating = None;
        true
    }

    fn repeat_some(&mut self, max_steps: usize) -> bool {
        if let Some(Repeating::Until(until, action)) = self.repeating {
            if !self.advance_to(until, max_steps) {
                return false;
            }
            let step = action.and_then(|action| self.history.step(action));
            self.repeating = step.map(|step| Repeating::BackTo(step + 1));
        }
        if let Some(Repeating::BackTo(step)) = self.repeating {
            if !self.seek(step, max_steps) {
                return false;
            }
            self.repeating = None;
        }
        self.before = None;
        true
    }

    fn as_it_is(&self) -> Box<Before> {
        Box::new(Before {
            present: self.present.clone(),
            history: self.history.clone(),
            marks: self.marks.clone(),
            reached: self.reached,
        })
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

    /// Goes to the last snapshot; what came after it is to be repeated up to a moment.
    fn begin(&mut self, before: Box<Before>, until: Moment, action: Option<usize>) {
        self.restore(u64::MAX);
        self.before = Some((before, self.step()));
        self.marks.branch(self.present.lines.last_step());
        (self.reached, self.repeating) = (until, Some(Repeating::Until(until, action)));
    }
}
