//! [`Job`]: a list of probes or steps in progress on a simulated host; and [`Lines`], a command whose output is a
//! source of events.

use super::host::{States, Turn};
use super::process::{Process, Progress};
use super::subject::{self, Answer, Context};
use super::world::World;
use crate::protocol::ResourceId;
use crate::vocab::{CommandOutcome, CommandSpec, Finding, HostError, HostErrorKind, Outcome, Probe, Step};
use std::collections::VecDeque;

/// A list of probes or steps in progress.
#[derive(Clone)]
pub(super) struct Job {
    pub(super) id: ResourceId,
    pub(super) work: Work,
    pub(super) process: Option<Process>,
    /// When the process wakes up, unless it is interrupted.
    pub(super) wake: Option<Turn>,
    pub(super) stopped: bool,
}

#[derive(Clone)]
pub(super) enum Work {
    Probes { rest: VecDeque<Probe>, seen: Vec<Finding> },
    Steps { rest: VecDeque<Step>, done: Vec<Outcome> },
}

/// A command whose lines are events or values.
#[derive(Clone)]
pub(super) struct Lines {
    pub(super) process: Process,
    pub(super) n_read: usize,
}

pub(super) enum Next {
    Command(CommandSpec),
    /// Try again after this delay. Units: milliseconds.
    Later(u64),
    Did,
    Over,
}

impl Job {
    /// Performs the next item. Log lines are added to `printed`.
    pub(super) fn next(&mut self, world: &mut World, states: &mut States, printed: &mut Vec<String>) -> Next {
        let mut at = Context { world, states, id: &self.id, printed };
        match &mut self.work {
            Work::Probes { rest, seen } => {
                let Some(probe) = rest.pop_front() else { return Next::Over };
                match subject::probe(&mut at, &probe) {
                    Answer::Command(command) => return Next::Command(command),
                    Answer::Later(ms) => {
                        rest.push_front(probe);
                        return Next::Later(ms);
                    }
                    Answer::Now(answer) => seen.push(answer.unwrap_or_else(Finding::Failed)),
                }
            }
            Work::Steps { rest, done } => {
                if matches!(done.last(), Some(Outcome::Failed(_))) {
                    return Next::Over;
                }
                let Some(step) = rest.pop_front() else { return Next::Over };
                match subject::step(&mut at, &step) {
                    Answer::Command(command) => return Next::Command(command),
                    Answer::Later(ms) => {
                        rest.push_front(step);
                        return Next::Later(ms);
                    }
                    Answer::Now(answer) => done.push(answer.unwrap_or_else(Outcome::Failed)),
                }
            }
        }
        Next::Did
    }

    /// Cancels the item it waits for.
    pub(super) fn give_up(&mut self) {
        match &mut self.work {
            Work::Probes { rest, .. } => drop(rest.pop_front()),
            Work::Steps { rest, .. } => drop(rest.pop_front()),
        }
        self.ended(Err(HostError::new(HostErrorKind::Cancelled, "it was stopped")));
    }

    /// A command has ended, or could not be run.
    pub(super) fn ended(&mut self, outcome: Result<CommandOutcome, HostError>) {
        match &mut self.work {
            Work::Probes { seen, .. } => seen.push(match outcome {
                Ok(outcome) => Finding::Command(outcome),
                Err(error) => Finding::Failed(error),
            }),
            Work::Steps { done, .. } => done.push(match outcome {
                Ok(outcome) => Outcome::Command(outcome),
                Err(error) => Outcome::Failed(error),
            }),
        }
    }
}

impl Lines {
    /// The complete lines since the last call, empty ones too, and the delay until the next ones.
    pub(super) fn news(&mut self, state: &Progress) -> (Vec<Vec<u8>>, Option<u64>) {
        // The output may be long, and this is called for each line of it: it is not copied.
        let (bytes, wake) = match state {
            Progress::Sleeping(ms) => (self.process.written(), Some(*ms)),
            Progress::Ended(outcome) => (outcome.output.as_deref().unwrap_or_default(), None),
        };
        let new = &bytes[self.n_read.min(bytes.len())..];
        // At the end the last line needs no newline.
        let whole = match wake {
            Some(_) => new.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1),
            None => new.len(),
        };
        self.n_read += whole;
        let lines = new[..whole].split_inclusive(|&byte| byte == b'\n');
        (lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line).to_vec()).collect(), wake)
    }
}

pub(super) fn interrupted(line: &str) -> HostError {
    HostError::new(HostErrorKind::Cancelled, format!("{line} was interrupted"))
}
