//! The simulated host in transfer form: the state that a player sees, and the actions that change it by hand.
//!
//! Plain data without any wasm, in the shapes of [`mclive_base::shapes::host`].

mod member;
mod showing;

use super::driver::{self, Driver};
use super::telling::{first_line, in_words, lines};
use crate::brain::Brain;
use crate::engine_language::Language;
use crate::protocol::trace::{Header, Trace};
use crate::protocol::{Deploy, Input, Moment, Options, Phase, StopMode, What};
use crate::sim::{self, Replay, Sim, SimHost};
use crate::vocab::HostError;
use mclive_base::scenario::{Event, Flag};
use mclive_base::shapes::host::{HostAction, LogLine, Tone};
use std::collections::BTreeMap;

/// A program running on a simulated host.
#[derive(Clone)]
pub struct Simulation {
    /// The languages of its brain.
    languages: Vec<&'static dyn Language>,
    source: Driver,
    hostname: String,
    /// The last phase and text of each reported resource.
    phases: BTreeMap<String, (Phase, String)>,
    converged: bool,
    /// A run-time error that persists.
    failure: Option<String>,
    generation: u64,
    /// The number of requests to stop.
    n_stops: usize,
    /// Whether the run is recorded.
    is_recorded: bool,
    /// Reports not yet returned.
    log: Vec<LogLine>,
    n_log_dropped: u64,
}

/// An opened recorded run.
pub struct Recorded {
    /// The replay.
    pub simulation: Simulation,
    /// The files of the last program by path relative to its directory; the main file is the first.
    pub program: Vec<(String, Vec<u8>)>,
}

/// The settle time for convergence. Units: seconds.
const CONVERGED_AFTER: i64 = 1;

impl Simulation {
    /// A small new host, without a program.
    pub fn new(languages: Vec<&'static dyn Language>, hostname: &str) -> Simulation {
        let sim = Sim::new(Brain::speaking(languages.clone()), SimHost::new(hostname));
        Simulation::of(languages, Driver::Host(Box::new(sim)), hostname)
    }

    /// A recorded run, at its beginning.
    ///
    /// Errors: what the bytes are instead.
    pub fn replay(languages: Vec<&'static dyn Language>, trace: &[u8]) -> Result<Recorded, String> {
        let trace = Trace::read(trace)?;
        let (hostname, program) = (trace.header.hostname.clone(), driver::program(&trace));
        let source = Driver::Trace(Box::new(Replay::new(Brain::speaking(languages.clone()), trace)));
        Ok(Recorded { simulation: Simulation::of(languages, source, &hostname), program })
    }

    fn of(languages: Vec<&'static dyn Language>, source: Driver, hostname: &str) -> Simulation {
        Simulation {
            languages,
            source,
            hostname: hostname.to_owned(),
            phases: BTreeMap::new(),
            converged: false,
            failure: None,
            generation: 0,
            n_stops: 0,
            is_recorded: false,
            log: Vec::new(),
            n_log_dropped: 0,
        }
    }

    /// Records the run from now on.
    pub(super) fn record(&mut self) {
        self.is_recorded = true;
        if let Driver::Host(sim) = &mut self.source {
            sim.record();
        }
    }

    /// The recorded run of the present agent; `None`: the run was recorded elsewhere.
    pub(super) fn take_trace(&mut self) -> Option<Trace> {
        match &mut self.source {
            Driver::Host(sim) => {
                Some(Trace { header: Header::new(&self.hostname), inputs: sim.take_trace().0, n_lost: 0 })
            }
            Driver::Trace(_) => None,
        }
    }

    /// Whether the run was recorded elsewhere.
    pub(super) fn is_replay(&self) -> bool {
        matches!(self.source, Driver::Trace(_))
    }

    /// Deploys this program.
    pub fn deploy<'a>(&mut self, files: impl IntoIterator<Item = (&'a str, &'a [u8])>, entry: &str) {
        if let Driver::Trace(_) = self.source {
            let is_recorded = self.is_recorded;
            *self = Simulation::new(self.languages.clone(), &self.hostname);
            if is_recorded {
                self.record();
            }
        }
        // An agent whose first program was refused has ended.
        if self.failure.is_some() && self.exit().is_some() {
            self.kill();
        }
        let Driver::Host(sim) = &mut self.source else { return };
        let options = options(sim, &[]);
        let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
        self.failure = None;
        sim.tell(Input::Deploy(Deploy { files, entry: entry.to_owned(), options }));
        self.listen();
    }

    /// Starts an agent with these flags; a running one is killed.
    pub(super) fn start<'a>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, &'a [u8])>,
        entry: &str,
        flags: &[Flag],
    ) {
        self.kill();
        let Driver::Host(sim) = &mut self.source else { return };
        let options = options(sim, flags);
        let known_as = Some(options.hostname.clone());
        sim.change(|world| world.known_as = known_as);
        let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
        sim.tell(Input::Deploy(Deploy { files, entry: entry.to_owned(), options }));
        self.listen();
    }

    /// Kills the agent.
    pub(super) fn kill(&mut self) {
        let Driver::Host(sim) = &mut self.source else { return };
        sim.replace(Brain::speaking(self.languages.clone()));
        self.phases.clear();
        (self.failure, self.converged, self.n_stops) = (None, false, 0);
    }

    /// Asks the agent to stop; each repetition is more forceful.
    pub(super) fn stop(&mut self) {
        let Driver::Host(sim) = &mut self.source else { return };
        self.n_stops += 1;
        sim.tell(Input::Stop(match self.n_stops {
            1 => StopMode::Graceful,
            2 => StopMode::Soft,
            _ => StopMode::Hard,
        }));
        self.listen();
    }

    /// Performs an event on the host. Errors: why it is impossible.
    pub(super) fn happen(&mut self, event: &Event) -> Result<(), String> {
        self.change(|world| world.happen(event)).transpose().map_err(|error| error.to_string())?;
        self.converged = false;
        Ok(())
    }

    /// Lets simulated time pass; with `to_next` only until the next event. There is a limit on the number of steps:
    /// when it is reached, the next call continues.
    pub fn advance(&mut self, by_ms: u64, to_next: bool, max_steps: usize) {
        let until = self.now().plus_ms(by_ms);
        let until = match self.next_at().filter(|_| to_next) {
            Some(next) => next.min(until),
            None => until,
        };
        self.source.advance(until, max_steps);
        self.listen();
    }

    /// Changes the simulated world; a recorded run cannot be changed.
    pub(super) fn change<R>(&mut self, change: impl FnOnce(&mut sim::World) -> R) -> Option<R> {
        match &mut self.source {
            Driver::Host(sim) => Some(sim.change(change)),
            Driver::Trace(_) => None,
        }
    }

    /// An estimate of the memory used by a copy. Units: bytes.
    pub(super) fn weight(&self) -> usize {
        const PHASE: usize = 256;
        let source = match &self.source {
            Driver::Host(sim) => sim.machine.weight() + sim.host.weight(),
            Driver::Trace(replay) => replay.machine.weight(),
        };
        source + PHASE * self.phases.len()
    }

    pub(super) fn take_log(&mut self) -> Vec<LogLine> {
        std::mem::take(&mut self.log)
    }

    /// The simulated world; `None`: the run was recorded elsewhere.
    #[cfg(test)]
    pub(super) fn world(&self) -> Option<&sim::World> {
        match &self.source {
            Driver::Host(sim) => Some(sim.host.world()),
            Driver::Trace(_) => None,
        }
    }

    pub(super) fn is_converged(&self) -> bool {
        self.converged
    }

    /// Prepares the host before a program is deployed, without notifying watches. Impossible actions are skipped.
    pub fn prepare(&mut self, actions: &[HostAction]) {
        if let Driver::Host(sim) = &mut self.source {
            actions.iter().for_each(|action| drop(change(sim, action)));
        }
    }

    /// Performs an action on the host. `Err` says why it is impossible.
    pub fn act(&mut self, action: &HostAction) -> Result<(), String> {
        let Driver::Host(sim) = &mut self.source else {
            return Err("the host of a recorded run cannot be changed".to_owned());
        };
        change(sim, action).map_err(|error| error.to_string())?;
        let text = format!("someone {}", in_words(action));
        self.converged = false;
        self.log.push(LogLine { tone: Tone::Player, ..LogLine::at(self.now(), text) });
        Ok(())
    }

    fn brain(&self) -> &Brain {
        self.source.brain()
    }

    pub(super) fn now(&self) -> Moment {
        self.source.now()
    }

    pub(super) fn next_at(&self) -> Option<Moment> {
        self.source.next_at()
    }

    fn exit(&self) -> Option<i32> {
        self.source.exit()
    }

    /// Handles the reports of the brain.
    fn listen(&mut self) {
        for event in self.source.take_reports() {
            match &event.what {
                What::Resource { id, phase, text, .. } => {
                    self.phases.insert(id.to_string(), (*phase, text.clone()));
                }
                What::GraphSwitched { .. } => {
                    self.generation += 1;
                    self.failure = None;
                }
                What::Converged { .. } => self.converged = true,
                What::Unconverged => self.converged = false,
                What::Refused { text } | What::Stream { text } => self.failure = Some(first_line(text)),
                What::Steps { .. } | What::Grouped { .. } | What::Log { .. } => {}
            }
            self.log.extend(lines(&event));
        }
    }
}

/// The options of an agent on this host; the page shows convergence.
fn options(sim: &Sim<Brain>, flags: &[Flag]) -> Options {
    let mut options = Flag::options(&sim.host.world().hostname, flags);
    if !flags.iter().any(|flag| matches!(flag, Flag::ConvergerTimeout(_))) {
        options.converger_timeout = CONVERGED_AFTER;
    }
    options
}

/// Applies an action to a host.
fn change(sim: &mut Sim<Brain>, action: &HostAction) -> Result<(), HostError> {
    sim.change(|world| action.events().iter().try_for_each(|event| world.happen(event)))
}
