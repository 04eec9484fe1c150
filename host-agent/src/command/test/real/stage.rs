//! The stage: the agent as a process, and its recorded output.

use super::room;
use crate::process::{Child, Purpose, Start};
use mclive_base::layout;
use mclive_base::scenario::Flag;
use mclive_base::shapes::{RunEvent, RunLine, RunPhase};
use rustix::process::Signal;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::ExitStatus;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The number of log lines kept; the oldest are dropped.
const LONGEST_LOG: usize = 200;
/// The agent is quiet after no output for this long.
const QUIET: Duration = Duration::from_millis(300);
/// How long the agent may take to end.
const LAST_MOMENT: Duration = Duration::from_secs(20);

/// A line of the agent's output or standard error.
enum Heard {
    Line(String),
    Complaint(String),
}

/// The host of a room, with or without an agent.
pub(super) struct Stage {
    agent: Option<Child>,
    heard: Option<Receiver<Heard>>,
    pub(super) ended: Option<ExitStatus>,
    began: Instant,
    last_heard: Instant,
    /// The agent reported its first graph, or why there is none.
    is_up: bool,
    /// Environment variables for the next agent.
    pub(super) environment: BTreeMap<String, String>,
    /// The program given last, as `/main.mcl`.
    pub(super) entry: String,
    /// The kinds of its resources.
    pub(super) kinds: Vec<String>,
    pub(super) log: Vec<String>,
    pub(super) said: String,
    /// The last phase of each resource, by `kind[name]`.
    pub(super) phases: BTreeMap<String, RunPhase>,
    /// Steps since the last event of the scenario.
    pub(super) steps: BTreeMap<String, usize>,
    pub(super) n_steps: usize,
    /// The reported run-time errors.
    pub(super) errors: String,
}

impl Stage {
    pub(super) fn new() -> Stage {
        let now = Instant::now();
        Stage {
            agent: None,
            heard: None,
            ended: None,
            began: now,
            last_heard: now,
            is_up: false,
            environment: BTreeMap::new(),
            entry: "/main.mcl".into(),
            kinds: Vec::new(),
            log: Vec::new(),
            said: String::new(),
            phases: BTreeMap::new(),
            steps: BTreeMap::new(),
            n_steps: 0,
            errors: String::new(),
        }
    }

    /// Starts the agent; a running one is killed first.
    pub(super) fn run(&mut self, program: Option<&str>, flags: &[Flag]) -> Result<(), String> {
        let mains = layout::ALL.iter().map(|layout| layout.main);
        let there = |main: &&str| std::path::Path::new(room::PROGRAM).join(main).exists();
        let program = program.or_else(|| mains.clone().find(there)).unwrap_or(layout::MCL.main);
        self.leave();
        self.ended = None;
        self.phases.clear();
        self.errors.clear();
        self.is_up = false;
        let start = Start::new(room::EXE, Purpose::Look)
            .args(["run", "--json", "--prefix", room::STATE])
            .args(flags.iter().flat_map(words))
            .args([format!("{}/{program}", room::PROGRAM)])
            .dir("/")
            .env([("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"), ("HOME", "/root"), ("LANG", "C.UTF-8")])
            .env(&self.environment);
        let mut agent = start.heard().begin().map_err(|fault| format!("the agent failed to start: {fault}"))?;
        let (sender, heard) = channel();
        listen(agent.stdout(), sender.clone(), Heard::Line);
        listen(agent.stderr(), sender, Heard::Complaint);
        (self.agent, self.heard, self.last_heard) = (Some(agent), Some(heard), Instant::now());
        self.entry = format!("/{program}");
        Ok(())
    }

    /// Kills the running agent.
    pub(super) fn leave(&mut self) {
        self.agent = None;
        self.listen();
        self.heard = None;
    }

    pub(super) fn signal(&mut self, signal: Signal) {
        if let Some(agent) = &self.agent {
            agent.group().signal_leader(signal);
        }
    }

    /// Stops the agent gracefully if possible.
    pub(super) fn close(&mut self) {
        self.signal(Signal::INT);
        let end = Instant::now() + LAST_MOMENT;
        while self.runs() && Instant::now() < end {
            thread::sleep(Duration::from_millis(2));
        }
        self.leave();
    }

    pub(super) fn runs(&mut self) -> bool {
        if let Some(agent) = &mut self.agent
            && let Some(status) = agent.ended()
        {
            self.agent = None;
            self.ended = Some(status);
            // Its last lines may still be in the pipe.
            while let Some(heard) = &self.heard {
                match heard.recv_timeout(Duration::from_secs(1)) {
                    Ok(heard) => self.hear(heard),
                    Err(_) => self.heard = None,
                }
            }
        }
        self.agent.is_some()
    }

    /// Nothing is in progress, and there was no output for a while.
    pub(super) fn is_quiet(&mut self) -> bool {
        self.listen();
        if !self.runs() {
            return true;
        }
        let is_busy = |phase: &RunPhase| matches!(phase, RunPhase::Checking | RunPhase::Applying);
        self.is_up && self.last_heard.elapsed() >= QUIET && !self.phases.values().any(is_busy)
    }

    pub(super) fn n_steps_of(&self, of: Option<&str>) -> usize {
        match of {
            Some(id) => self.steps.get(id).copied().unwrap_or(0),
            None => self.steps.values().sum(),
        }
    }

    /// Reads the pending output.
    pub(super) fn listen(&mut self) {
        while let Some(heard) = self.heard.as_ref().and_then(|heard| heard.try_recv().ok()) {
            self.hear(heard);
        }
    }

    fn hear(&mut self, heard: Heard) {
        self.last_heard = Instant::now();
        let line = match heard {
            Heard::Complaint(line) => line,
            Heard::Line(line) => match serde_json::from_str::<RunLine>(&line) {
                Ok(line) => match self.event(line.what) {
                    Some(line) => line,
                    None => return,
                },
                Err(_) => line,
            },
        };
        self.said.push_str(&line);
        self.said.push('\n');
        if self.log.len() == LONGEST_LOG {
            self.log.remove(0);
        }
        self.log.push(format!("{:>9.3} s  {line}", self.began.elapsed().as_secs_f64()));
    }

    /// An event in words, as a simulated host says it.
    fn event(&mut self, event: RunEvent) -> Option<String> {
        match event {
            RunEvent::Resource { resource, phase, text, .. } => {
                self.phases.insert(resource.clone(), phase);
                let is_routine =
                    matches!(phase, RunPhase::Checking | RunPhase::Applying | RunPhase::Waiting | RunPhase::InState);
                (!is_routine && !text.is_empty()).then(|| format!("{resource}: {text}"))
            }
            RunEvent::Steps { resource, steps, .. } => {
                self.n_steps += steps.len();
                *self.steps.entry(resource.clone()).or_default() += steps.len();
                // The line of `print` itself follows.
                if resource.starts_with("print[") {
                    return None;
                }
                let words: Vec<&str> = steps.iter().map(|step| step.summary.as_str()).collect();
                Some(format!("{resource}: {}", words.join("; ")))
            }
            RunEvent::Refused { text, .. } | RunEvent::Stream { text, .. } => {
                self.is_up = true;
                self.errors.push_str(&text);
                Some(text)
            }
            RunEvent::Graph { kinds, .. } => {
                self.is_up = true;
                self.kinds = kinds.into_keys().collect();
                None
            }
            RunEvent::Log { text } => Some(text),
            RunEvent::Print { resource, text } => Some(format!("{resource}: {text}")),
            RunEvent::Grouped { .. }
            | RunEvent::Origin { .. }
            | RunEvent::Converged { .. }
            | RunEvent::Unconverged
            | RunEvent::Summary { .. } => None,
        }
    }
}

/// Reads a stream line by line until the receiver is dropped.
fn listen(stream: Option<impl Read + Send + 'static>, to: Sender<Heard>, as_what: fn(String) -> Heard) {
    let Some(stream) = stream else { return };
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            if to.send(as_what(String::from_utf8_lossy(&line).into_owned())).is_err() {
                return;
            }
        }
    });
}

fn words(flag: &Flag) -> Vec<String> {
    let with = |name: &str, value: String| vec![name.to_owned(), value];
    match flag {
        Flag::Noop => vec!["--noop".into()],
        Flag::Once => vec!["--once".into()],
        Flag::Hostname(name) => with("--hostname", name.clone()),
        Flag::Sema(most) => with("--sema", most.to_string()),
        Flag::MaxRuntime(seconds) => with("--max-runtime", seconds.to_string()),
        Flag::ConvergerTimeout(seconds) => with("--converger-timeout", seconds.to_string()),
        Flag::ConvergedExit => vec!["--converged-exit".into()],
        Flag::NoAutoedges => vec!["--no-autoedges".into()],
        Flag::NoAutogroup => vec!["--no-autogroup".into()],
        Flag::NoWatch => vec!["--no-watch".into()],
        Flag::ConvergerStatusFile(file) => with("--converger-status-file", file.clone()),
    }
}
