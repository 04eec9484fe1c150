//! The only module that starts processes.
//!
//! ```text
//! Start: what, for which purpose  >  Child: a group that is ours until it is reaped  >  how it ended, or a Fault
//! ```
//!
//! Each child has a separate process group and environment, its time and output are limited by its starter, and it
//! never stays a zombie. A read-only process does not outlive the agent, even if the agent is killed: [`reaper`]
//! ensures that from before its first instruction. This module does not depend on the brain, the policy or the texts of
//! errors.

mod child;
mod hear;
mod reaper;
mod start;

pub(crate) use child::{Child, Condition, Group};
pub(crate) use hear::{Patience, Speech, Stream};
pub(crate) use reaper::{NAME as REAPER, finish, reap};
pub(crate) use start::{Input, Start};

use rustix::io::Errno;
use std::fmt::{Display, Formatter};
use std::time::Duration;

/// The purpose of a child, which determines what happens to it when the agent ends in any way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// Read-only: probes, watches, guards, functions, downloads. It is useless without the agent, so its group is
    /// killed with the agent; and when it ends, the rest of its group is killed.
    Look,
    /// A step. It finishes its work, even if the agent is killed in the meantime, and processes that it leaves running
    /// stay.
    Step,
    /// A program for the user, such as a browser, which stays open.
    Person,
}

/// Why a child did not finish.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The program does not exist, or cannot be run.
    Program(std::io::Error),
    /// Its working directory is unusable.
    Directory(Errno),
    /// It exceeded this time limit.
    Late(Duration),
    /// It wrote nothing for this long.
    Silent(Duration),
    /// It wrote more than this many bytes.
    TooMuch(usize),
    /// The receiver refused more output.
    Refused,
    /// The kernel reported an error.
    System(std::io::Error),
}

impl Display for Fault {
    fn fmt(&self, to: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Program(error) | Fault::System(error) => error.fmt(to),
            Fault::Directory(errno) => errno.fmt(to),
            Fault::Late(limit) => write!(to, "still running after {} s", limit.as_secs_f64()),
            Fault::Silent(limit) => write!(to, "no output for {} s", limit.as_secs_f64()),
            Fault::TooMuch(most) => write!(to, "it printed more than {} KiB", most >> 10),
            Fault::Refused => to.write_str("it was stopped"),
        }
    }
}
