//! The steps of a scenario as data.

use super::claim::Expectation;
use super::event::Event;

/// One line that does something or expects something.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    /// Line number, from 1.
    pub line: u32,
    /// The line as written.
    pub text: String,
    /// The host it applies to; `None`: every host.
    pub host: Option<String>,
    /// What it does.
    pub what: What,
    /// Help for the author of a failing program: the last `hint` above, or empty.
    pub hint: String,
}

/// The content of a step.
#[derive(Clone, PartialEq, Debug)]
pub enum What {
    /// Make something happen.
    Do(Event),
    /// Let time pass. Units: milliseconds.
    Wait(u64),
    /// Check a claim.
    Expect(Expectation),
}
