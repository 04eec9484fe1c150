//! Randomised test of a whole fleet: random programs with values, exports and schedules on hosts that come, go, are
//! paused, disconnected from the store, restarted and changed by hand. After every event the rules of [`holds::always`]
//! hold; once nothing changes any more, every host has what an independent, simple model of the program and the hosts
//! predicts ([`holds::at_rest`]). Then the same events are repeated: from the beginning, and back and forth in time.
//!
//! `MCLIVE_MODEL_SECONDS=3600` continues with further seeds for that long, starting from `MCLIVE_FUZZ_SEED` if set;
//! `MCLIVE_MODEL_SEED=17` runs a single seed and prints everything. Add a seed that fails to `kept.txt`.

#![allow(clippy::disallowed_macros, reason = "tells what a longer run has done")]

mod cut;
mod draft;
mod holds;

use super::Fleet;
use super::history::Doing;
use super::tests::{MANY, deploy};
use crate::language::Mcl;
use crate::sim::World;
use cut::Cut;
use draft::{Chance, Draft, NAMES, Pool};
use holds::Lost;
use mclive_base::scenario::Event;
use mclive_base::shapes::host::{Alteration, FleetAction, HostAction};
use mclive_base::shapes::scenario::{Cue, CueWhat};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::rc::Rc;

/// Seeds that once failed, one per line.
const KEPT: &str = include_str!("kept.txt");

/// Longer than any lease, and than what hosts need to converge. Units: milliseconds.
const QUIET_MS: u64 = 60_000;

/// A fleet, and what is known of it without looking at it.
struct Run {
    seed: u64,
    /// Print the events.
    loud: bool,
    chance: Chance,
    fleet: Fleet,
    pools: [Pool; 2],
    program: Draft,
    n_programs: u64,
    /// Hosts that are neither paused nor disconnected.
    running: BTreeSet<&'static str>,
    /// Hosts that are paused, disconnected or gone.
    lost: BTreeMap<&'static str, Lost>,
    /// Hosts that are disconnected; some of them are paused as well.
    cut: BTreeMap<&'static str, Cut>,
    /// Whether nothing is underway: no host got anything new since the last rest.
    is_calm: bool,
    /// Who was elected at the last rest and has voted without interruption since, by pool.
    incumbents: [BTreeSet<&'static str>; 2],
    n_steps: usize,
    /// What was seen at each rest, by step.
    seen: Vec<(u64, String)>,
}

impl Run {
    fn new(seed: u64, loud: bool) -> Run {
        let mut chance = Chance::new(seed);
        let pools = ["one", "two"].map(|name| Pool::random(&mut chance, name));
        let hosts = &NAMES[..2 + chance.below(4) as usize];
        let mut run = Run {
            seed,
            loud,
            chance,
            fleet: Fleet::new(vec![&Mcl]),
            pools,
            program: Draft::default(),
            n_programs: 0,
            running: hosts.iter().copied().collect(),
            lost: BTreeMap::new(),
            cut: BTreeMap::new(),
            is_calm: false,
            incumbents: Default::default(),
            n_steps: 0,
            seen: Vec::new(),
        };
        run.say(|run| format!("{:#?}", run.pools));
        run.switch();
        run
    }

    fn say(&self, text: impl FnOnce(&Run) -> String) {
        if self.loud {
            println!("{:9.3} {}", self.fleet.now().0 as f64 / 1e9, text(self));
        }
    }

    fn world(&self, host: &str) -> &World {
        self.fleet.host(host).and_then(super::Simulation::world).expect("a simulated host")
    }

    /// All hosts get another program; those that are away when they are back.
    fn switch(&mut self) {
        self.n_programs += 1;
        self.program = Draft::random(&mut self.chance, self.n_programs);
        let text = self.program.text(&self.pools);
        self.say(|_| format!("deploy\n{text}"));
        let is_there = |host: &&str| self.running.contains(host) || self.fleet.present.hosts.has(host);
        let hosts: Vec<&str> = NAMES.into_iter().filter(is_there).collect();
        deploy(&mut self.fleet, &text, &hosts);
        self.is_calm = false;
        for (incumbents, voters) in self.incumbents.iter_mut().zip(&self.program.voters) {
            incumbents.retain(|host| voters.contains(host));
        }
    }

    /// A host is interrupted: it may lose its place.
    fn interrupt(&mut self, host: &str) {
        self.incumbents.iter_mut().for_each(|incumbents| incumbents.retain(|incumbent| *incumbent != host));
    }

    fn pause(&mut self, host: &'static str) {
        let paused = self.fleet.arrange(&FleetAction::Pause { host: host.to_owned() });
        if paused.is_ok() && self.running.remove(host) {
            self.lose(host);
        }
    }

    fn remove(&mut self, host: &'static str) {
        let removed = self.fleet.arrange(&FleetAction::Remove { host: host.to_owned() });
        if removed.is_ok() {
            self.cut.remove(host);
            if self.running.remove(host) {
                self.lose(host);
            }
        }
    }

    fn disconnect(&mut self, host: &'static str) {
        if !self.running.contains(host) {
            return;
        }
        self.fleet.arrange(&FleetAction::Disconnect { host: host.to_owned() }).expect("it is there");
        self.running.remove(host);
        self.cut.insert(host, Cut::now(self, host));
        self.lose(host);
    }

    fn reconnect(&mut self, host: &'static str) {
        if self.cut.remove(host).is_none() {
            return;
        }
        self.fleet.arrange(&FleetAction::Reconnect { host: host.to_owned() }).expect("it is there");
        self.is_back(host);
    }

    /// Unless it is kept away in another way.
    fn is_back(&mut self, host: &'static str) {
        if !self.cut.contains_key(host) && !self.fleet.present.hosts.is_paused(host) {
            self.running.insert(host);
            self.lost.remove(host);
            self.is_calm = false;
        }
    }

    fn lose(&mut self, host: &'static str) {
        self.interrupt(host);
        let lost = Lost::now(self, host);
        self.lost.insert(host, lost);
    }

    fn resume(&mut self, host: &'static str) {
        if self.fleet.arrange(&FleetAction::Resume { host: host.to_owned() }).is_ok() {
            self.is_back(host);
        }
    }

    fn add(&mut self, host: &'static str) {
        if self.fleet.arrange(&FleetAction::Add { host: host.to_owned() }).is_ok() {
            self.running.insert(host);
            self.lost.remove(host);
            self.is_calm = false;
            holds::is_new(self, host);
        }
    }

    /// The agent is killed and started again, with the program that it had. It has the time to find what it exports:
    /// an agent does not know exports of an earlier one that its program does not have.
    fn restart(&mut self, host: &'static str) {
        if !self.running.contains(host) || !self.is_calm {
            return;
        }
        self.interrupt(host);
        let program = self.fleet.present.program.clone().expect("it was deployed");
        for event in [Event::Kill, Event::Run { program: None, flags: Vec::new() }] {
            let what = CueWhat::Happens(event);
            let cue = Cue { at: self.fleet.now(), line: 1, text: String::new(), host: Some(host.to_owned()), what };
            self.fleet.act(Doing::Cue(program.clone(), Rc::new(cue))).expect("it can be restarted");
        }
        self.is_calm = false;
        self.pass(1_000);
    }

    /// Someone sets a shared value where a host shows it.
    fn by_hand(&mut self, host: &str) {
        let how = Alteration::Set { field: "value".to_owned(), value: format!("by hand {}", self.chance.below(1_000)) };
        let action = HostAction::Alter { subject: "Store".to_owned(), thing: "strings/hand".to_owned(), how };
        let _ = self.fleet.act_on(host, &action);
    }

    fn act(&mut self) {
        let host = *self.chance.pick(&NAMES);
        let what = self.chance.below(20);
        self.say(|_| format!("{what} {host}"));
        match what {
            0..=2 => self.switch(),
            3..=5 => self.pause(host),
            6..=8 => self.resume(host),
            9..=10 => self.add(host),
            11 => self.remove(host),
            12 => self.restart(host),
            13 => self.by_hand(host),
            14..=16 => self.disconnect(host),
            17..=18 => self.reconnect(host),
            _ => {}
        }
        holds::always(self);
    }

    fn pass(&mut self, ms: u64) {
        let until = self.fleet.now().plus_ms(ms);
        while self.fleet.perform_next(until) {
            self.n_steps += 1;
            holds::always(self);
        }
        self.fleet.advance_to(until, MANY);
        holds::always(self);
    }

    /// Nothing happens until all leases have ended and all hosts are at rest.
    fn rest(&mut self) {
        self.pass(QUIET_MS);
        holds::at_rest(self);
        self.is_calm = true;
        let seen = view(&mut self.fleet);
        self.say(|_| format!("at rest\n{seen}"));
        self.seen.push((self.fleet.step(), seen));
    }

    /// Every rest looks the same from before it and from after it.
    fn back_and_forth(&mut self) {
        let mut order: Vec<usize> = (0..self.seen.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, self.chance.below(last as u64 + 1) as usize);
        }
        for at in order {
            let (step, seen) = &self.seen[at];
            assert!(self.fleet.seek(*step, MANY), "seed {}", self.seed);
            assert_eq!(view(&mut self.fleet), *seen, "seed {}: step {step} again", self.seed);
        }
    }
}

/// What can be seen of all hosts and of their store, but for the time.
fn view(fleet: &mut Fleet) -> String {
    let mut view = String::new();
    for card in fleet.cards() {
        let snapshot = fleet.snapshot(&card.host, None).expect("it is there");
        let _ = writeln!(view, "{card:?}\n{:?}", snapshot.resources);
        for file in snapshot.files.iter().filter(|file| file.path.starts_with("/srv/")) {
            let _ = writeln!(view, "{} {:?}", file.path, file.text);
        }
        let keys = fleet.host(&card.host).and_then(super::Simulation::world).expect("a simulated host").shared_keys();
        for (key, value) in keys {
            let _ = writeln!(view, "{key} = {value:?}");
        }
    }
    view
}

/// The run, with all its rests.
fn run(seed: u64, loud: bool) -> Run {
    let mut run = Run::new(seed, loud);
    for n in 0..24 {
        run.act();
        let ms = match run.chance.below(4) {
            0 => 0,
            1 => run.chance.below(12),
            2 => run.chance.below(3_000),
            _ => run.chance.below(20_000),
        };
        run.pass(ms);
        if n % 6 == 5 {
            run.rest();
        }
    }
    run
}

/// The number of steps.
fn check(seed: u64, loud: bool) -> usize {
    let mut first = run(seed, loud);
    let again = run(seed, false);
    assert!(first.seen == again.seen, "seed {seed}: the same events have shown something else");
    first.back_and_forth();
    first.n_steps
}

#[test]
#[allow(clippy::disallowed_methods, clippy::disallowed_types, reason = "a long run is asked for from outside")]
fn hosts_that_share_a_world_agree_and_leave_nothing_behind() {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = variable("MCLIVE_MODEL_SEED") {
        check(seed, true);
        return;
    }
    let kept = KEPT.lines().map(|line| line.parse().expect("a seed"));
    let mut n_steps: usize = kept.map(|seed| check(seed, false)).sum();
    let mut seeds = 1..;
    while n_steps < 6_000 {
        n_steps += seeds.next().map_or(0, |seed| check(seed, false));
    }
    let Some(seconds) = variable("MCLIVE_MODEL_SECONDS") else { return };
    let began = std::time::Instant::now();
    // Nearby numbers yield unrelated seeds, and a seed stays short enough to read.
    let first = variable("MCLIVE_FUZZ_SEED").map(|seed| seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24);
    let mut seeds = first.map_or(seeds, |first| first..);
    while began.elapsed().as_secs() < seconds {
        let seed = seeds.next().unwrap_or_default();
        n_steps += std::panic::catch_unwind(|| check(seed, false)).unwrap_or_else(|panic| {
            let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/face/fleet/model/kept.txt");
            std::fs::write(path, format!("{KEPT}{seed}\n")).expect("the seed can be kept");
            println!("seed {seed} fails; it is kept");
            std::panic::resume_unwind(panic)
        });
    }
    println!("{n_steps} steps in {seconds} s");
}
