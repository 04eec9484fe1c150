//! Simulated hosts under one clock, with the way back to every moment.
//!
//! Actions are recorded with their place on the timeline ([`History`]); everything else follows from them ([`Present`]). So
//! any moment can be reproduced exactly by repeating the same actions: the same brains decide, on the same hosts. Copies of
//! the fleet are kept along the way ([`Snapshots`]), and only what came after one of them is repeated.
//! An action after going back replaces everything recorded from there on.

mod history;
#[cfg(test)]
mod latency_tests;
mod lines;
mod marks;
#[cfg(test)]
mod model;
mod other;
mod present;
mod record;
mod save;
mod shift;
#[cfg(test)]
mod shift_tests;
#[cfg(test)]
mod snapshot_tests;
mod snapshots;
mod staged;
#[cfg(test)]
mod staged_tests;
#[cfg(test)]
mod tests;

use super::simulation::Simulation;
use crate::engine_language::Language;
use crate::protocol::Moment;
use history::{Doing, History};
use marks::Marks;
use mclive_base::shapes::host::{FleetAction, Goal, HostAction, HostCard, Position, Snapshot, Tone};
use present::Present;
use shift::{Before, Repeating};
use snapshots::{RunPosition, Snapshots};
use std::rc::Rc;

pub use crate::sim::MAX_HOSTS;

/// The simulated hosts, and their history.
pub struct Fleet {
    present: Present,
    history: History,
    snapshots: Snapshots<Present>,
    marks: Marks,
    /// The latest moment of this history.
    reached: Moment,
    n_performed: u64,
    /// It repeats the history of another fleet once, so it needs no way back.
    is_trial: bool,
    /// What is left to repeat after an action was moved or taken back.
    repeating: Option<Repeating>,
    /// How it was before that, and the last step that is the same.
    before: Option<(Box<Before>, u64)>,
}

/// The files of a program, by path.
type Files = Rc<[(String, Vec<u8>)]>;

#[derive(Clone)]
struct Program {
    files: Files,
    entry: Rc<str>,
}

/// The result of running towards a goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ran {
    /// The goal was reached.
    Reached,
    /// The goal cannot be reached by then.
    InVain,
    /// More steps are needed than one call allows.
    NotYet,
}

impl Fleet {
    /// An empty fleet with these languages.
    pub fn new(languages: Vec<&'static dyn Language>) -> Fleet {
        Fleet {
            present: Present::new(languages),
            history: History::default(),
            snapshots: Snapshots::default(),
            marks: Marks::default(),
            reached: Moment::default(),
            n_performed: 0,
            is_trial: false,
            repeating: None,
            before: None,
        }
    }

    /// A recorded run in place of a host, with the text of its program.
    ///
    /// Errors: what the bytes are instead.
    pub fn replay(
        languages: Vec<&'static dyn Language>,
        host: &str,
        trace: &[u8],
    ) -> Result<(Fleet, Vec<(String, Vec<u8>)>), String> {
        let program = Simulation::replay(languages.clone(), trace)?.program;
        let mut fleet = Fleet::new(languages);
        fleet.act(Doing::Replay { host: host.to_owned(), trace: trace.into() })?;
        Ok((fleet, program))
    }

    /// Deploys a program to every host; the fleet then has exactly these hosts. New ones are prepared first.
    ///
    /// Errors: too many hosts.
    pub fn deploy<'a>(
        &mut self,
        hosts: &[String],
        prepare: &[HostAction],
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        entry: &str,
    ) -> Result<(), String> {
        let gone: Vec<String> = self.present.hosts.names().filter(|host| !hosts.contains(host)).cloned().collect();
        gone.into_iter().try_for_each(|host| self.act(Doing::Leave { host }))?;
        let new: Vec<String> = hosts.iter().filter(|host| !self.present.hosts.has(host)).cloned().collect();
        let prepare: Rc<[HostAction]> = prepare.into();
        new.into_iter().try_for_each(|host| self.act(Doing::Join { host, prepare: prepare.clone() }))?;
        let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
        self.act(Doing::Deploy(Program { files, entry: entry.into() }))
    }

    /// Performs an action on one host. Errors: why it is impossible.
    pub fn act_on(&mut self, host: &str, action: &HostAction) -> Result<(), String> {
        self.act(Doing::Act { host: host.to_owned(), action: action.clone() })
    }

    /// Performs an action on the fleet. Errors: why it is impossible.
    pub fn arrange(&mut self, action: &FleetAction) -> Result<(), String> {
        if matches!(action, FleetAction::Remove { .. }) && self.present.hosts.len() == 1 {
            return Err("the last host cannot be removed".to_owned());
        }
        self.act(match action {
            FleetAction::Add { host } => Doing::Join { host: host.clone(), prepare: Rc::new([]) },
            FleetAction::Remove { host } => Doing::Leave { host: host.clone() },
            FleetAction::Pause { host } => Doing::Pause { host: host.clone() },
            FleetAction::Resume { host } => Doing::Resume { host: host.clone() },
            FleetAction::Disconnect { host } => Doing::Disconnect { host: host.clone() },
            FleetAction::Reconnect { host } => Doing::Reconnect { host: host.clone() },
        })
    }

    /// Lets simulated time pass, with a limit on the number of steps: when it is reached, the next call continues.
    pub fn advance(&mut self, by_ms: u64, max_steps: usize) {
        self.advance_to(self.now().plus_ms(by_ms), max_steps);
    }

    /// The same up to a moment. `false`: the limit was reached before.
    pub fn advance_to(&mut self, until: Moment, max_steps: usize) -> bool {
        for _ in 0..max_steps {
            if !self.perform_next(until) {
                self.present.hosts.skip(until);
                return true;
            }
        }
        false
    }

    /// Runs until a goal is reached, at most up to a moment and with a limit on the number of steps.
    pub fn run(&mut self, goal: Goal, until: Moment, max_steps: usize) -> Ran {
        for _ in 0..max_steps {
            if goal == Goal::Converged
                && self.present.hosts.iter().all(|(_, host, is_paused)| is_paused || host.is_converged())
            {
                return Ran::Reached;
            }
            if goal == Goal::Staged && !self.history.is_behind() {
                return Ran::Reached;
            }
            if !self.perform_next(until) {
                return Ran::InVain;
            }
            let said = || self.present.lines.of_step(self.present.step);
            let is_there = match goal {
                Goal::Mark => said().next().is_some(),
                Goal::Failure => said().any(|line| line.tone == Tone::Bad),
                Goal::Converged => false,
                Goal::Staged => !self.history.is_behind(),
            };
            if is_there {
                return Ran::Reached;
            }
        }
        Ran::NotYet
    }

    /// Jumps to a moment, back or ahead, by its step. `false`: it takes more steps than allowed; the next call
    /// continues.
    ///
    /// Cost: the events since the last snapshot before it.
    pub fn seek(&mut self, step: u64, max_steps: usize) -> bool {
        let is_nearer = self.snapshots.last_up_to(step).is_some_and(|(at, _)| at.step > self.step());
        if step < self.step() || is_nearer {
            self.reached = self.reached.max(self.now());
            self.restore(step);
        }
        for _ in 0..max_steps {
            if self.step() >= step || !self.perform_next(Moment(u64::MAX)) {
                return true;
            }
        }
        self.step() >= step
    }

    /// Goes to the last snapshot up to a step, or else to the beginning; the rest of the history is then ahead.
    fn restore(&mut self, step: u64) {
        self.marks.collect(&self.present.lines);
        let (n_actions, present) = match self.snapshots.last_up_to(step) {
            Some((at, copy)) => (at.n_actions, copy.clone()),
            None => (0, self.present.beginning()),
        };
        self.present = present;
        self.history.go_to(n_actions);
    }

    /// Whether every moment can be reproduced.
    pub fn goes_back(&self) -> bool {
        self.history.is_whole()
    }

    /// The common time.
    pub fn now(&self) -> Moment {
        self.present.hosts.now()
    }

    /// The number of steps so far.
    pub fn step(&self) -> u64 {
        self.present.step
    }

    /// The number of steps performed so far, repeated ones included: a measure of the work.
    pub fn n_performed(&self) -> u64 {
        self.n_performed
    }

    /// The number of snapshots, and an estimate of their memory. Units: bytes.
    pub fn n_snapshots(&self) -> (usize, usize) {
        (self.snapshots.len(), self.snapshots.weight())
    }

    /// The host of this name.
    pub fn host(&self, host: &str) -> Option<&Simulation> {
        self.present.hosts.get(host)
    }

    /// Whether the hosts currently run this program.
    pub fn runs(&self, files: &[(&str, &[u8])]) -> bool {
        self.present.program.as_ref().is_some_and(|program| {
            let own = program.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
            own.eq(files.iter().copied())
        })
    }

    /// The current state of one host, with its log after a step.
    pub fn snapshot(&mut self, host: &str, after: Option<u64>) -> Option<Snapshot> {
        let now = self.now();
        let (_, simulation) = self.present.hosts.iter_mut().find(|(name, _)| *name == host)?;
        let mut snapshot = simulation.snapshot();
        (snapshot.log, snapshot.n_log_dropped) = self.present.lines.of_host(host, after);
        // The fleet's clock is the visible one.
        snapshot.now_ms = now.0 / 1_000_000;
        Some(snapshot)
    }

    /// Summaries of all hosts.
    pub fn cards(&self) -> Vec<HostCard> {
        let hosts = &self.present.hosts;
        let card = |(host, simulation, is_paused): (&String, &Simulation, _)| {
            simulation.card(host, is_paused, hosts.is_disconnected(host))
        };
        hosts.iter().map(card).collect()
    }

    /// The position of the fleet on its timeline, with the marks since the last call.
    pub fn position(&mut self) -> Position {
        let (kept, marks) = self.marks.take(&self.present.lines);
        Position { step: self.step(), end: self.marks.end(), is_on_the_way: false, is_in_vain: false, kept, marks }
    }

    /// Performs an action now, and records it.
    fn act(&mut self, doing: Doing) -> Result<(), String> {
        let step = self.step();
        if step < self.marks.end() || self.history.is_behind() {
            self.marks.branch(step);
            self.reached = self.now();
        }
        (self.repeating, self.before) = (None, None);
        self.snapshots.retain(|at| at.step <= step);
        self.history.record(step, self.now(), doing.clone());
        let done = self.present.perform(&doing);
        if done.is_err() {
            self.history.fail();
        }
        self.performed();
        done
    }

    /// Performs the next event, no later than `until`. `false`: there is none.
    fn perform_next(&mut self, until: Moment) -> bool {
        if let Some((at, doing)) = self.history.due(self.step(), self.present.hosts.next_at()) {
            if at > until {
                return false;
            }
            self.present.hosts.skip(at);
            self.history.done(self.step());
            // An action that was impossible is impossible again.
            if self.present.perform(&doing).is_err() {
                self.history.fail();
            }
        } else if !self.present.perform_next(until) {
            return false;
        }
        self.performed();
        true
    }

    /// A step was performed: its lines are noted, and a snapshot is kept if the last one is far away.
    fn performed(&mut self) {
        self.n_performed += 1;
        self.marks.see(&self.present.lines);
        // Without a history there is no way back, and a recording is needed once.
        let is_wanted = self.history.is_whole() && self.present.recorded.is_none() && !self.is_trial;
        if !is_wanted {
            self.snapshots.clear();
        } else if self.snapshots.is_due(self.present.cost) {
            let Present { step, cost, ref lines, .. } = self.present;
            let n_actions = self.history.n_behind();
            let at = RunPosition { step, cost, n_actions, now: self.now(), log: lines.size() };
            self.snapshots.keep(at, self.present.weight(), || self.present.clone());
        }
    }
}
