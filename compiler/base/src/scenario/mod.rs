//! Scenarios, as text and as steps: what happens to a host and its agent, and what is expected.
//!
//! The simulated host plays them in the brain's module, a real host in the agent; both read them here.

mod action;
mod claim;
mod count;
mod event;
mod flag;
mod found;
mod read;
mod show;
mod step;
mod time;
mod words;

pub use claim::{AccountHas, Claim, End, Expectation, Has, PathKind, UnitIs, When};
pub use count::Count;
pub use event::{Event, StopSignal, UnitEvent};
pub use flag::Flag;
pub use found::{Found, kind_name};
pub use read::{FIRST_HOST, FORMS, Scenario, read};
pub use show::{Quoted, Text, Time};
pub use step::{Step, What};
pub use time::milliseconds;
