//! [`Host`]: one simulated host of a scenario, the agent on it, and its reports.

use crate::brain::Brain;
use crate::language::Language;
use crate::protocol::{Event, Input, Moment, Options, Phase, ResourceId, StopMode, What};
use crate::reached::Reached;
use crate::sim::{Member, News, Sim, SimHost};
use crate::step::Flag;
use std::collections::BTreeMap;

/// One host with or without an agent.
pub(crate) struct Host {
    pub(crate) sim: Sim<Brain>,
    languages: Vec<&'static dyn Language>,
    /// Whether the agent was started and not killed; it may have ended.
    pub(crate) has_agent: bool,
    /// The number of requests to stop.
    n_stops: usize,
    /// Inputs received while the host was paused, and programs deployed while it was disconnected.
    held: Vec<Input>,
    /// Where it writes whether the host has converged.
    pub(crate) status_file: Option<String>,
    /// The input of the last program, such as `/main.mcl`.
    pub(crate) entry: String,
    /// Reports in words, not taken yet, with their moments.
    news: Vec<(Moment, String)>,
    /// All reports in words, without moments: searched by claims about output.
    pub(crate) said: String,
    /// The last phase of each resource.
    pub(crate) phases: BTreeMap<ResourceId, Phase>,
    /// Steps since the last event of the scenario.
    pub(crate) steps: BTreeMap<ResourceId, usize>,
    /// Steps since the beginning.
    pub(crate) n_steps: usize,
    /// Reports of run-time errors.
    pub(crate) errors: String,
}

impl Host {
    pub(crate) fn new(name: &str, languages: Vec<&'static dyn Language>) -> Host {
        Host {
            sim: Sim::new(Brain::speaking(languages.clone()), SimHost::new(name)),
            languages,
            has_agent: false,
            n_stops: 0,
            held: Vec::new(),
            status_file: None,
            entry: String::new(),
            news: Vec::new(),
            said: String::new(),
            phases: BTreeMap::new(),
            steps: BTreeMap::new(),
            n_steps: 0,
            errors: String::new(),
        }
    }

    /// Kills the running agent; the host stays.
    pub(crate) fn leave(&mut self) {
        self.sim.replace(Brain::speaking(self.languages.clone()));
        self.has_agent = false;
        self.n_stops = 0;
        self.held.clear();
        self.phases.clear();
        self.errors.clear();
    }

    /// The next stop, as an agent handles successive signals.
    pub(crate) fn next_stop(&mut self) -> StopMode {
        self.n_stops += 1;
        match self.n_stops {
            1 => StopMode::Graceful,
            2 => StopMode::Soft,
            _ => StopMode::Hard,
        }
    }

    /// Passes an input to the agent, or delays it.
    pub(crate) fn tell(&mut self, input: Input, is_held: bool) {
        match is_held {
            true => self.held.push(input),
            false => self.sim.tell(input),
        }
    }

    /// Delivers the inputs that were delayed: the last program only, and not while the host is disconnected.
    pub(crate) fn catch_up(&mut self, is_disconnected: bool) {
        let is_deploy = |input: &Input| matches!(input, Input::Deploy(_));
        let held = std::mem::take(&mut self.held);
        let last = held.iter().rposition(is_deploy);
        for (at, input) in held.into_iter().enumerate() {
            match is_deploy(&input) {
                true if is_disconnected => self.held.push(input),
                true if last != Some(at) => {}
                _ => self.sim.tell(input),
            }
        }
    }

    pub(crate) fn options(&self, flags: &[Flag]) -> Options {
        Flag::options(&self.sim.host.world().hostname, flags)
    }

    pub(crate) fn n_steps_of(&self, of: Option<&ResourceId>) -> usize {
        match of {
            Some(id) => self.steps.get(id).copied().unwrap_or(0),
            None => self.steps.values().sum(),
        }
    }

    /// Takes the reports, and returns them in words.
    pub(crate) fn listen(&mut self, reached: &mut Reached) -> Vec<(Moment, String)> {
        for event in self.sim.take_reports() {
            self.hear(event, reached);
        }
        std::mem::take(&mut self.news)
    }

    fn write_status(&mut self, line: &str) {
        let Some(file) = self.status_file.clone() else { return };
        let written = self.sim.change(|world| {
            let mut content = world.read(&file).map(<[u8]>::to_vec).unwrap_or_default();
            content.extend_from_slice(line.as_bytes());
            world.write(&file, content)?;
            world.chmod(&file, 0o600)
        });
        if let Err(error) = written {
            self.news.push((self.sim.now(), format!("cannot write {file}: {}", error.message)));
        }
    }

    fn hear(&mut self, event: Event, reached: &mut Reached) {
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
                // Printed lines are reported separately.
                if &*id.kind == "print" {
                    return;
                }
                let words: Vec<&str> = steps.iter().map(|step| step.summary.as_str()).collect();
                format!("{id}: {}", words.join("; "))
            }
            What::Refused { text } | What::Stream { text } => {
                self.errors.push_str(&text);
                text
            }
            What::GraphSwitched { .. } => {
                reached.see(&self.sim.machine.graph(), self.sim.machine.sources());
                return;
            }
            What::Log { text } => text,
            What::Converged { .. } => return self.write_status("true\n"),
            What::Unconverged => return self.write_status("false\n"),
            What::Grouped { .. } => return,
        };
        self.said.push_str(&line);
        self.said.push('\n');
        self.news.push((event.at, line));
    }
}

impl Member for Host {
    fn next_at(&self) -> Option<Moment> {
        self.sim.next_at()
    }

    fn skip(&mut self, to: Moment) {
        self.sim.skip(to);
    }

    fn step(&mut self, until: Moment) -> bool {
        self.sim.step(until)
    }

    fn take_news(&mut self) -> News {
        self.sim.change(|world| world.take_news())
    }

    fn hear(&mut self, news: &News) {
        self.sim.change(|world| world.hear(news));
    }

    fn disconnect(&mut self, since: Moment) {
        self.sim.change(|world| world.disconnect(since));
    }

    fn reconnect(&mut self, missed: &News) {
        self.sim.change(|world| world.reconnect(missed));
    }

    fn known_as(&self) -> Option<String> {
        self.sim.host.world().known_as.clone()
    }

    fn released(&self) -> BTreeMap<String, Moment> {
        self.sim.host.released()
    }
}
