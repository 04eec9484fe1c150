//! Simulated hosts under one clock, with the way back to every moment.
//!
//! Actions are recorded with their place on the timeline ([`History`]); everything else follows from them. So any
//! moment can be reproduced exactly by starting over with the same actions: the same brains decide, on the same hosts.
//! An action after going back replaces everything recorded from there on.

mod history;
mod lines;
mod record;
mod save;
mod shift;
mod staged;
#[cfg(test)]
mod staged_tests;
#[cfg(test)]
mod tests;

use super::simulation::Simulation;
use crate::engine_language::Language;
use crate::protocol::Moment;
use crate::sim::Cluster;
use history::{Doing, History};
use lines::Lines;
use mclive_base::shapes::host::{FleetAction, Goal, HostAction, HostCard, LogLine, Position, Snapshot, Tone};
use std::collections::BTreeMap;
use std::rc::Rc;

pub use crate::sim::MAX_HOSTS;

/// The simulated hosts, and their history.
pub struct Fleet {
    languages: Vec<&'static dyn Language>,
    hosts: Cluster<Simulation>,
    /// The last program deployed to each host, by number.
    given: BTreeMap<String, u64>,
    /// The number of simulation events and actions so far.
    step: u64,
    history: History,
    lines: Lines,
    program: Option<Program>,
    n_deploys: u64,
    /// The host whose run is recorded.
    recorded: Option<String>,
    /// The latest moment of this history.
    reached: Moment,
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
            languages,
            hosts: Cluster::default(),
            given: BTreeMap::new(),
            step: 0,
            history: History::default(),
            lines: Lines::default(),
            program: None,
            n_deploys: 0,
            recorded: None,
            reached: Moment::default(),
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
        let gone: Vec<String> = self.hosts.names().filter(|host| !hosts.contains(host)).cloned().collect();
        gone.into_iter().try_for_each(|host| self.act(Doing::Leave { host }))?;
        let new: Vec<String> = hosts.iter().filter(|host| !self.hosts.has(host)).cloned().collect();
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
        if matches!(action, FleetAction::Remove { .. }) && self.hosts.len() == 1 {
            return Err("the last host cannot be removed".to_owned());
        }
        self.act(match action {
            FleetAction::Add { host } => Doing::Join { host: host.clone(), prepare: Rc::new([]) },
            FleetAction::Remove { host } => Doing::Leave { host: host.clone() },
            FleetAction::Pause { host } => Doing::Pause { host: host.clone() },
            FleetAction::Resume { host } => Doing::Resume { host: host.clone() },
        })
    }

    /// Lets simulated time pass, with a limit on the number of steps: when it is reached, the next call continues.
    pub fn advance(&mut self, by_ms: u64, max_steps: usize) {
        self.advance_to(self.now().plus_ms(by_ms), max_steps);
    }

    /// The same up to a moment. `false`: the limit was reached before.
    pub fn advance_to(&mut self, until: Moment, max_steps: usize) -> bool {
        for _ in 0..max_steps {
            if !self.go_on(until) {
                self.hosts.skip(until);
                return true;
            }
        }
        false
    }

    /// Runs until a goal is reached, at most up to a moment and with a limit on the number of steps.
    pub fn run(&mut self, goal: Goal, until: Moment, max_steps: usize) -> Ran {
        for _ in 0..max_steps {
            if goal == Goal::Converged && self.hosts.iter().all(|(_, host, is_paused)| is_paused || host.is_converged())
            {
                return Ran::Reached;
            }
            if goal == Goal::Staged && !self.history.is_behind() {
                return Ran::Reached;
            }
            if !self.go_on(until) {
                return Ran::InVain;
            }
            let said = || self.lines.of_step(self.step);
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
    pub fn seek(&mut self, step: u64, max_steps: usize) -> bool {
        if step < self.step {
            self.reached = self.reached.max(self.now());
            self.history.rewind();
            self.restart();
        }
        for _ in 0..max_steps {
            if self.step >= step || !self.go_on(Moment(u64::MAX)) {
                return true;
            }
        }
        self.step >= step
    }

    /// Goes back to the beginning, with the whole history ahead.
    fn restart(&mut self) {
        (self.hosts, self.given) = (Cluster::default(), BTreeMap::new());
        self.lines.clear();
        (self.step, self.program, self.n_deploys) = (0, None, 0);
    }

    /// Whether every moment can be reproduced.
    pub fn goes_back(&self) -> bool {
        self.history.is_whole()
    }

    /// The common time.
    pub fn now(&self) -> Moment {
        self.hosts.now()
    }

    /// The number of steps so far.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// The host of this name.
    pub fn host(&self, host: &str) -> Option<&Simulation> {
        self.hosts.get(host)
    }

    /// Whether the hosts currently run this program.
    pub fn runs(&self, files: &[(&str, &[u8])]) -> bool {
        self.program.as_ref().is_some_and(|program| {
            let own = program.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
            own.eq(files.iter().copied())
        })
    }

    /// The current state of one host, with its log after a step.
    pub fn snapshot(&mut self, host: &str, after: Option<u64>) -> Option<Snapshot> {
        let now = self.now();
        let (_, simulation) = self.hosts.iter_mut().find(|(name, _)| *name == host)?;
        let mut snapshot = simulation.snapshot();
        (snapshot.log, snapshot.n_log_dropped) = self.lines.of_host(host, after);
        // The fleet's clock is the visible one.
        snapshot.now_ms = now.0 / 1_000_000;
        Some(snapshot)
    }

    /// Summaries of all hosts.
    pub fn cards(&self) -> Vec<HostCard> {
        self.hosts.iter().map(|(host, simulation, is_paused)| simulation.card(host, is_paused)).collect()
    }

    /// The position of the fleet on its timeline, with the marks since the last call.
    pub fn position(&mut self) -> Position {
        let (kept, marks) = self.lines.take_marks();
        Position { step: self.step, end: self.lines.end(), is_on_the_way: false, is_in_vain: false, kept, marks }
    }

    /// Performs an action now, and records it.
    fn act(&mut self, doing: Doing) -> Result<(), String> {
        if self.step < self.lines.end() || self.history.is_behind() {
            self.lines.branch(self.step);
            self.reached = self.now();
        }
        self.history.record(self.step, self.now(), doing.clone());
        self.step += 1;
        let done = self.carry_out(&doing);
        if done.is_err() {
            self.history.fail();
        }
        done
    }

    /// Performs the next event, no later than `until`. `false`: there is none.
    fn go_on(&mut self, until: Moment) -> bool {
        if let Some((at, doing)) = self.history.due(self.step, self.hosts.next_at()) {
            if at > until {
                return false;
            }
            self.hosts.skip(at);
            self.history.done(self.step);
            self.step += 1;
            // An action that was impossible is impossible again.
            if self.carry_out(&doing).is_err() {
                self.history.fail();
            }
            return true;
        }
        if self.hosts.next_at().is_none_or(|at| at > until) {
            return false;
        }
        self.step += 1;
        if let Some(host) = self.hosts.step(until) {
            self.listen(&host);
        }
        true
    }

    fn carry_out(&mut self, doing: &Doing) -> Result<(), String> {
        match doing {
            Doing::Join { host, prepare } => self.join(host, prepare)?,
            Doing::Leave { host } => {
                self.hosts.leave(host)?;
                self.given.remove(host);
            }
            Doing::Replay { host, trace } => {
                let mut simulation = Simulation::replay(self.languages.clone(), trace)?.simulation;
                self.record_if_wanted(host, &mut simulation);
                self.hosts.join(host, simulation)?;
            }
            Doing::Pause { host } => {
                self.hosts.pause(host)?;
                self.say(host, LogLine { tone: Tone::Player, ..LogLine::at(self.now(), "someone paused this host") });
            }
            Doing::Resume { host } => self.resume(host)?,
            Doing::Deploy(program) => {
                self.program = Some(program.clone());
                self.n_deploys += 1;
                let hosts: Vec<String> = self.hosts.names().cloned().collect();
                hosts.iter().for_each(|host| self.supply(host));
            }
            Doing::Cue(program, cue) => self.follow(program, cue)?,
            Doing::Act { host, action } => {
                self.hosts.at_hand(host)?.act(action)?;
                self.listen(host);
            }
        }
        Ok(())
    }

    fn join(&mut self, host: &str, prepare: &[HostAction]) -> Result<(), String> {
        let mut simulation = Simulation::new(self.languages.clone(), host);
        self.record_if_wanted(host, &mut simulation);
        let number = self.hosts.n_joined();
        simulation.change(|world| world.stand_at(number as u8));
        simulation.prepare(prepare);
        self.hosts.join(host, simulation)?;
        self.supply(host);
        Ok(())
    }

    fn resume(&mut self, host: &str) -> Result<(), String> {
        self.hosts.resume(host)?;
        self.say(host, LogLine { tone: Tone::Player, ..LogLine::at(self.now(), "someone resumed this host") });
        self.supply(host);
        Ok(())
    }

    /// Deploys the program to a host, unless it has it or cannot take it.
    fn supply(&mut self, host: &str) {
        let has_it = self.given.get(host).copied().unwrap_or(0) == self.n_deploys;
        if has_it || self.hosts.is_paused(host) {
            return;
        }
        let (Some(program), Ok(simulation)) = (self.program.clone(), self.hosts.at_hand(host)) else { return };
        self.given.insert(host.to_owned(), self.n_deploys);
        let files = program.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        simulation.deploy(files, &program.entry);
        self.listen(host);
    }

    /// Takes a host's reports, and passes on its shared changes.
    fn listen(&mut self, host: &str) {
        self.hosts.spread(host);
        let Some((_, simulation)) = self.hosts.iter_mut().find(|(name, _)| *name == host) else { return };
        simulation.take_log().into_iter().for_each(|line| self.say(host, line));
    }

    fn say(&mut self, host: &str, line: LogLine) {
        self.lines.push(host, LogLine { step: self.step, ..line });
    }
}
