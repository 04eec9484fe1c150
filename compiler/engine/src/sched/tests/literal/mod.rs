//! Compares the scheduler with the letter of the specification: the same programs, events, failures and switches cause
//! the same checks, as often, though it visits far fewer vertices.
//!
//! `MCLIVE_LITERAL_SEED=17` runs a single seed and prints everything, `MCLIVE_LITERAL_SEEDS=100000` runs that many.

#![allow(clippy::disallowed_macros, reason = "tells what a longer run has done")]

mod machine;

use super::model::chance::{Chance, NAMES};
use super::{Bench, Draft, kinds};
use crate::protocol::Options;
use crate::sim::{Command, Scripted};
use machine::{Declared, Edge, Machine, Script};
use std::collections::{BTreeMap, VecDeque};

/// A program: vertices and edges.
#[derive(Clone, Debug, Default)]
struct Scenario {
    vertices: Vec<Declared>,
    edges: Vec<Edge>,
}

impl Scenario {
    fn new(chance: &mut Chance) -> Scenario {
        let mut program = Scenario::default();
        for name in NAMES {
            if !chance.one_in(4) {
                let declared = vertex(chance, name);
                program.vertices.push(declared);
            }
        }
        program.connect(chance);
        program
    }

    /// Replaces the edges, from earlier to later vertices.
    fn connect(&mut self, chance: &mut Chance) {
        self.edges.clear();
        for index in 0..self.vertices.len() {
            let (earlier, later) = self.vertices.split_at_mut(index);
            let to = &mut later[0];
            to.sender = None;
            for from in earlier {
                if !chance.one_in(3) {
                    continue;
                }
                self.edges.push((from.name, to.name, chance.one_in(2)));
                if !from.noop && !from.hidden && chance.one_in(3) {
                    to.sender = Some(from.name);
                }
            }
        }
    }

    /// Changes some vertex.
    fn change(&mut self, chance: &mut Chance) {
        match chance.below(5) {
            0 => self.connect(chance),
            1 => {
                let gone = NAMES[chance.below(NAMES.len() as u64) as usize];
                self.vertices.retain(|vertex| vertex.name != gone);
                self.edges.retain(|edge| edge.0 != gone && edge.1 != gone);
                for vertex in self.vertices.iter_mut().filter(|vertex| vertex.sender == Some(gone)) {
                    vertex.sender = None;
                }
            }
            2 if !self.edges.is_empty() => {
                let gone = self.edges.remove(chance.below(self.edges.len() as u64) as usize);
                let mut ends = self.vertices.iter_mut().filter(|vertex| vertex.name == gone.1);
                ends.by_ref().filter(|vertex| vertex.sender == Some(gone.0)).for_each(|vertex| vertex.sender = None);
            }
            _ => {
                for index in 0..self.vertices.len() {
                    if chance.one_in(3) {
                        self.vertices[index].text = text(chance);
                    }
                }
            }
        }
    }

    fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        for vertex in &self.vertices {
            draft.add(if vertex.refreshable { &kinds::SCRIPTED } else { &kinds::PLAIN }, vertex.name);
            if let Some(text) = &vertex.text {
                draft = draft.text(vertex.name, text);
            }
            let (noop, hidden, retry) = (vertex.noop, vertex.hidden, vertex.retry);
            draft = draft.meta(vertex.name, |meta| (meta.noop, meta.hidden, meta.retry) = (noop, hidden, retry));
        }
        let arrow = |notify: bool| if notify { '!' } else { '>' };
        let edges: Vec<String> =
            self.edges.iter().map(|(from, to, notify)| format!("{from}{}{to}", arrow(*notify))).collect();
        draft = draft.edges(&edges.join(" "));
        for vertex in &self.vertices {
            if let Some(sender) = vertex.sender {
                draft.receive(sender, vertex.name);
            }
        }
        draft
    }
}

fn vertex(chance: &mut Chance, name: &'static str) -> Declared {
    Declared {
        name,
        refreshable: !chance.one_in(5),
        noop: chance.one_in(6),
        hidden: chance.one_in(12),
        retry: chance.below(3) as i16,
        text: text(chance),
        sender: None,
    }
}

fn text(chance: &mut Chance) -> Option<String> {
    [None, Some("x".to_string()), Some("y".to_string())][chance.below(3) as usize].clone()
}

struct Run {
    chance: Chance,
    program: Scenario,
    machine: Machine,
    bench: Bench,
    /// The number of checks of each, by the scheduler.
    n_checks: BTreeMap<String, usize>,
    loud: bool,
}

impl Run {
    fn new(seed: u64, loud: bool) -> Run {
        let mut chance = Chance::new(seed);
        let program = Scenario::new(&mut chance);
        let mut machine = Machine::default();
        for name in NAMES {
            machine.scripts.insert(name, Script { first: VecDeque::new(), then: 0, says: name.to_string() });
        }
        let bench = Bench::new(Options::default());
        Run { chance, program, machine, bench, n_checks: BTreeMap::new(), loud }
    }

    /// Changes the results of one vertex from now on.
    fn rescript(&mut self, name: &'static str) {
        let is_noop = self.program.vertices.iter().any(|vertex| vertex.name == name && vertex.noop);
        let chance = &mut self.chance;
        let first = if is_noop { 0 } else { chance.below(3) };
        let first = (0..first).map(|_| [0, 1, 1, 2][chance.below(4) as usize]).collect();
        let then = if is_noop { chance.below(2) as i32 } else { 0 };
        let says = format!("{name}{}", chance.below(2));
        self.machine.scripts.insert(name, Script { first, then, says });
    }

    /// Gives both the same world.
    fn share(&mut self) {
        for (name, script) in &self.machine.scripts {
            let run = |&status: &i32| Scripted { status, stdout: script.says.clone(), ..Scripted::default() };
            let runs = script.first.iter().chain([&script.then]).map(run).collect();
            let line = (*name).to_string();
            self.bench.sim.change(|world| world.set_command(Command { line, runs }));
        }
    }

    /// Whether a checked vertex may have news for it.
    fn hears_news(&self, name: &str, checked: &BTreeMap<String, usize>) -> bool {
        let sender = self.program.vertices.iter().find(|vertex| vertex.name == name).and_then(|vertex| vertex.sender);
        let mut told = self.program.edges.iter().filter(|edge| edge.1 == name && (edge.2 || sender == Some(edge.0)));
        told.any(|edge| checked.contains_key(edge.0))
    }

    /// One more event. `false`: they have diverged, in a permitted way.
    fn turn(&mut self) -> bool {
        if self.chance.one_in(4) {
            let name = NAMES[self.chance.below(NAMES.len() as u64) as usize];
            self.rescript(name);
            self.share();
            let mut program = std::mem::take(&mut self.program);
            program.change(&mut self.chance);
            self.program = program;
            self.switch();
        } else {
            let name = NAMES[self.chance.below(NAMES.len() as u64) as usize];
            self.rescript(name);
            self.share();
            if self.loud {
                println!("event {name} {:?}", self.machine.scripts[name]);
            }
            self.bench.event(name);
            self.machine.event(name);
        }
        self.compare()
    }

    fn switch(&mut self) {
        if self.loud {
            println!("switch {:#?}", self.program);
        }
        self.share();
        self.bench.switch(&self.program.draft());
        self.machine.switch(&self.program.vertices, &self.program.edges);
    }

    /// Whether both checked the same. `false`: no, but in a permitted way.
    fn compare(&mut self) -> bool {
        self.bench.pass(1000);
        let checks = self.bench.checks();
        if self.loud {
            println!("  {checks} | {:?}", self.machine.n_checks);
        }
        for name in checks.split_whitespace() {
            *self.n_checks.entry(name.to_string()).or_default() += 1;
        }
        let literal = std::mem::take(&mut self.machine.n_checks);
        let all = std::mem::take(&mut self.n_checks);
        for vertex in &self.program.vertices {
            let name = vertex.name;
            let (mine, literal) = (all.get(name).copied().unwrap_or(0), literal.get(name).copied().unwrap_or(0));
            // How far a vertex gets that waits for a failed one depends on which was newer. And two that begin together
            // may run one after the other by the letter, so that news arrive in time for the second.
            let is_late = || mine == literal + 1 && self.hears_news(name, &all);
            if mine != literal && (self.machine.is_behind_failure(name) || is_late()) {
                return false;
            }
            // A vertex with `noop` is looked at whenever it is asked, and that depends on timing.
            assert!(
                vertex.noop || mine == literal,
                "{name} is checked {mine} times, and {literal} times by the letter"
            );
            assert_eq!(self.bench.failure(name).is_some(), self.machine.has_failed(name), "{name}");
        }
        true
    }
}

fn run(seed: u64, loud: bool) {
    let mut run = Run::new(seed, loud);
    for name in NAMES {
        run.rescript(name);
    }
    run.switch();
    run.compare();
    let mut n_turns = 0;
    while n_turns < 12 && run.turn() {
        n_turns += 1;
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "a long run is asked for from outside")]
fn checks_are_those_of_the_specification() {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = variable("MCLIVE_LITERAL_SEED") {
        run(seed, true);
        return;
    }
    let mut bad = Vec::new();
    for seed in 1..=variable("MCLIVE_LITERAL_SEEDS").unwrap_or(300) {
        if std::panic::catch_unwind(|| run(seed, false)).is_err() {
            bad.push(seed);
        }
    }
    assert!(bad.is_empty(), "{} seeds: {:?}", bad.len(), &bad[..bad.len().min(20)]);
}
