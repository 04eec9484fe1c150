//! [`Work`]: how much a round of evaluation may still compute.
//!
//! Values are bounded in size, so one pass over them is bounded, too. What is not bounded by that is how
//! many passes there are: a pattern of thousands of parts over a large text, a loop in a template, a hundred
//! thousand calls that each read a megabyte. All of them draw from one budget, in units that are the same on
//! every machine, so that a program which exceeds it fails at the same call everywhere.

use super::FnError;
use crate::value::Value;
use std::cell::Cell;

/// How much work one round may do: a few seconds of an ordinary machine, far below the deadline of the
/// sandbox. Units: about a nanosecond each.
pub const ROUND: u64 = 2_000_000_000;

/// What one evaluation costs, whatever it computes.
pub const EVALUATION: u64 = 100;

/// What one step of an interpreted language costs: a place in a pattern at a character of a text.
pub(crate) const STEP: u64 = 8;

/// What a byte of a text costs that is gone through by characters.
const CHARACTER: u64 = 4;

/// What is left of a budget. Functions draw from it through a shared reference.
#[derive(Debug)]
pub struct Work {
    left: Cell<u64>,
    is_exhausted: Cell<bool>,
}

impl Work {
    pub fn new(units: u64) -> Work {
        Work { left: Cell::new(units), is_exhausted: Cell::new(false) }
    }

    /// Draws so many units.
    ///
    /// Errors: not so much is left. The work is then exhausted for good, whatever the caller makes of the error.
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

    /// Draws what one pass over so many bytes costs, as a value is measured when it is written out.
    pub fn spend_on_bytes(&self, n_bytes: u64) -> Result<(), FnError> {
        self.spend(n_bytes / 2)
    }

    /// Draws what a function costs that is handed a value of this size, or makes one. Texts are gone through by characters,
    /// and pieces of them are found, folded and put together; lists are walked.
    pub fn spend_on_value(&self, value: &Value, n_bytes: u64) -> Result<(), FnError> {
        match value {
            Value::Str(_) => self.spend(n_bytes.saturating_mul(CHARACTER)),
            _ => self.spend_on_bytes(n_bytes),
        }
    }

    /// More was asked for than there was.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted.get()
    }

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
