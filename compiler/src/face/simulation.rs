//! The simulated host in transfer form: the state that a player sees, and the actions that change it by hand.
//!
//! Plain data without any wasm, in the shapes of [`mclive_base::shapes::host`].

mod member;

use super::driver::{self, Driver};
use super::graphs;
use super::telling::{first_line, in_words, lines};
use crate::brain::Brain;
use crate::engine_language::Language;
use crate::fgraph::VertexId;
use crate::protocol::trace::{Header, Trace};
use crate::protocol::{Deploy, Input, Moment, Options, Phase, ResourceId, StopMode, What};
use crate::rgraph;
use crate::sim::{self, FileView, Replay, Sim, SimHost};
use crate::vocab::{FileKind, HostError};
use mclive_base::scenario::{Event, Flag};
use mclive_base::shapes::host::{
    HostAction, HostCard, HostFile, HostFileKind, HostHealth, LogLine, Replayed, ResourceState, Snapshot, Tone,
};
use mclive_base::shapes::{ResourceGraph, VERSION};
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
/// The most lines of one snapshot; the oldest are dropped.
const MAX_LINES: usize = 200;
/// The most files of one snapshot, and the most bytes shown of each.
const MAX_FILES: usize = 2_000;
const MAX_TEXT: usize = 16 << 10;

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

    /// Paths of files managed by resources of the graph in force, and resources that failed.
    pub(super) fn claims(&self) -> (Vec<String>, Vec<ResourceId>) {
        let graph = self.brain().graph();
        let of_kind = graph.resources.values().filter(|resource| &*resource.id.kind == "file");
        let paths = of_kind.map(|resource| resource.id.name.to_string()).filter(|path| path.starts_with('/'));
        let is_failed = |id: &&ResourceId| matches!(self.phases.get(&id.to_string()), Some((Phase::Failed, _)));
        let failed = graph.resources.values().map(|resource| &resource.id).filter(is_failed).cloned();
        (paths.collect(), failed.collect())
    }

    /// A file of the host as text. Errors: it is missing, or not text.
    pub(super) fn text_of(&self, path: &str) -> Option<Result<String, ()>> {
        let Driver::Host(sim) = &self.source else { return None };
        let world = sim.host.world();
        match world.stat(path) {
            None => Some(Err(())),
            Some(stat) if stat.kind == FileKind::File => {
                let bytes = world.read(path).ok().filter(|bytes| bytes.len() <= MAX_TEXT)?;
                String::from_utf8(bytes.to_vec()).ok().map(Ok)
            }
            Some(_) => None,
        }
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

    /// A summary of the host.
    pub(super) fn card(&self, host: &str, is_paused: bool) -> HostCard {
        let states: Vec<Phase> = self.states().into_iter().map(|state| state.phase).collect();
        let n_failed = states.iter().filter(|phase| **phase == Phase::Failed).count();
        let n_good = states.iter().filter(|phase| matches!(phase, Phase::InState | Phase::Changed)).count();
        let health = match self.stopped() {
            _ if is_paused => HostHealth::Paused,
            Some(why) => HostHealth::Stopped(why),
            None if n_failed > 0 => HostHealth::Failed(n_failed),
            None if self.converged => HostHealth::Converged,
            None if n_good == states.len() && self.generation > 0 => HostHealth::UpToDate,
            None => HostHealth::Working,
        };
        HostCard { host: host.to_owned(), health, n_resources: states.len(), n_good, load: self.load() }
    }

    pub(super) fn is_converged(&self) -> bool {
        self.converged
    }

    fn load(&self) -> u32 {
        match &self.source {
            Driver::Host(sim) => (sim.host.world().load[0] * 100.0) as u32,
            Driver::Trace(_) => 0,
        }
    }

    fn stopped(&self) -> Option<String> {
        match self.exit() {
            Some(status) => Some(format!("ended with status {status}")),
            None => self.failure.clone(),
        }
    }

    fn states(&self) -> Vec<ResourceState> {
        let graph = self.brain().graph();
        let ids = graph.resources.values().map(|resource| resource.id.to_string());
        let state = |id: String| {
            let (phase, text) = self.phases.get(&id).cloned().unwrap_or((Phase::Waiting, String::new()));
            ResourceState { id, phase, text }
        };
        ids.map(state).collect()
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

    /// The current state, with the log since the last call.
    pub fn snapshot(&mut self) -> Snapshot {
        let host = match &self.source {
            Driver::Host(sim) => sim.snapshot(),
            Driver::Trace(_) => sim::Snapshot { hostname: self.hostname.clone(), ..sim::Snapshot::default() },
        };
        let surplus = self.log.len().saturating_sub(MAX_LINES);
        self.n_log_dropped += surplus as u64;
        Snapshot {
            now_ms: self.now().0 / 1_000_000,
            clock_s: host.clock_ns.div_euclid(1_000_000_000),
            hostname: host.hostname,
            wake_ms: self.next_at().map(|at| at.0 / 1_000_000),
            converged: self.converged,
            replay: match &self.source {
                Driver::Host(_) => None,
                Driver::Trace(replay) => {
                    let (done, all) = replay.progress();
                    Some(Replayed { done, all })
                }
            },
            stopped: self.stopped(),
            generation: self.generation,
            resources: self.states(),
            values: self.values(),
            holdings: match &self.source {
                Driver::Host(sim) => sim.host.world().holdings(),
                Driver::Trace(_) => Vec::new(),
            },
            files: host.files.into_iter().take(MAX_FILES).map(shown).collect(),
            log: std::mem::take(&mut self.log).split_off(surplus),
            n_log_dropped: self.n_log_dropped,
        }
    }

    /// The resource graph in force.
    pub fn resource_graph(&self) -> ResourceGraph {
        match self.brain().sources() {
            Some(sources) => graphs::resources(&self.brain().graph(), sources),
            None => ResourceGraph { version: VERSION, ..ResourceGraph::default() },
        }
    }

    /// The same in DOT, as `mclive graph` prints it.
    pub fn resources_dot(&self) -> String {
        rgraph::dot(&self.brain().graph())
    }

    /// The initial vertices of a program keep their numbers, so these are the values of the graph shown by the
    /// compiler; vertices attached later follow.
    pub fn values(&self) -> Vec<Option<String>> {
        let Some(react) = self.brain().react() else { return Vec::new() };
        let n_ids = react.graph().ids().last().map_or(0, |last| last.0 + 1);
        let text = |id| react.value(VertexId(id)).map(|value| shortened(value.to_string()));
        (0..n_ids).map(text).collect()
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

/// At most [`MAX_TEXT`] bytes, and an ellipsis for the rest.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

fn shown(file: FileView) -> HostFile {
    let text = shortened(file.content.unwrap_or_default());
    HostFile {
        path: file.path,
        kind: match file.kind.as_str() {
            "dir" => HostFileKind::Dir,
            "link" => HostFileKind::Link,
            _ => HostFileKind::File,
        },
        mode: u32::from_str_radix(&file.mode, 8).unwrap_or(0),
        owner: file.owner,
        group: file.group,
        size: file.size as u64,
        text,
    }
}

/// Applies an action to a host.
fn change(sim: &mut Sim<Brain>, action: &HostAction) -> Result<(), HostError> {
    sim.change(|world| action.events().iter().try_for_each(|event| world.happen(event)))
}
