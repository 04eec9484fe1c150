//! The simulated host as it crosses: what a player's window onto it shows, and what a player can
//! do to it behind the program's back.
//!
//! Plain data without any wasm, in the shapes of [`mclive_base::shapes::host`].

use super::graphs;
use super::telling::{first_line, lines};
use crate::brain::Brain;
use crate::engine_language::Language;
use crate::fgraph::VertexId;
use crate::protocol::trace::Trace;
use crate::protocol::{Deploy, Input, Moment, Options, Phase, What};
use crate::sim::{self, Command, FileView, Replay, Scripted, Sim, SimHost};
use crate::vocab::HostError;
use mclive_base::shapes::host::{HostAction, HostFile, HostFileKind, LogLine, Replayed, ResourceState, Snapshot, Tone};
use mclive_base::shapes::{ResourceGraph, VERSION};
use std::collections::BTreeMap;

/// A program at work on a simulated host.
pub struct Simulation {
    /// What its brain understands.
    languages: Vec<&'static dyn Language>,
    source: Driver,
    hostname: String,
    /// The last phase and words of each resource that was heard of.
    phases: BTreeMap<String, (Phase, String)>,
    converged: bool,
    /// A run-time error that is not over yet.
    failure: Option<String>,
    generation: u64,
    /// What was reported and not yet told.
    log: Vec<LogLine>,
    n_log_dropped: u64,
}

/// A recorded run that was opened.
pub struct Recorded {
    pub simulation: Simulation,
    /// The text of the first program's main file.
    pub program: Option<String>,
}

/// Where what happens comes from.
enum Driver {
    Host(Box<Sim<Brain>>),
    /// A run that was recorded elsewhere: its host is not here, and what happened has happened.
    Trace(Box<Replay<Brain>>),
}

/// Quiet for so long counts as converged. Units: seconds.
const CONVERGED_AFTER: i64 = 1;
/// Lines that one snapshot tells at most; the oldest go first.
const MAX_LINES: usize = 200;
/// Files that one snapshot shows at most, and how much of each.
const MAX_FILES: usize = 2_000;
const MAX_TEXT: usize = 16 << 10;

impl Simulation {
    /// A small host that was just started, without a program.
    pub fn new(languages: Vec<&'static dyn Language>, hostname: &str) -> Simulation {
        let sim = Sim::new(Brain::speaking(languages.clone()), SimHost::new(hostname));
        Simulation::of(languages, Driver::Host(Box::new(sim)), hostname)
    }

    /// A recorded run, from its beginning.
    ///
    /// Errors: what the bytes are instead.
    pub fn replay(languages: Vec<&'static dyn Language>, trace: &[u8]) -> Result<Recorded, String> {
        let trace = Trace::read(trace)?;
        let (hostname, program) = (trace.header.hostname.clone(), program(&trace));
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
            log: Vec::new(),
            n_log_dropped: 0,
        }
    }

    /// Runs this program from now on.
    pub fn deploy<'a>(&mut self, files: impl IntoIterator<Item = (&'a str, &'a [u8])>, entry: &str) {
        if let Driver::Trace(_) = self.source {
            *self = Simulation::new(self.languages.clone(), &self.hostname);
        }
        let Driver::Host(sim) = &mut self.source else { return };
        let options = Options {
            hostname: sim.host.world().hostname.clone(),
            converger_timeout: CONVERGED_AFTER,
            ..Options::default()
        };
        let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
        self.failure = None;
        sim.tell(Input::Deploy(Deploy { files, entry: entry.to_owned(), options }));
        self.hear();
    }

    /// Lets simulated time pass; with `to_next` only until something happens. At most so many
    /// things happen: then it stays where it is, and the next call goes on.
    pub fn advance(&mut self, by_ms: u64, to_next: bool, max_steps: usize) {
        let until = self.now().plus_ms(by_ms);
        let until = match self.next_at().filter(|_| to_next) {
            Some(next) => next.min(until),
            None => until,
        };
        match &mut self.source {
            Driver::Host(sim) => sim.advance(until, max_steps),
            Driver::Trace(replay) => replay.advance(until, max_steps),
        };
        self.hear();
    }

    /// Makes the host what a program is to find there: nobody is told of it. What cannot be done is left out.
    pub fn prepare(&mut self, actions: &[HostAction]) {
        if let Driver::Host(sim) = &mut self.source {
            actions.iter().for_each(|action| drop(change(sim, action)));
        }
    }

    /// Does something to the host. `Err` says why that cannot be done.
    pub fn act(&mut self, action: &HostAction) -> Result<(), String> {
        let Driver::Host(sim) = &mut self.source else {
            return Err("this run was recorded: what happened to its host has happened".to_owned());
        };
        change(sim, action).map_err(|error| error.to_string())?;
        let text = format!("someone {}", in_words(action));
        self.converged = false;
        self.log.push(LogLine { tone: Tone::Player, ..LogLine::at(self.now(), text) });
        Ok(())
    }

    /// The host and the program now, with what was logged since the last time.
    pub fn snapshot(&mut self) -> Snapshot {
        let host = match &self.source {
            Driver::Host(sim) => sim.snapshot(),
            Driver::Trace(_) => sim::Snapshot { hostname: self.hostname.clone(), ..sim::Snapshot::default() },
        };
        let graph = self.brain().graph();
        let resources = graph.resources.values().map(|resource| {
            let id = resource.id.to_string();
            let (phase, text) = self.phases.get(&id).cloned().unwrap_or((Phase::Waiting, String::new()));
            ResourceState { id, phase, text }
        });
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
                    Some(Replayed { done, all, digest: replay.digest() })
                }
            },
            stopped: match self.exit() {
                Some(status) => Some(format!("ended with status {status}")),
                None => self.failure.clone(),
            },
            generation: self.generation,
            resources: resources.collect(),
            values: self.values(),
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

    /// The vertices that a program starts with keep their numbers, so that these are the values of
    /// the graph that the compiler showed; what was attached later comes behind them.
    pub fn values(&self) -> Vec<Option<String>> {
        let Some(react) = self.brain().react() else { return Vec::new() };
        let n_ids = react.graph().ids().last().map_or(0, |last| last.0 + 1);
        let text = |id| react.value(VertexId(id)).map(|value| shortened(value.to_string()));
        (0..n_ids).map(text).collect()
    }

    fn brain(&self) -> &Brain {
        match &self.source {
            Driver::Host(sim) => &sim.machine,
            Driver::Trace(replay) => &replay.machine,
        }
    }

    fn now(&self) -> Moment {
        match &self.source {
            Driver::Host(sim) => sim.now(),
            Driver::Trace(replay) => replay.now(),
        }
    }

    fn next_at(&self) -> Option<Moment> {
        match &self.source {
            Driver::Host(sim) => sim.next_at(),
            Driver::Trace(replay) => replay.next_at(),
        }
    }

    fn exit(&self) -> Option<i32> {
        match &self.source {
            Driver::Host(sim) => sim.exit(),
            Driver::Trace(replay) => replay.exit(),
        }
    }

    /// Takes in what the brain reported.
    fn hear(&mut self) {
        let reports = match &mut self.source {
            Driver::Host(sim) => sim.take_reports(),
            Driver::Trace(replay) => replay.take_reports(),
        };
        for event in reports {
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
                What::Steps { .. } | What::Log { .. } => {}
            }
            self.log.extend(lines(&event));
        }
    }
}

fn program(trace: &Trace) -> Option<String> {
    let deploy = trace.inputs.iter().find_map(|(_, input)| match input {
        Input::Deploy(deploy) => Some(deploy),
        _ => None,
    })?;
    let in_dir = format!("{}/main.mcl", deploy.entry.trim_end_matches('/'));
    let (_, bytes) = deploy.files.iter().find(|(path, _)| *path == deploy.entry || *path == in_dir)?;
    String::from_utf8(bytes.clone()).ok()
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

/// Does to a host what an action says.
fn change(sim: &mut Sim<Brain>, action: &HostAction) -> Result<(), HostError> {
    sim.change(|world| match action {
        HostAction::Write { path, text } => world.write(path, text.as_bytes()),
        HostAction::Remove { path } => world.remove(path),
        HostAction::ReplaceByDir { path } => {
            world.remove(path)?;
            world.make_dir(path)
        }
        HostAction::SetMode { path, mode } => world.chmod(path, *mode),
        HostAction::MakeDir { path } => world.make_dir(path),
        HostAction::Link { path, to } => world.symlink(path, to),
        HostAction::Command { line, prints, status, takes_ms } => {
            let run =
                Scripted { status: *status, stdout: prints.clone(), duration_ms: *takes_ms, ..Scripted::default() };
            world.set_command(Command { line: line.clone(), runs: vec![run] });
            Ok(())
        }
        HostAction::Environment { name, value } => {
            world.env.insert(name.clone(), value.clone());
            Ok(())
        }
        HostAction::Load { percent } => {
            world.load = [f64::from(*percent) / 100.0; 3];
            Ok(())
        }
        HostAction::Rename { hostname } => {
            world.hostname.clone_from(hostname);
            Ok(())
        }
    })
}

/// What somebody did, behind "someone".
fn in_words(action: &HostAction) -> String {
    match action {
        HostAction::Write { path, .. } => format!("wrote {path}"),
        HostAction::Remove { path } => format!("removed {path}"),
        HostAction::ReplaceByDir { path } => format!("put a directory at {path}"),
        HostAction::SetMode { path, mode } => format!("set the mode of {path} to {mode:04o}"),
        HostAction::MakeDir { path } => format!("made the directory {path}"),
        HostAction::Link { path, to } => format!("made {path} a link to {to}"),
        HostAction::Command { line, .. } => format!("changed what {line} does"),
        HostAction::Environment { name, .. } => format!("set {name} in the environment"),
        HostAction::Load { percent } => format!("set the load to {percent} %"),
        HostAction::Rename { hostname } => format!("renamed the host to {hostname}"),
    }
}
