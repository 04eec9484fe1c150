//! A scenario as a text and as steps: what happens to a host and its agent, and what is expected to come of it.
//!
//! The simulated host plays it in the brain's module, and a real one in the agent: both read it here.

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
