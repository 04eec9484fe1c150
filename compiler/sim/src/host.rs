//! [`SimHost`]: takes the brain's outputs, and hands back inputs when their time has come.

mod subscriptions;

use super::facts::{self, Occasion};
use super::job::{Job, Lines, Next, Work, interrupted};
use super::process::{Process, State};
use super::snapshot::LogLine;
use super::watches::Watches;
use super::world::World;
use crate::protocol::{Input, Moment, Output, ResourceId, StopMode, Ticket};
use crate::vocab::{CommandSpec, Datum, FactSpec, HostError, HostErrorKind, WatchSpec};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// State files by resource and name: content and time of change in nanoseconds since 1970.
pub(super) type States = BTreeMap<(ResourceId, String), (Vec<u8>, i64)>;

/// A simulated host.
pub struct SimHost {
    pub(super) world: World,
    pub(super) states: States,
    now: Moment,
    /// How long a look or a change takes. Units: milliseconds.
    latency_ms: u64,
    due: BTreeMap<(Moment, u64), Due>,
    n_due: u64,
    pub(super) jobs: BTreeMap<Ticket, Job>,
    watching: BTreeMap<Ticket, Watching>,
    watches: Watches,
    /// Told, and not yet heard.
    fired: BTreeSet<Ticket>,
    facts: BTreeMap<Ticket, Subscription>,
    log: VecDeque<LogLine>,
    /// Lines that fell out of the log.
    n_forgotten: usize,
}

enum Due {
    Answer(Input),
    Job(Ticket),
    FactTick(Ticket),
    WatchTick(Ticket),
    WatchCommand(Ticket, usize),
    FactCommand(Ticket),
}

struct Watching {
    spec: WatchSpec,
    commands: Vec<Lines>,
}

struct Subscription {
    spec: FactSpec,
    last: Option<Result<Datum, HostError>>,
    lines: Option<Lines>,
}

/// Lines of the log that are kept.
const LONGEST_LOG: usize = 2000;

impl SimHost {
    pub fn new(hostname: &str) -> SimHost {
        SimHost {
            world: World::new(hostname),
            states: States::new(),
            now: Moment::default(),
            latency_ms: 1,
            due: BTreeMap::new(),
            n_due: 0,
            jobs: BTreeMap::new(),
            watching: BTreeMap::new(),
            watches: Watches::default(),
            fired: BTreeSet::new(),
            facts: BTreeMap::new(),
            log: VecDeque::new(),
            n_forgotten: 0,
        }
    }

    /// How long a look or a change takes from now on.
    pub fn set_latency_ms(&mut self, ms: u64) {
        self.latency_ms = ms;
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// Whoever runs on this host has gone, without a word: what it had begun is over. Files, state
    /// files and stores stay. The clock goes on.
    pub fn restart(&mut self) {
        self.due.clear();
        self.jobs.clear();
        self.watching.clear();
        self.watches = Watches::default();
        self.fired.clear();
        self.facts.clear();
        self.world.web.close_all();
        // The next one counts its moments from zero.
        self.world.epoch_ns += self.now.0 as i64;
        self.now = Moment::default();
    }

    /// Lets the time be later, and looks what there is to do by then.
    pub fn set_now(&mut self, now: Moment) {
        self.now = self.now.max(now);
        self.world.tree.now_ns = self.world.epoch_ns.saturating_add(self.now.0 as i64);
    }

    /// A fact as it is at a moment, for who looks once and subscribes to nothing.
    pub fn read_fact(&mut self, now: Moment, spec: &FactSpec) -> Result<Datum, HostError> {
        self.set_now(now);
        facts::read(&mut self.world, self.now.0, spec)
    }

    /// A person changes something; whoever watches is told.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut World) -> R) -> R {
        let answer = change(&mut self.world);
        self.tell();
        self.tell_facts(|occasion| matches!(occasion, Occasion::World));
        answer
    }

    /// When something is due here.
    pub fn next_at(&self) -> Option<Moment> {
        self.due.first_key_value().map(|((at, _), _)| *at)
    }

    /// The next input that is due.
    pub fn next_input(&mut self) -> Option<Input> {
        loop {
            let (&(at, _), _) = self.due.first_key_value()?;
            if at > self.now {
                return None;
            }
            let (_, due) = self.due.pop_first()?;
            match due {
                Due::Answer(input) => {
                    if let Input::Fired(ticket, _) = &input {
                        self.fired.remove(ticket);
                        if !self.watching.contains_key(ticket) {
                            continue;
                        }
                    }
                    return Some(input);
                }
                Due::Job(ticket) => self.go_on(ticket),
                Due::FactTick(ticket) => self.fact_tick(ticket),
                Due::WatchTick(ticket) => self.watch_tick(ticket),
                Due::WatchCommand(ticket, index) => self.watch_command(ticket, index),
                Due::FactCommand(ticket) => self.fact_command(ticket),
            }
        }
    }

    /// Carries out, or begins to.
    pub fn take(&mut self, output: Output) {
        match output {
            Output::Subscribe(ticket, spec) => self.subscribe(ticket, spec),
            Output::Unsubscribe(ticket) => {
                if let Some(gone) = self.facts.remove(&ticket)
                    && let Occasion::Path(path) = facts::occasion(&gone.spec)
                {
                    self.watches.remove(ticket, std::iter::once(path));
                }
            }
            Output::Probe(ticket, id, probes) => {
                self.begin(ticket, id, Work::Probes { rest: probes.into(), seen: Vec::new() });
            }
            Output::Apply(ticket, id, steps) => {
                self.begin(ticket, id, Work::Steps { rest: steps.into(), done: Vec::new() });
            }
            Output::Cancel(ticket, mode) => self.cancel(ticket, mode),
            Output::Watch(ticket, spec) => self.watch(ticket, spec),
            Output::Unwatch(ticket) => {
                self.world.web.close(ticket);
                if let Some(gone) = self.watching.remove(&ticket) {
                    self.watches.remove(ticket, gone.spec.paths.into_iter().map(|watch| watch.path));
                }
            }
            // For whoever drives; nothing happens on a host.
            Output::Report(_) | Output::Idle { .. } | Output::Exit { .. } => {}
        }
    }

    pub(super) fn log_lines(&self) -> (usize, Vec<LogLine>) {
        (self.n_forgotten, self.log.iter().cloned().collect())
    }

    fn write_log(&mut self, text: String) {
        if self.log.len() == LONGEST_LOG {
            self.log.pop_front();
            self.n_forgotten += 1;
        }
        self.log.push_back(LogLine { at: self.now, text });
    }

    fn at(&mut self, at: Moment, due: Due) -> (Moment, u64) {
        let key = (at, self.n_due);
        self.n_due += 1;
        self.due.insert(key, due);
        key
    }

    fn soon(&mut self, due: Due) {
        self.at(self.now.plus_ms(self.latency_ms), due);
    }

    // Probes and steps.

    fn begin(&mut self, ticket: Ticket, id: ResourceId, work: Work) {
        self.jobs.insert(ticket, Job { id, work, process: None, wake: None, stopped: false });
        self.soon(Due::Job(ticket));
    }

    /// Does what is next until something takes time, or all is done.
    fn go_on(&mut self, ticket: Ticket) {
        let Some(mut job) = self.jobs.remove(&ticket) else { return };
        job.wake = None;
        loop {
            if let Some(mut process) = job.process.take() {
                match process.go_on(&mut self.world.tree, &mut self.world.web) {
                    State::Sleeping(ms) => {
                        job.process = Some(process);
                        job.wake = Some(self.at(self.now.plus_ms(ms), Due::Job(ticket)));
                        self.jobs.insert(ticket, job);
                        self.tell();
                        return;
                    }
                    State::Ended(outcome) => {
                        let ended = if job.stopped { Err(interrupted(&process.line)) } else { Ok(outcome) };
                        job.ended(ended);
                    }
                }
            }
            match job.next(&mut self.world, &mut self.states) {
                Next::Command(spec) if job.stopped => job.ended(Err(interrupted(&spec.argv.join(" ")))),
                Next::Command(spec) => match self.start_process(&spec) {
                    Ok(process) => job.process = Some(process),
                    Err(error) => job.ended(Err(error)),
                },
                Next::Print(text) => self.write_log(text),
                Next::Did => {}
                Next::Over => break,
            }
        }
        let answer = match job.work {
            Work::Probes { seen, .. } => Input::Probed(ticket, seen),
            Work::Steps { done, .. } => Input::Applied(ticket, done),
        };
        self.tell();
        self.at(self.now, Due::Answer(answer));
    }

    fn start_process(&mut self, spec: &CommandSpec) -> Result<Process, HostError> {
        for (name, accounts) in [
            (&spec.user, self.world.users.contains_key(&spec.user)),
            (&spec.group, self.world.groups.contains_key(&spec.group)),
        ] {
            if !name.is_empty() && !accounts && name.parse::<u32>().is_err() {
                return Err(HostError::new(HostErrorKind::NotFound, format!("unknown user or group {name}")));
            }
        }
        let scripted = self.world.commands.start(&spec.argv);
        let started = Process::start(spec, scripted);
        started.map_err(|error| HostError::new(HostErrorKind::NotFound, error))
    }

    fn cancel(&mut self, ticket: Ticket, mode: StopMode) {
        let Some(job) = self.jobs.get_mut(&ticket) else { return };
        job.stopped = true;
        let Some(process) = &mut job.process else { return };
        let signal = match mode {
            StopMode::Graceful => return,
            StopMode::Soft => process.stop_signal().to_string(),
            StopMode::Hard => "SIGKILL".to_string(),
        };
        let state = process.signal(&signal);
        if let Some(State::Sleeping(_)) = state {
            return; // it does not care
        }
        if let Some(State::Ended(_)) = state {
            let line = process.line.clone();
            job.process = None;
            job.ended(Err(interrupted(&line)));
        }
        // A trap goes on at once.
        if let Some(key) = job.wake.take() {
            self.due.remove(&key);
        }
        self.at(self.now, Due::Job(ticket));
    }

    // Watches.

    fn watch(&mut self, ticket: Ticket, spec: WatchSpec) {
        if let Some(serve) = &spec.serve
            && let Err(error) = self.world.web.open(ticket, serve.clone())
        {
            self.soon(Due::Answer(Input::WatchFailed(ticket, error)));
            return;
        }
        for path in &spec.paths {
            self.watches.add(ticket, path);
        }
        let mut commands = Vec::new();
        for (index, command) in spec.commands.iter().enumerate() {
            match self.start_process(command) {
                Ok(process) => commands.push(Lines { process, n_read: 0 }),
                Err(error) => {
                    self.watches.remove(ticket, spec.paths.into_iter().map(|watch| watch.path));
                    self.soon(Due::Answer(Input::WatchFailed(ticket, error)));
                    return;
                }
            }
            self.soon(Due::WatchCommand(ticket, index));
        }
        if spec.every_ms > 0 {
            self.at(self.now.plus_ms(spec.every_ms), Due::WatchTick(ticket));
        }
        self.watching.insert(ticket, Watching { spec, commands });
        self.fire(ticket, None);
    }

    fn fire(&mut self, ticket: Ticket, what: Option<String>) {
        if self.fired.insert(ticket) {
            self.soon(Due::Answer(Input::Fired(ticket, what)));
        }
    }

    fn watch_tick(&mut self, ticket: Ticket) {
        let Some(watching) = self.watching.get(&ticket) else { return };
        let every_ms = watching.spec.every_ms;
        self.at(self.now.plus_ms(every_ms), Due::WatchTick(ticket));
        self.fire(ticket, Some("tick".to_string()));
    }

    fn watch_command(&mut self, ticket: Ticket, index: usize) {
        let Some(mut watching) = self.watching.remove(&ticket) else { return };
        let state = watching.commands[index].process.go_on(&mut self.world.tree, &mut self.world.web);
        let (lines, wake) = watching.commands[index].news(&state);
        let paths: Vec<String> = watching.spec.paths.iter().map(|watch| watch.path.clone()).collect();
        match state {
            State::Sleeping(_) => {
                self.watching.insert(ticket, watching);
                self.at(self.now.plus_ms(wake.unwrap_or(0)), Due::WatchCommand(ticket, index));
                if let Some(line) = lines.into_iter().next() {
                    self.fire(ticket, Some(line));
                }
            }
            State::Ended(outcome) => {
                self.watches.remove(ticket, paths.into_iter());
                let message = match outcome.status {
                    Some(0) => "reached EOF".to_string(),
                    Some(status) => format!("watchcmd errored: exit status {status}"),
                    None => format!("watchcmd errored: signal: {}", outcome.signal.unwrap_or_default()),
                };
                let error = HostError::new(HostErrorKind::Other, message);
                self.soon(Due::Answer(Input::WatchFailed(ticket, error)));
            }
        }
        self.tell();
    }

    /// Tells whoever is concerned by the changes so far.
    fn tell(&mut self) {
        for change in std::mem::take(&mut self.world.tree.changes) {
            for ticket in self.watches.concerned(&change) {
                if self.watching.contains_key(&ticket) {
                    self.fire(ticket, Some(change.path.clone()));
                } else {
                    self.tell_fact(ticket);
                }
            }
        }
        for (ticket, what) in std::mem::take(&mut self.world.web.posts) {
            self.fire(ticket, Some(what));
        }
        let keys = std::mem::take(&mut self.world.changed_keys);
        if keys.is_empty() {
            return;
        }
        for (store, key) in &keys {
            let concerns = |(of, wanted): &(_, String)| {
                of == store && (wanted == key || wanted.ends_with('/') && key.starts_with(wanted.as_str()))
            };
            let watching = self.watching.iter().filter(|(_, watching)| watching.spec.keys.iter().any(concerns));
            let tickets: Vec<Ticket> = watching.map(|(ticket, _)| *ticket).collect();
            for ticket in tickets {
                self.fire(ticket, Some(key.clone()));
            }
        }
        self.tell_facts(|occasion| matches!(occasion, Occasion::World));
    }

    // Facts.
}
