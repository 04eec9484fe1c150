//! Scenarios: a program, a host, what happens to it at which moment, and what is expected to come of it.
//!
//! ```text
//! text > read > steps > play (brain and simulated host, virtual time) > Tested
//! ```
//!
//! A scenario is a text of lines, beside its program (`NAME.scenario`) or a section of the same text archive:
//!
//! ```text
//! # Somebody removes the message of the day, and it comes back.
//! write /etc/motd "old"
//! run
//! expect file /etc/motd holds "welcome\n"
//! remove /etc/motd
//! expect file /etc/motd holds "welcome\n" within 1s
//! expect no steps for 1h
//! ```
//!
//! | file | is |
//! |---|---|
//! | `words` | a line as words |
//! | `step` | events, claims and when a claim is to hold, as data |
//! | `read` | lines to steps, or what is wrong with them |
//! | `stage` | the brain and its simulated host, and what was heard of them |
//! | `act` | events |
//! | `judge` | claims |
//! | `play` | the steps in turn, and the waiting between them |
//! | `lesson` | a text, a program to start from, and a scenario that says whether the task is done |
//! | `reached` | which statements of the program were seen at work |
//!
//! The same scenario comes to the same end on every machine, to the step: time is virtual, and nothing here is random.

use mclive_base::{diag, protocol, shapes, source, span, vocab};
use mclive_engine::{brain, compile, rgraph};
use mclive_sim as sim;
use mclive_syntax::{ast, lex, parse};

mod act;
mod judge;
pub mod lesson;
mod play;
mod reached;
mod read;
mod stage;
mod step;
#[cfg(test)]
mod tests;
mod words;

pub use play::{Program, play};
pub use read::{Scenario, read};

/// Reads a scenario and plays it.
pub fn test(name: &str, program: &Program, text: &str) -> shapes::scenario::Tested {
    match read(text) {
        Ok(scenario) => play(name, program, &scenario),
        Err(faults) => shapes::scenario::Tested { name: name.to_owned(), faults, ..Default::default() },
    }
}
