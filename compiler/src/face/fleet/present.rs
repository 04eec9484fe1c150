//! [`Present`]: everything that follows from the actions so far. A copy continues exactly as the original does.

use super::history::Doing;
use super::lines::Lines;
use super::{Program, Simulation};
use crate::engine_language::Language;
use crate::protocol::Moment;
use crate::sim::{Cluster, Happened};
use mclive_base::shapes::host::{HostAction, LogLine, Tone};
use std::collections::BTreeMap;

/// The simulated hosts at one moment.
#[derive(Clone)]
pub(super) struct Present {
    pub(super) languages: Vec<&'static dyn Language>,
    pub(super) hosts: Cluster<Simulation>,
    /// The last program deployed to each host, by number; 0: none.
    given: BTreeMap<String, u64>,
    /// The programs that a scenario has deployed to hosts that are disconnected.
    pub(super) held: BTreeMap<String, Program>,
    /// The number of simulation events and actions so far.
    pub(super) step: u64,
    /// What they cost. Units: events.
    pub(super) cost: u64,
    pub(super) lines: Lines,
    pub(super) program: Option<Program>,
    n_deploys: u64,
    /// The host whose run is recorded.
    pub(super) recorded: Option<String>,
}

/// How much of a program is compiled in the time of one event. Units: bytes.
const COMPILED_PER_EVENT: u64 = 128;

impl Present {
    /// The beginning, without hosts.
    pub(super) fn new(languages: Vec<&'static dyn Language>) -> Present {
        Present {
            languages,
            hosts: Cluster::default(),
            given: BTreeMap::new(),
            held: BTreeMap::new(),
            step: 0,
            cost: 0,
            lines: Lines::default(),
            program: None,
            n_deploys: 0,
            recorded: None,
        }
    }

    /// The beginning of this run.
    pub(super) fn beginning(&self) -> Present {
        Present { recorded: self.recorded.clone(), ..Present::new(self.languages.clone()) }
    }

    /// The common time.
    pub(super) fn now(&self) -> Moment {
        self.hosts.now()
    }

    /// An estimate of the memory used by a copy, without the lines that it shares. Units: bytes.
    pub(super) fn weight(&self) -> usize {
        let hosts: usize = self.hosts.iter().map(|(_, simulation, _)| simulation.weight()).sum();
        hosts + size_of::<usize>() * self.lines.len()
    }

    /// Performs the next event of a host, no later than `until`. `false`: there is none.
    pub(super) fn perform_next(&mut self, until: Moment) -> bool {
        if self.hosts.next_at().is_none_or(|at| at > until) {
            return false;
        }
        self.begin_step();
        if let Some(Happened::On(host)) = self.hosts.step(until) {
            self.listen(&host);
        }
        true
    }

    /// Performs an action. Errors: why it is impossible.
    pub(super) fn perform(&mut self, doing: &Doing) -> Result<(), String> {
        self.begin_step();
        match doing {
            Doing::Join { host, prepare } => self.join(host, prepare)?,
            Doing::Leave { host } => {
                self.hosts.leave(host)?;
                if let Some(given) = self.given.get_mut(host) {
                    *given = 0;
                }
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
            Doing::Resume { host } => {
                self.hosts.resume(host)?;
                self.is_back(host, "someone resumed this host");
            }
            Doing::Disconnect { host } => {
                self.hosts.disconnect(host)?;
                let text = "someone disconnected this host from the shared store";
                self.say(host, LogLine { tone: Tone::Player, ..LogLine::at(self.now(), text) });
            }
            Doing::Reconnect { host } => {
                self.hosts.reconnect(host)?;
                self.is_back(host, "someone reconnected this host to the shared store");
            }
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

    fn begin_step(&mut self) {
        self.step += 1;
        self.cost += 1;
    }

    /// A host compiles a program.
    pub(super) fn pay_for(&mut self, program: &Program) {
        let size: usize = program.files.iter().map(|(_, bytes)| bytes.len()).sum();
        self.cost += size as u64 / COMPILED_PER_EVENT;
    }

    pub(super) fn join(&mut self, host: &str, prepare: &[HostAction]) -> Result<(), String> {
        let mut simulation = Simulation::new(self.languages.clone(), host);
        self.record_if_wanted(host, &mut simulation);
        let number = self.hosts.n_joined();
        simulation.change(|world| world.stand_at(number as u8));
        simulation.prepare(prepare);
        self.hosts.join(host, simulation)?;
        self.supply(host);
        Ok(())
    }

    /// A host that was away is back, or nearer to it.
    fn is_back(&mut self, host: &str, text: &str) {
        self.say(host, LogLine { tone: Tone::Player, ..LogLine::at(self.now(), text) });
        self.listen(host);
        self.supply(host);
    }

    /// Deploys the program to a host, unless it has it or cannot take it. Programs come from the shared store.
    fn supply(&mut self, host: &str) {
        let has_it = self.given.get(host).copied().unwrap_or(0) == self.n_deploys;
        if has_it || self.hosts.is_paused(host) || self.hosts.is_disconnected(host) {
            return;
        }
        let (Some(program), Ok(simulation)) = (self.program.clone(), self.hosts.at_hand(host)) else { return };
        self.given.insert(host.to_owned(), self.n_deploys);
        let files = program.files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice()));
        simulation.deploy(files, &program.entry);
        self.pay_for(&program);
        self.listen(host);
    }

    /// Takes a host's reports, and passes on its shared changes.
    pub(super) fn listen(&mut self, host: &str) {
        self.hosts.spread(host);
        let Some((_, simulation)) = self.hosts.iter_mut().find(|(name, _)| *name == host) else { return };
        simulation.take_log().into_iter().for_each(|line| self.say(host, line));
    }

    pub(super) fn say(&mut self, host: &str, line: LogLine) {
        self.lines.push(host, LogLine { step: self.step, ..line });
    }
}
