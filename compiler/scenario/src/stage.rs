//! The stage: the brain, its simulated host, and what was heard of them.

use crate::brain::Brain;
use crate::protocol::{Event, Moment, Phase, ResourceId, What};
use crate::reached::Reached;
use crate::sim::{Sim, SimHost};
use std::collections::BTreeMap;

/// Lines of the log that are kept; the oldest go.
const LONGEST_LOG: usize = 200;

/// One host with an agent on it, or none.
pub(crate) struct Stage {
    pub(crate) sim: Sim<Brain>,
    /// The agent was started and not killed; it may have ended.
    pub(crate) has_agent: bool,
    /// The input of the program that was given last, as `/main.mcl`.
    pub(crate) entry: String,
    /// What was said, in words, with the moment.
    pub(crate) log: Vec<String>,
    /// Everything that was said, without moments: what claims about outputs look through.
    pub(crate) said: String,
    /// The last phase of each resource.
    pub(crate) phases: BTreeMap<ResourceId, Phase>,
    /// Steps since the last event of the scenario.
    pub(crate) steps: BTreeMap<ResourceId, usize>,
    /// Steps since the beginning.
    pub(crate) n_steps: usize,
    /// What was told of errors at run time.
    pub(crate) errors: String,
    pub(crate) reached: Reached,
}

impl Stage {
    pub(crate) fn new() -> Stage {
        Stage {
            sim: Sim::new(Brain::new(), SimHost::new("host1")),
            has_agent: false,
            entry: "/main.mcl".into(),
            log: Vec::new(),
            said: String::new(),
            phases: BTreeMap::new(),
            steps: BTreeMap::new(),
            n_steps: 0,
            errors: String::new(),
            reached: Reached::default(),
        }
    }

    /// The agent that runs is gone without a word; the host stays.
    pub(crate) fn leave(&mut self) {
        let mut host = std::mem::replace(&mut self.sim, Sim::new(Brain::new(), SimHost::new(""))).host;
        host.restart();
        self.sim = Sim::new(Brain::new(), host);
        self.has_agent = false;
        self.phases.clear();
        self.errors.clear();
    }

    pub(crate) fn n_steps_of(&self, of: Option<&ResourceId>) -> usize {
        match of {
            Some(id) => self.steps.get(id).copied().unwrap_or(0),
            None => self.steps.values().sum(),
        }
    }

    /// The next thing that happens, no later than `until`. `false`: nothing does.
    pub(crate) fn step(&mut self, until: Moment) -> bool {
        let happens = self.sim.step(until);
        if happens {
            self.listen();
        }
        happens
    }

    /// Takes in what was said.
    pub(crate) fn listen(&mut self) {
        for event in self.sim.take_reports() {
            self.hear(event);
        }
    }

    fn hear(&mut self, event: Event) {
        let line = match event.what {
            What::Resource { id, phase, text, .. } => {
                self.phases.insert(id.clone(), phase);
                if matches!(phase, Phase::Checking | Phase::Applying | Phase::Waiting | Phase::InState) {
                    return;
                }
                if text.is_empty() {
                    return;
                }
                format!("{id}: {text}")
            }
            What::Steps { id, steps } => {
                self.n_steps += steps.len();
                *self.steps.entry(id.clone()).or_default() += steps.len();
                let words: Vec<&str> = steps.iter().map(|step| step.summary.as_str()).collect();
                format!("{id}: {}", words.join("; "))
            }
            What::Refused { text } | What::Stream { text } => {
                self.errors.push_str(&text);
                text
            }
            What::GraphSwitched { .. } => {
                self.reached.see(&self.sim.machine.graph(), self.sim.machine.sources());
                return;
            }
            What::Log { text } => text,
            What::Converged { .. } | What::Unconverged => return,
        };
        self.said.push_str(&line);
        self.said.push('\n');
        if self.log.len() == LONGEST_LOG {
            self.log.remove(0);
        }
        self.log.push(format!("{:>9.3} s  {line}", event.at.0 as f64 / 1e9));
    }
}
