//! [`Job`]: a list of probes or steps in progress on a simulated host; and [`Lines`], a command
//! whose output is news.

use super::host::States;
use super::process::{Process, State};
use super::world::World;
use super::{probes, steps};
use crate::protocol::{Moment, ResourceId};
use crate::vocab::{CommandOutcome, CommandSpec, Finding, HostError, HostErrorKind, Outcome, Probe, Step};
use std::collections::VecDeque;

/// A list of probes or steps in progress.
pub(super) struct Job {
    pub(super) id: ResourceId,
    pub(super) work: Work,
    pub(super) process: Option<Process>,
    /// When the process wakes up, if it was not cut short.
    pub(super) wake: Option<(Moment, u64)>,
    pub(super) stopped: bool,
}

pub(super) enum Work {
    Probes { rest: VecDeque<Probe>, seen: Vec<Finding> },
    Steps { rest: VecDeque<Step>, done: Vec<Outcome> },
}

/// A command whose lines are news.
pub(super) struct Lines {
    pub(super) process: Process,
    pub(super) n_read: usize,
}

pub(super) enum Next {
    Command(CommandSpec),
    Print(String),
    Did,
    Over,
}

impl Job {
    pub(super) fn next(&mut self, world: &mut World, states: &mut States) -> Next {
        match &mut self.work {
            Work::Probes { rest, seen } => match rest.pop_front() {
                None => Next::Over,
                Some(Probe::Run(command)) => Next::Command(command),
                Some(probe) => {
                    seen.push(probes::look(world, states, &self.id, &probe));
                    Next::Did
                }
            },
            Work::Steps { rest, done } => match rest.pop_front() {
                None => Next::Over,
                Some(_) if matches!(done.last(), Some(Outcome::Failed(_))) => Next::Over,
                Some(Step::Run(command)) => Next::Command(command),
                Some(step) => {
                    done.push(steps::carry_out(world, states, &self.id, &step));
                    match step {
                        Step::Print { text } => Next::Print(text),
                        _ => Next::Did,
                    }
                }
            },
        }
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
    /// The whole lines that came since the last look, and how long it waits if it goes on.
    pub(super) fn news(&mut self, state: &State) -> (Vec<String>, Option<u64>) {
        let (bytes, wake) = match state {
            State::Sleeping(ms) => (self.process.written().to_vec(), Some(*ms)),
            State::Ended(outcome) => (outcome.output.clone().unwrap_or_default(), None),
        };
        let new = &bytes[self.n_read.min(bytes.len())..];
        let whole = new.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        self.n_read += whole;
        let text = String::from_utf8_lossy(&new[..whole]).into_owned();
        (text.lines().filter(|line| !line.is_empty()).map(String::from).collect(), wake)
    }
}

pub(super) fn interrupted(line: &str) -> HostError {
    HostError::new(HostErrorKind::Cancelled, format!("{line} was interrupted"))
}
