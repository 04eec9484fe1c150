//! The one place that starts processes.
//!
//! ```text
//! Start: what, for which purpose  >  Child: a group that is ours until it is reaped  >  how it ended, or a Fault
//! ```
//!
//! Each child has a process group of its own and an environment of its own, its time and its output are bounded by
//! whoever starts it, and it is never left as a zombie. What only tells the agent something does not outlive it, also when
//! the agent is killed: [`reaper`] sees to that from before its first instruction. Nothing here knows of the brain, the
//! policy or the words of errors.

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

/// What a child is for, which says what becomes of it when the agent ends, whichever way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// It tells the agent something: looks, watches, guards, functions, downloads. Without the agent nobody has a use for
    /// it, so its group is killed with the agent; and when it ends itself, with whatever is left in its group.
    Look,
    /// A step. It finishes what it began, also when the agent is killed meanwhile, and what it leaves behind stays.
    Step,
    /// It is opened for a person and stays with them: a browser.
    Person,
}

/// Why a child did not come to its own end.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The program is not there, or cannot be run.
    Program(std::io::Error),
    /// The directory that it was to begin in.
    Directory(Errno),
    /// It was still at work after so long.
    Late(Duration),
    /// It wrote nothing for so long.
    Silent(Duration),
    /// It wrote more than so many bytes.
    TooMuch(usize),
    /// Whoever heard it wants no more of it.
    Refused,
    /// The kernel does not let us follow it.
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
