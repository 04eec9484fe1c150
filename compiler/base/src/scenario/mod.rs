//! Scenarios, as text and as steps: what happens to a host and its agent, and what is expected.
//!
//! The simulated host plays them in the brain's module, a real host in the agent; both read them here.

mod action;
mod read;
mod show;
mod step;
mod words;

pub use read::{FIRST_HOST, FORMS, Scenario, read};
pub use show::{Quoted, Text, Time};
pub use step::{
    AccountHas, Claim, Count, End, Event, Expectation, Flag, Has, PathKind, Step, StopSignal, UnitEvent, UnitIs, What,
    When,
};
