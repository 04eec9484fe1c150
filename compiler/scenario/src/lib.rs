//! Scenarios: a program, a host, timed events, and expectations.
//!
//! ```text
//! text > read > steps > play (brain and simulated host, virtual time) > Tested
//! ```
//!
//! A scenario is a text of lines, next to its program (`NAME.scenario`) or a section of the same text archive:
//!
//! ```text
//! # Someone removes the message of the day, and it comes back.
//! write /etc/motd "old"
//! run
//! expect file /etc/motd holds "welcome\n"
//! remove /etc/motd
//! expect file /etc/motd holds "welcome\n" within 1s
//! expect no steps for 1h
//! ```
//!
//! | file | content |
//! |---|---|
//! | `step` | events, claims and when they must hold, as data; read in `mclive_base::scenario` |
//! | `program` | the files under test, and their language |
//! | `host` | the brain and its simulated host, and their reports |
//! | `given` | other values for variables of the program |
//! | `stage` | the hosts under one clock |
//! | `act` | events |
//! | `judge` | claims |
//! | `play` | the steps in turn, and the waiting between them |
//! | `lesson` | a text, a program to start from, and a scenario that checks the solution |
//! | `reached` | which statements of the program were exercised |
//!
//! A scenario has the same result on every machine, step by step: time is virtual, and everything random is drawn from
//! its seed. Seed 0, the default, also has the usual order of simultaneous events; other seeds draw one.

use mclive_base::scenario as step;
use mclive_base::shapes::scenario::Tested;
use mclive_base::{diag, protocol, shapes, sort, source, span, vocab};
use mclive_engine::{brain, compile, language, rgraph};
use mclive_sim as sim;
use mclive_syntax::{ast, lex, parse};

mod act;
mod given;
mod host;
mod judge;
pub mod lesson;
mod play;
mod program;
mod reached;
mod stage;
#[cfg(test)]
mod tests;

pub use given::Givens;
pub use mclive_base::scenario::read;
pub use play::{play, rehearse};
pub use program::{Given, Program, Testable};

/// Reads a scenario and plays it. One that needs a real host is skipped.
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
