//! [`SimHost`]: takes the brain's outputs, and returns inputs when they are due.

mod due;
mod jobs;
mod listeners;
mod weight;

use super::cluster::News;
use super::job::{Job, Work};
use super::looks::Looks;
use super::order::Order;
use super::snapshot::LogLine;
use super::subject;
use super::watches::Watches;
use super::world::World;
use crate::gather;
use crate::protocol::{Input, Moment, Output, ResourceId, Ticket};
use crate::vocab::{Datum, FactSpec, HostError, schedule};
use due::Due;
pub(super) use due::Turn;
use listeners::Listener;
use std::collections::btree_map::OccupiedEntry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// State files by resource and name: content and modification time in nanoseconds since 1970.
pub(super) type States = BTreeMap<(ResourceId, String), (Vec<u8>, i64)>;

/// What belongs to tickets.
pub(super) type ByTicket<T> = gather::Boxed<Ticket, T>;

/// The duration of a probe or step. Units: milliseconds.
const LATENCY_MS: u64 = 1;

/// A simulated host.
#[derive(Clone)]
pub struct SimHost {
    pub(super) world: World,
    pub(super) states: States,
    now: Moment,
    due: BTreeMap<Turn, Due>,
    n_due: u64,
    order: Order,
    pub(super) jobs: ByTicket<Job>,
    listeners: ByTicket<Listener>,
    pub(super) watches: Watches,
    looks: Looks,
    /// Watches that have fired but are not delivered.
    fired: BTreeSet<Ticket>,
    log: VecDeque<LogLine>,
    /// Lines dropped from the log.
    n_forgotten: usize,
}

/// The maximum number of lines kept in the log.
const LONGEST_LOG: usize = 2000;

impl SimHost {
    /// A host of this name.
    pub fn new(hostname: &str) -> SimHost {
        SimHost {
            world: World::new(hostname),
            states: States::new(),
            now: Moment::default(),
            due: BTreeMap::new(),
            n_due: 0,
            order: Order::default(),
            jobs: ByTicket::new(),
            listeners: ByTicket::new(),
            watches: Watches::default(),
            looks: Looks::default(),
            fired: BTreeSet::new(),
            log: VecDeque::new(),
            n_forgotten: 0,
        }
    }

    /// Sets the order of independent things of one moment, from now on.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }

    /// The world of the host.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Kills the agent: everything it had begun is dropped. Files, state files and stores stay. The clock continues.
    pub fn restart(&mut self) {
        // The next one counts its moments from zero.
        self.world.epoch_ns += self.now.0 as i64;
        self.now = Moment::default();
        self.replace();
    }

    /// The same, but the next agent continues to count moments.
    pub(super) fn replace(&mut self) {
        self.due.clear();
        self.jobs.clear();
        self.world.commands.log.all_rest();
        self.listeners.clear();
        self.watches = Watches::default();
        self.looks = Looks::default();
        self.fired.clear();
        self.world.subjects.forget();
        self.world.session.forget();
        self.world.catch_up();
        // The new agent reads everything for the first time.
        self.world.changed_keys.clear();
        for (namespace, lease) in schedule::votes_by(&self.world, self.world.agent()) {
            let end = self.world.subjects.schedule.found(&namespace, lease);
            end.into_iter().for_each(|end| self.vote_ends(end));
        }
    }

    /// A vote is withdrawn at its end, unless it is cast again.
    pub(crate) fn vote_ends(&mut self, end: schedule::End) {
        self.at(self.now.plus_ms(end.after_s.saturating_mul(1000)), Due::Vote(end));
    }

    /// The pools whose votes are no longer held here, and when they end.
    pub fn released(&self) -> BTreeMap<String, Moment> {
        let released = |((at, ..), due): (&Turn, &Due)| {
            let Due::Vote(end) = due else { return None };
            self.world.subjects.schedule.is_over(end).then(|| (end.namespace.clone(), *at))
        };
        gather::map(self.due.iter().filter_map(released))
    }

    /// The agent has ended: of what it had begun, only votes with their own time remain, until they end.
    pub(super) fn end(&mut self) {
        let listening: Vec<Ticket> = self.listeners.keys().copied().collect();
        listening.into_iter().for_each(|ticket| self.leave(ticket));
        self.jobs.clear();
        self.world.commands.log.all_rest();
        self.fired.clear();
        gather::keep(&mut self.due, |_, due| matches!(due, Due::Vote(_)));
        for namespace in self.world.subjects.schedule.stop() {
            self.world.vote(&namespace, None);
        }
        self.tell_reported();
    }

    /// Advances the time, and collects everything due by then.
    pub(crate) fn set_now(&mut self, now: Moment) {
        self.now = self.now.max(now);
        self.world.now = self.now;
        self.world.tree.now_ns = self.world.epoch_ns.saturating_add(self.now.0 as i64);
    }

    /// Reads a fact once, at a moment, without a subscription.
    pub fn read_fact(&mut self, now: Moment, spec: &FactSpec) -> Result<Datum, HostError> {
        self.set_now(now);
        subject::fact(&mut self.world, self.now.0, spec)
    }

    /// A manual change; watches are notified.
    pub fn change<R>(&mut self, change: impl FnOnce(&mut World) -> R) -> R {
        self.world.n_by_hand += 1;
        let answer = change(&mut self.world);
        self.kill_commands();
        self.tell();
        answer
    }

    /// Changes made here to the shared store since the last call.
    pub fn take_news(&mut self) -> News {
        self.world.take_news()
    }

    /// When the next event is due here.
    pub fn next_at(&self) -> Option<Moment> {
        let due = self.due.first_key_value().map(|((at, ..), _)| *at);
        due.into_iter().chain(self.world.session.next_arrival()).min()
    }

    /// The next due input.
    pub(crate) fn next_input(&mut self) -> Option<Input> {
        if self.world.hear_what_arrived() {
            self.tell();
        }
        let mut is_changed = false;
        let input = loop {
            let Some((_, due)) =
                self.due.first_entry().filter(|due| due.key().0 <= self.now).map(OccupiedEntry::remove_entry)
            else {
                break None;
            };
            if let Due::Answer(input) = due {
                if let Input::Fired(ticket, _) = &input {
                    self.fired.remove(ticket);
                    if !self.listeners.contains_key(ticket) {
                        continue;
                    }
                }
                break Some(input);
            }
            self.happens(due);
            is_changed = true;
        };
        // Once for everything that happens at a moment: many resources may act in it.
        if is_changed {
            self.tell_seen();
        }
        input
    }

    fn happens(&mut self, due: Due) {
        match due {
            Due::Answer(_) => {}
            Due::Job(ticket) => self.go_on(ticket),
            Due::Tick(ticket, watch) => self.tick(ticket, watch),
            Due::Lines(ticket, index) => self.lines(ticket, index),
            Due::Vote(end) if self.world.subjects.schedule.is_over(&end) => {
                self.world.vote(&end.namespace, None);
                self.tell_reported();
            }
            Due::Vote(_) => {}
            Due::Belief => self.tell_beliefs(),
        }
    }

    /// Carries out an output, or begins to.
    pub fn take(&mut self, output: Output) {
        match output {
            Output::Subscribe(ticket, spec) => self.subscribe(ticket, spec),
            Output::Unsubscribe(ticket) | Output::Unwatch(ticket) => self.leave(ticket),
            Output::Probe(ticket, id, probes) => {
                self.begin(ticket, id, Work::Probes { rest: probes.into(), seen: Vec::new() });
            }
            Output::Apply(ticket, id, steps) => {
                self.begin(ticket, id, Work::Steps { rest: steps.into(), done: Vec::new() });
            }
            Output::Cancel(ticket, mode) => self.cancel(ticket, mode),
            Output::Watch(ticket, watches) => self.watch(ticket, watches),
            // For the driver; they do not concern the host.
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

    fn at(&mut self, at: Moment, due: Due) -> Turn {
        let turn = (at, due.rank(self.order, at), self.n_due);
        self.n_due += 1;
        self.due.insert(turn, due);
        turn
    }

    fn soon(&mut self, due: Due) {
        self.at(self.now.plus_ms(LATENCY_MS), due);
    }
}
