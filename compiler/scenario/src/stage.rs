//! The stage: the hosts of a scenario under one clock, and their reports.

use crate::given::Givens;
use crate::host::Host;
use crate::program::Program;
use crate::protocol::Moment;
use crate::reached::Reached;
use crate::sim::{Cluster, Happened, Order};

/// The maximum number of lines kept in the log; the oldest are dropped.
const LONGEST_LOG: usize = 200;
/// The distance between the seeds of two scenarios: more than the number of hosts.
const FURTHER: u64 = 1_000;

pub(crate) struct Stage<'a> {
    pub(crate) program: &'a Program,
    pub(crate) hosts: Cluster<Host>,
    /// Reports in words, with the moment.
    pub(crate) log: Vec<String>,
    /// Whether each line of the log names its host.
    names_hosts: bool,
    seed: u64,
    /// The order of independent things of one moment, drawn from the seed.
    order: Order,
    pub(crate) reached: Reached,
    /// The variables with other values than in the program.
    pub(crate) givens: Givens,
    /// Steps of removed hosts.
    n_steps: usize,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(program: &'a Program, names_hosts: bool, seed: u64) -> Stage<'a> {
        let order = Order::of_seed(seed);
        let mut hosts: Cluster<Host> = Cluster::default();
        hosts.set_order(order);
        Stage {
            program,
            hosts,
            log: Vec::new(),
            names_hosts,
            seed,
            order,
            reached: Reached::default(),
            givens: Givens::default(),
            n_steps: 0,
        }
    }

    /// Adds a host without an agent. Errors: why it is impossible.
    pub(crate) fn join(&mut self, name: &str) -> Result<(), String> {
        let mut host = Host::new(name, self.program.spoken());
        // The seeds of hosts in one scenario are consecutive.
        let seed = self.seed.wrapping_mul(FURTHER);
        host.sim.change(|world| world.seed = world.seed.wrapping_add(seed));
        let number = self.hosts.n_joined();
        host.sim.host.set_order(self.order.of_part(number as u64));
        if self.names_hosts {
            host.sim.change(|world| world.stand_at(number as u8));
        }
        self.hosts.join(name, host)
    }

    /// Removes a host permanently. Errors: no host has this name.
    pub(crate) fn leave(&mut self, name: &str) -> Result<(), String> {
        self.n_steps += self.hosts.get(name).map_or(0, |host| host.n_steps);
        self.hosts.leave(name)
    }

    /// The host of this name, or all hosts. Errors: it is gone, or there is none.
    pub(crate) fn hosts_of(&self, on: Option<&str>) -> Result<Vec<String>, String> {
        match on {
            Some(name) if self.hosts.has(name) => Ok(vec![name.to_owned()]),
            Some(name) => Err(format!("the host {name} was removed")),
            None if self.hosts.is_empty() => Err("no host is left".into()),
            None => Ok(self.hosts.names().cloned().collect()),
        }
    }

    /// The entry of a program in its own tree. Errors: there is no such program.
    pub(crate) fn entry(&self, named: Option<&str>) -> Result<String, String> {
        let files = &self.program.files;
        let is_there =
            |entry: &str| files.iter().any(|(path, _)| path == entry || path.starts_with(&format!("{entry}/")));
        let mains = self.program.languages.iter().map(|language| format!("/{}", language.layout().main));
        let mut entries: Vec<String> = match named {
            Some(named) => vec![format!("/{named}")],
            None => mains.collect(),
        };
        match entries.iter().position(|entry| is_there(entry)) {
            Some(at) => Ok(entries.swap_remove(at)),
            None => {
                let files: Vec<&str> = files.iter().map(|(path, _)| path.trim_start_matches('/')).collect();
                let wanted = entries[0].trim_start_matches('/');
                Err(format!("cannot find program {wanted}; the programs are: {}", files.join(", ")))
            }
        }
    }

    /// Records the statements exercised by compiling a program for a host.
    pub(crate) fn note(&mut self, name: &str, entry: &str) {
        let Some(host) = self.hosts.get(name) else { return };
        let world = host.sim.host.world();
        let made = self.program.made(entry, &world.hostname, &world.env);
        self.reached.note(made);
    }

    /// Counts steps from here on.
    pub(crate) fn forget_steps(&mut self) {
        self.hosts.iter_mut().for_each(|(_, host)| host.steps.clear());
    }

    /// Steps of all hosts since the beginning.
    pub(crate) fn n_steps(&self) -> usize {
        self.n_steps + self.hosts.iter().map(|(_, host, _)| host.n_steps).sum::<usize>()
    }

    /// Delivers the inputs that the agent of a host missed, unless it is still away.
    pub(crate) fn catch_up(&mut self, name: &str) -> Result<(), String> {
        let (is_paused, is_disconnected) = (self.hosts.is_paused(name), self.hosts.is_disconnected(name));
        if !is_paused {
            self.hosts.at_hand(name)?.catch_up(is_disconnected);
        }
        Ok(())
    }

    /// Performs the next event, no later than `until`. `false`: there is none.
    pub(crate) fn step(&mut self, until: Moment) -> bool {
        match self.hosts.step(until) {
            Some(Happened::On(host)) => self.listen(&host),
            Some(Happened::InStore) => {}
            None => return false,
        }
        true
    }

    /// Takes a host's reports, and passes on its shared changes.
    pub(crate) fn listen(&mut self, name: &str) {
        self.hosts.spread(name);
        let reached = &mut self.reached;
        let Some((_, host)) = self.hosts.iter_mut().find(|(known, _)| *known == name) else { return };
        for (at, line) in host.listen(reached) {
            if self.log.len() == LONGEST_LOG {
                self.log.remove(0);
            }
            let of = if self.names_hosts { format!("{name}: ") } else { String::new() };
            self.log.push(format!("{:>9.3} s  {of}{line}", at.0 as f64 / 1e9));
        }
    }
}
