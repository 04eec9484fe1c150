//! [`Driver`]: where the events of a displayed run come from.

use crate::brain::Brain;
use crate::protocol::trace::Trace;
use crate::protocol::{Event, Input, Moment};
use crate::sim::{Replay, Sim};
use mclive_base::{layout, sort};

/// The source of events.
#[derive(Clone)]
pub(super) enum Driver {
    Host(Box<Sim<Brain>>),
    /// A run recorded elsewhere: its host is not here, and events are fixed.
    Trace(Box<Replay<Brain>>),
}

impl Driver {
    pub(super) fn brain(&self) -> &Brain {
        match self {
            Driver::Host(sim) => &sim.machine,
            Driver::Trace(replay) => &replay.machine,
        }
    }

    pub(super) fn now(&self) -> Moment {
        match self {
            Driver::Host(sim) => sim.now(),
            Driver::Trace(replay) => replay.now(),
        }
    }

    pub(super) fn next_at(&self) -> Option<Moment> {
        match self {
            Driver::Host(sim) => sim.next_at(),
            Driver::Trace(replay) => replay.next_at(),
        }
    }

    /// The exit status, if the agent has ended.
    pub(super) fn exit(&self) -> Option<i32> {
        match self {
            Driver::Host(sim) => sim.exit(),
            Driver::Trace(replay) => replay.exit(),
        }
    }

    /// Whether the moment was reached.
    pub(super) fn advance(&mut self, until: Moment, max_steps: usize) -> bool {
        match self {
            Driver::Host(sim) => sim.advance(until, max_steps),
            Driver::Trace(replay) => replay.advance(until, max_steps),
        }
    }

    /// Lets time pass without events.
    pub(super) fn skip(&mut self, to: Moment) {
        match self {
            Driver::Host(sim) => sim.skip(to),
            Driver::Trace(replay) => replay.skip(to),
        }
    }

    /// Whether something happened up to a moment.
    pub(super) fn step(&mut self, until: Moment) -> bool {
        match self {
            Driver::Host(sim) => sim.step(until),
            Driver::Trace(replay) => replay.next_at().is_some_and(|at| at <= until) && replay.step().is_some(),
        }
    }

    pub(super) fn take_reports(&mut self) -> Vec<Event> {
        match self {
            Driver::Host(sim) => sim.take_reports(),
            Driver::Trace(replay) => replay.take_reports(),
        }
    }
}

/// The program that runs at the end: an agent takes up changed files, and the page each edit.
pub(super) fn program(trace: &Trace) -> Vec<(String, Vec<u8>)> {
    let last = trace.inputs.iter().rev().find_map(|(_, input)| match input {
        Input::Deploy(deploy) => Some(deploy),
        _ => None,
    });
    let Some(deploy) = last else { return Vec::new() };
    // The entry is a file, or the directory with a main file.
    let is_entry = |path: &str| {
        let below = path.strip_prefix(deploy.entry.trim_end_matches('/'));
        below.is_some_and(|rest| {
            rest.is_empty() || layout::ALL.iter().any(|one| rest.strip_prefix('/') == Some(one.main))
        })
    };
    let mut files = deploy.files.clone();
    sort::by_key(&mut files, |(path, _)| !is_entry(path));
    let Some((first, _)) = files.first().filter(|(path, _)| is_entry(path)) else { return Vec::new() };
    let folder = first[..first.rfind('/').map_or(0, |at| at + 1)].to_owned();
    let below = |(path, content): (String, Vec<u8>)| Some((path.strip_prefix(&folder)?.to_owned(), content));
    files.into_iter().filter_map(below).collect()
}
