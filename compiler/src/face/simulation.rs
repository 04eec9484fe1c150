//! The simulated host as it crosses: what a player's window onto it shows, and what a player can
//! do to it behind the program's back.
//!
//! Plain data without any wasm, like [`super::dto`].

use super::dto::{ResourceGraph, VERSION};
use crate::brain::Brain;
use crate::fgraph::VertexId;
use crate::protocol::{self, Cause, Deploy, Event, Input, Moment, Options, What};
use crate::sim::{FileView, Sim, SimHost};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// A program at work on a simulated host.
pub struct Simulation {
    sim: Sim<Brain>,
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

/// Quiet for so long counts as converged. Units: seconds.
const CONVERGED_AFTER: i64 = 1;
/// Lines that one snapshot tells at most; the oldest go first.
const MAX_LINES: usize = 200;
/// Files that one snapshot shows at most, and how much of each.
const MAX_FILES: usize = 2_000;
const MAX_TEXT: usize = 16 << 10;

impl Simulation {
    /// A small host that was just started, without a program.
    pub fn new(hostname: &str) -> Simulation {
        Simulation {
            sim: Sim::new(Brain::new(), SimHost::new(hostname)),
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
        let options = Options {
            hostname: self.sim.host.world().hostname.clone(),
            converger_timeout: CONVERGED_AFTER,
            ..Options::default()
        };
        let files = files.into_iter().map(|(path, bytes)| (path.to_owned(), bytes.to_vec())).collect();
        self.failure = None;
        self.sim.tell(Input::Deploy(Deploy { files, entry: entry.to_owned(), options }));
        self.hear();
    }

    /// Lets simulated time pass; with `to_next` only until something happens. At most so many
    /// things happen: then it stays where it is, and the next call goes on.
    pub fn advance(&mut self, by_ms: u64, to_next: bool, max_steps: usize) {
        let until = self.sim.now().plus_ms(by_ms);
        let until = match self.sim.next_at().filter(|_| to_next) {
            Some(next) => next.min(until),
            None => until,
        };
        self.sim.advance(until, max_steps);
        self.hear();
    }

    /// Does something to the host. `Err` says why that cannot be done.
    pub fn act(&mut self, action: &HostAction) -> Result<(), String> {
        let done = match action {
            HostAction::Write { path, text } => self.sim.change(|world| world.write(path, text.as_bytes())),
            HostAction::Remove { path } => self.sim.change(|world| world.remove(path)),
            HostAction::ReplaceByDir { path } => self.sim.change(|world| {
                world.remove(path)?;
                world.make_dir(path)
            }),
            HostAction::SetMode { path, mode } => self.sim.change(|world| world.chmod(path, *mode)),
            HostAction::Rename { hostname } => {
                self.sim.change(|world| world.hostname.clone_from(hostname));
                Ok(())
            }
        };
        done.map_err(|error| error.to_string())?;
        let text = match action {
            HostAction::Write { path, .. } => format!("someone wrote {path}"),
            HostAction::Remove { path } => format!("someone removed {path}"),
            HostAction::ReplaceByDir { path } => format!("someone put a directory at {path}"),
            HostAction::SetMode { path, mode } => format!("someone set the mode of {path} to {mode:04o}"),
            HostAction::Rename { hostname } => format!("someone renamed the host to {hostname}"),
        };
        self.converged = false;
        self.log.push(LogLine { tone: Tone::Player, ..LogLine::at(self.sim.now(), text) });
        Ok(())
    }

    /// The host and the program now, with what was logged since the last time.
    pub fn snapshot(&mut self) -> Snapshot {
        let host = self.sim.snapshot();
        let graph = self.sim.machine.graph();
        let resources = graph.resources.values().map(|resource| {
            let id = resource.id.to_string();
            let (phase, text) = self.phases.get(&id).cloned().unwrap_or((Phase::Waiting, String::new()));
            ResourceState { id, phase, text }
        });
        let surplus = self.log.len().saturating_sub(MAX_LINES);
        self.n_log_dropped += surplus as u64;
        Snapshot {
            now_ms: self.sim.now().0 / 1_000_000,
            clock_s: host.clock_ns.div_euclid(1_000_000_000),
            hostname: host.hostname,
            wake_ms: self.sim.next_at().map(|at| at.0 / 1_000_000),
            converged: self.converged,
            stopped: match self.sim.exit() {
                Some(status) => Some(format!("ended with status {status}")),
                None => self.failure.clone(),
            },
            generation: self.generation,
            resources: resources.collect(),
            values: self.values(),
            files: host.files.into_iter().take(MAX_FILES).map(HostFile::from).collect(),
            log: std::mem::take(&mut self.log).split_off(surplus),
            n_log_dropped: self.n_log_dropped,
        }
    }

    /// The resource graph in force.
    pub fn resource_graph(&self) -> ResourceGraph {
        match self.sim.machine.sources() {
            Some(sources) => ResourceGraph::of(&self.sim.machine.graph(), sources),
            None => ResourceGraph { version: VERSION, ..ResourceGraph::default() },
        }
    }

    /// The vertices that a program starts with keep their numbers, so that these are the values of
    /// the graph that the compiler showed; what was attached later comes behind them.
    fn values(&self) -> Vec<Option<String>> {
        let Some(react) = self.sim.machine.react() else { return Vec::new() };
        let n_ids = react.graph().ids().last().map_or(0, |last| last.0 + 1);
        let text = |id| react.value(VertexId(id)).map(|value| shortened(value.to_string()));
        (0..n_ids).map(text).collect()
    }

    /// Takes in what the brain reported.
    fn hear(&mut self) {
        let reports = self.sim.take_reports();
        if reports.is_empty() {
            return;
        }
        let graph = self.sim.machine.graph();
        let present: BTreeSet<String> = graph.resources.values().map(|resource| resource.id.to_string()).collect();
        for event in reports {
            match &event.what {
                // Another resource of this name has taken its place already.
                What::Resource { id, phase: protocol::Phase::Removed, .. } if present.contains(&id.to_string()) => {
                    continue;
                }
                What::Resource { id, phase, text, .. } => {
                    self.phases.insert(id.to_string(), (Phase::from(*phase), text.clone()));
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

/// At most [`MAX_TEXT`] bytes, and an ellipsis for the rest.
fn shortened(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = (0..=MAX_TEXT).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

impl LogLine {
    fn at(at: Moment, text: impl Into<String>) -> LogLine {
        LogLine {
            at_ms: at.0 / 1_000_000,
            tone: Tone::Info,
            resource: None,
            text: text.into(),
            diff: None,
            because: Vec::new(),
        }
    }
}

/// An event as lines for people. What happens all the time is left out: pictures show it.
fn lines(event: &Event) -> Vec<LogLine> {
    let because: Vec<String> = event.because.iter().map(cause).collect();
    let line = |tone, text: &str| LogLine { tone, because: because.clone(), ..LogLine::at(event.at, text) };
    match &event.what {
        What::Refused { text } => vec![line(Tone::Bad, text)],
        What::Stream { text } => vec![line(Tone::Warn, text)],
        What::GraphSwitched { n_vertices, n_edges, added, removed, .. } => {
            let text = format!("a graph of {n_vertices} resources and {n_edges} edges ({added} new, {removed} gone)");
            vec![line(Tone::Info, &text)]
        }
        What::Resource { id, phase, text, .. } => {
            let tone = match phase {
                protocol::Phase::Failed => Tone::Bad,
                protocol::Phase::Retrying | protocol::Phase::Limited | protocol::Phase::WouldChange => Tone::Warn,
                protocol::Phase::Changed => Tone::Good,
                protocol::Phase::Removed => Tone::Quiet,
                protocol::Phase::Waiting
                | protocol::Phase::Checking
                | protocol::Phase::Applying
                | protocol::Phase::InState => return Vec::new(),
            };
            let text = match (phase, text.is_empty()) {
                (protocol::Phase::Changed, true) => "is as described again",
                (protocol::Phase::Removed, true) => "left the graph",
                (protocol::Phase::Failed, true) => "failed",
                (_, _) => text,
            };
            vec![LogLine { resource: Some(id.to_string()), ..line(tone, text) }]
        }
        What::Steps { id, steps } => steps
            .iter()
            .map(|step| LogLine {
                resource: Some(id.to_string()),
                diff: step.diff.clone(),
                ..line(Tone::Change, &step.summary)
            })
            .collect(),
        What::Converged { .. } => vec![line(Tone::Good, "converged: all is as described, and quiet")],
        What::Unconverged => Vec::new(),
        What::Log { text } => vec![line(Tone::Info, text)],
    }
}

fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Deployed => "the program was started".into(),
        Cause::Started => "it started".into(),
        Cause::Fact { name } => format!("{name} changed"),
        Cause::Fired { path } => format!("{path} changed"),
        Cause::Timer { reason } => reason.clone(),
        Cause::Poked { by } => format!("{by} settled"),
        Cause::Notified { by } => format!("{by} notified it"),
        Cause::Received { from, field } => format!("{from} sent {field}"),
        Cause::Vertex { label } => label.clone(),
    }
}

impl From<protocol::Phase> for Phase {
    fn from(phase: protocol::Phase) -> Phase {
        match phase {
            protocol::Phase::Waiting => Phase::Waiting,
            protocol::Phase::Checking => Phase::Checking,
            protocol::Phase::Applying => Phase::Applying,
            protocol::Phase::InState => Phase::InState,
            protocol::Phase::Changed => Phase::Changed,
            protocol::Phase::WouldChange => Phase::WouldChange,
            protocol::Phase::Retrying => Phase::Retrying,
            protocol::Phase::Limited => Phase::Limited,
            protocol::Phase::Failed => Phase::Failed,
            protocol::Phase::Removed => Phase::Removed,
        }
    }
}

impl From<FileView> for HostFile {
    fn from(file: FileView) -> HostFile {
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
}

/// What someone does to the host while the program runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostAction {
    /// Writes a file, and the directories above it.
    Write {
        path: String,
        text: String,
    },
    /// Removes a file, a link, or a directory with all below.
    Remove {
        path: String,
    },
    /// Puts an empty directory where a file was.
    ReplaceByDir {
        path: String,
    },
    SetMode {
        path: String,
        mode: u32,
    },
    /// Changes what the host is called.
    Rename {
        hostname: String,
    },
}

/// The host and the program on it at one moment.
#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
pub struct Snapshot {
    /// Simulated time since the start. Units: milliseconds.
    pub now_ms: u64,
    /// Seconds since 1970 on the host's clock.
    pub clock_s: i64,
    pub hostname: String,
    /// When the program next does something by itself, if at all.
    pub wake_ms: Option<u64>,
    pub converged: bool,
    /// Why the program does not run, if so: a run-time error, or an end.
    pub stopped: Option<String>,
    /// Rises with each new resource graph.
    pub generation: u64,
    /// In the order of the resource graph.
    pub resources: Vec<ResourceState>,
    /// The values of the function graph's vertices in their order; `None`: none yet.
    pub values: Vec<Option<String>>,
    /// Sorted by path.
    pub files: Vec<HostFile>,
    /// What was reported since the last snapshot, oldest first.
    pub log: Vec<LogLine>,
    /// Lines that were left out because there were too many.
    pub n_log_dropped: u64,
}

/// Where one resource is in its life.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ResourceState {
    /// `kind[name]`.
    pub id: String,
    pub phase: Phase,
    /// A few words more: the step, the reason.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Phase {
    Waiting,
    Checking,
    Applying,
    InState,
    Changed,
    WouldChange,
    Retrying,
    Limited,
    Failed,
    Removed,
}

/// A file of the simulated host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HostFile {
    pub path: String,
    pub kind: HostFileKind,
    /// The twelve permission bits.
    pub mode: u32,
    pub owner: String,
    pub group: String,
    /// Bytes.
    pub size: u64,
    /// The content as text, shortened when long; a link's target.
    pub text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum HostFileKind {
    File,
    Dir,
    Link,
}

/// One line of the log.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LogLine {
    pub at_ms: u64,
    pub tone: Tone,
    /// The resource it is about, as `kind[name]`.
    pub resource: Option<String>,
    pub text: String,
    /// A unified difference of a file's content.
    pub diff: Option<String>,
    /// Why it happened, outermost first.
    pub because: Vec<String>,
}

/// What a line looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Tone {
    Quiet,
    Info,
    Good,
    Change,
    Warn,
    Bad,
    /// Done by a person behind the program's back.
    Player,
}
