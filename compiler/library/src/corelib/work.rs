//! [`Work`]: the remaining budget of a round of evaluation.
//!
//! Values are bounded in size, so one pass over them is bounded, too. The number of passes is not: a pattern of
//! thousands of parts over a large text, a loop in a template, a hundred thousand calls that each read a megabyte. All
//! of them draw from one budget, in units that are the same on every machine, so that a program which exceeds it fails
//! at the same call everywhere.
//!
//! A budget is used in slices. After each slice, the work is due: a function that supports it stops where it is, and
//! continues later ([`Task`](super::Task)). The budget as a whole does not depend on slices.

use super::FnError;
use crate::value::Value;
use std::cell::Cell;

/// The budget of one round: a few seconds on an ordinary machine, far below the deadline of the sandbox. Units: about a
/// nanosecond each.
pub const ROUND: u64 = 2_000_000_000;

/// The part of it that is done before others have a turn: a few hundredths of a second, also in the sandbox of a build
/// without optimisation.
pub const SLICE: u64 = 5_000_000;

/// The cost of one evaluation, whatever it computes.
pub const EVALUATION: u64 = 100;

/// The cost of one step of an interpreted language: a position in a pattern at a character of a text.
pub(crate) const STEP: u64 = 8;

/// The cost per byte of a text processed by characters.
const CHARACTER: u64 = 4;

/// The rest of a budget. Functions draw from it through a shared reference.
#[derive(Clone, Debug)]
pub struct Work {
    left: Cell<u64>,
    /// The slice is used up when only this much is left; 0: there are no slices.
    due_at: Cell<u64>,
    is_exhausted: Cell<bool>,
}

impl Work {
    /// A budget of this many units.
    pub fn new(units: u64) -> Work {
        Work { left: Cell::new(units), due_at: Cell::new(0), is_exhausted: Cell::new(false) }
    }

    /// Begins a slice of this many units. Work that needs less than that is not interrupted.
    pub fn begin_slice(&self, units: u64) {
        self.due_at.set(self.left.get().saturating_sub(units));
    }

    /// Whether the slice is used up, so that functions which can be interrupted stop here.
    pub fn is_due(&self) -> bool {
        let due_at = self.due_at.get();
        due_at > 0 && self.left.get() <= due_at
    }

    /// How much of the slice is left.
    pub fn slice_left(&self) -> u64 {
        self.left.get().saturating_sub(self.due_at.get())
    }

    /// Makes a call during which the work is never due, because its caller cannot be interrupted there.
    pub(crate) fn uninterrupted<T>(&self, call: impl FnOnce() -> T) -> T {
        let due_at = self.due_at.replace(0);
        let result = call();
        self.due_at.set(due_at);
        result
    }

    /// Draws units.
    ///
    /// Errors: too few are left. The work is then exhausted permanently, whatever the caller does with the error.
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

    /// Draws the cost of a function that takes or returns this many bytes of text: they are processed by characters,
    /// and pieces of them are searched, folded and joined.
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
        assert!(!work.uninterrupted(|| work.is_due()) && work.is_due());
        work.begin_slice(10);
        assert_eq!((work.is_due(), work.slice_left(), work.left()), (false, 10, 85));
        // A call that exhausts the work before the end of the slice is not interrupted.
        work.begin_slice(1000);
        assert!(work.spend(85).is_ok() && !work.is_due());
    }
}
