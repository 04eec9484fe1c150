//! [`Work`]: the remaining budget of a round of evaluation.
//!
//! Values are bounded in size, so one pass over them is bounded, too. What is not bounded by that is how
//! many passes there are: a pattern of thousands of parts over a large text, a loop in a template, a hundred
//! thousand calls that each read a megabyte. All of them draw from one budget, in units that are the same on
//! every machine, so that a program which exceeds it fails at the same call everywhere.

use super::FnError;
use crate::value::Value;
use std::cell::Cell;

/// The budget of one round: a few seconds on an ordinary machine, far below the deadline of the sandbox. Units: about a
/// nanosecond each.
pub const ROUND: u64 = 2_000_000_000;

/// What one evaluation costs, whatever it computes.
pub const EVALUATION: u64 = 100;

/// The cost of one step of an interpreted language: a position in a pattern at a character of a text.
pub(crate) const STEP: u64 = 8;

/// The cost per byte of a text processed by characters.
const CHARACTER: u64 = 4;

/// The rest of a budget. Functions draw from it through a shared reference.
#[derive(Debug)]
pub struct Work {
    left: Cell<u64>,
    is_exhausted: Cell<bool>,
}

impl Work {
    /// A budget of this many units.
    pub fn new(units: u64) -> Work {
        Work { left: Cell::new(units), is_exhausted: Cell::new(false) }
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

    /// Draws the cost of a function that takes or returns a value of this size. Texts are processed by characters, and
    /// pieces of them are searched, folded and joined; lists are walked.
    pub fn spend_on_value(&self, value: &Value, n_bytes: u64) -> Result<(), FnError> {
        match value {
            Value::Str(_) => self.spend(n_bytes.saturating_mul(CHARACTER)),
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
}
