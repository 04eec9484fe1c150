//! [`Work`]: the remaining budget of a round of evaluation.
//!
//! Values are bounded in size, so one pass over them is bounded, too. What is not bounded by that is how
//! many passes there are: a pattern of thousands of parts over a large text, a loop in a template, a hundred
//! thousand calls that each read a megabyte. All of them draw from one budget, in units that are the same on
//! every machine, so that a program which exceeds it fails at the same call everywhere.
//!
//! A budget is worked off in slices: behind each of them the work is due, and whoever can stops where it is and goes on
//! later ([`Task`](super::Task)). The budget as a whole knows nothing of slices.

use super::FnError;
use crate::value::Value;
use std::cell::Cell;

/// The budget of one round: a few seconds on an ordinary machine, far below the deadline of the sandbox. Units: about a
/// nanosecond each.
pub const ROUND: u64 = 2_000_000_000;

/// How much of it is done before whoever else has something to do has a turn: a few hundredths of a second, in the sandbox
/// of a build without optimisation as well.
pub const SLICE: u64 = 5_000_000;

/// What one evaluation costs, whatever it computes.
pub const EVALUATION: u64 = 100;

/// The cost of one step of an interpreted language: a position in a pattern at a character of a text.
pub(crate) const STEP: u64 = 8;

/// The cost per byte of a text processed by characters.
const CHARACTER: u64 = 4;

/// The rest of a budget. Functions draw from it through a shared reference.
#[derive(Clone, Debug)]
pub struct Work {
    left: Cell<u64>,
    /// The slice is over when no more than this is left; 0: there are no slices.
    due_at: Cell<u64>,
    is_exhausted: Cell<bool>,
}

impl Work {
    /// A budget of this many units.
    pub fn new(units: u64) -> Work {
        Work { left: Cell::new(units), due_at: Cell::new(0), is_exhausted: Cell::new(false) }
    }

    /// The slice that begins here has so many units. What needs less to be over is not interrupted.
    pub fn begin_slice(&self, units: u64) {
        self.due_at.set(self.left.get().saturating_sub(units));
    }

    /// The slice is over: whoever can stops here.
    pub fn is_due(&self) -> bool {
        let due_at = self.due_at.get();
        due_at > 0 && self.left.get() <= due_at
    }

    /// How much of the slice is left.
    pub fn slice_left(&self) -> u64 {
        self.left.get().saturating_sub(self.due_at.get())
    }

    /// A call within which the work is never due: what it is part of cannot stop there.
    pub(crate) fn in_one_go<T>(&self, call: impl FnOnce() -> T) -> T {
        let due_at = self.due_at.replace(0);
        let result = call();
        self.due_at.set(due_at);
        result
    }

    /// Draws units.
    ///
    /// Errors: too few are left. The work is then exhausted for good, whatever the caller does with the error.
    pub fn spend(&self, units: u64) -> Result<(), FnError> {
        match self.left.get().checked_sub(units).filter(|_| !self.is_exhausted.get()) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                self.left.set(0);
                self.is_exhausted.set(true);
                Err(FnError::fatal("the work limit was reached"))
            }
        }
    }

    /// Draws the cost of one pass over this many bytes, as when a value is measured.
    pub fn spend_on_bytes(&self, n_bytes: u64) -> Result<(), FnError> {
        self.spend(n_bytes / 2)
    }

    /// Draws the cost of a function that takes or returns so many bytes of text: they are processed by characters, and
    /// pieces of them are searched, folded and joined.
    pub fn spend_on_text(&self, n_bytes: u64) -> Result<(), FnError> {
        self.spend(n_bytes.saturating_mul(CHARACTER))
    }

    /// Draws the cost of a function that takes or returns a value of this size. Lists are walked.
    pub fn spend_on_value(&self, value: &Value, n_bytes: u64) -> Result<(), FnError> {
        match value {
            Value::Str(_) => self.spend_on_text(n_bytes),
            _ => self.spend_on_bytes(n_bytes),
        }
    }

    /// Whether more was requested than was left.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }

    /// The remaining units.
    pub fn left(&self) -> u64 {
        self.left.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exhausted_stays_so() {
        let work = Work::new(10);
        assert!(work.spend(10).is_ok() && !work.is_exhausted());
        assert!(work.spend(1).is_err() && work.is_exhausted());
        assert!(work.spend(0).is_err());
    }

    #[test]
    fn a_slice_ends_where_its_units_do_and_the_budget_does_not() {
        let work = Work::new(100);
        work.begin_slice(10);
        assert!(work.spend(9).is_ok() && !work.is_due());
        assert!(work.spend(6).is_ok() && work.is_due());
        assert!(!work.in_one_go(|| work.is_due()) && work.is_due());
        work.begin_slice(10);
        assert_eq!((work.is_due(), work.slice_left(), work.left()), (false, 10, 85));
        // Nobody is interrupted who exhausts the work before the slice is over.
        work.begin_slice(1000);
        assert!(work.spend(85).is_ok() && !work.is_due());
    }
}
