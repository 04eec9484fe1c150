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
//! | `step` | events, claims and when a claim is to hold, as data; read in `mclive_base::scenario` |
//! | `program` | the files that it is about, and what their language tells of them |
//! | `host` | the brain and its simulated host, and what was heard of them |
//! | `stage` | the hosts under one clock |
//! | `act` | events |
//! | `judge` | claims |
//! | `play` | the steps in turn, and the waiting between them |
//! | `lesson` | a text, a program to start from, and a scenario that says whether the task is done |
//! | `reached` | which statements of the program were seen at work |
//!
//! The same scenario comes to the same end on every machine, to the step: time is virtual, and nothing here is random.

use mclive_base::scenario as step;
use mclive_base::shapes::scenario::Tested;
use mclive_base::{diag, protocol, shapes, source, span, vocab};
use mclive_engine::{brain, compile, language, rgraph};
use mclive_sim as sim;
use mclive_syntax::{ast, lex, parse};

mod act;
mod host;
mod judge;
pub mod lesson;
mod play;
mod program;
mod reached;
mod stage;
#[cfg(test)]
mod tests;

pub use mclive_base::scenario::read;
pub use play::{play, rehearse};
pub use program::{Given, Program, Testable};

/// Reads a scenario and plays it. What only a real host can play is left out.
pub fn test(name: &str, program: &Program, text: &str) -> Tested {
    match read(text) {
        Ok(scenario) if !scenario.real.is_empty() => {
            let left_out = format!("only on a real host: {}", scenario.real);
            Tested { name: name.to_owned(), title: scenario.title, left_out, ..Tested::default() }
        }
        Ok(scenario) => play(name, program, &scenario),
        Err(faults) => Tested { name: name.to_owned(), faults, ..Tested::default() },
    }
}
