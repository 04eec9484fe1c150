//! Listeners: watches of resources and facts of functions, and their notification.

use super::{Due, SimHost};
use crate::job::Lines;
use crate::process::Progress;
use crate::protocol::{Input, Moment, Ticket};
use crate::subject;
use crate::vocab::command::ended_silently;
use crate::vocab::password::Secret;
use crate::vocab::{Changes, CommandSpec, Datum, FactSpec, HostError, HostErrorKind, Watch, time};
use std::collections::BTreeMap;

/// A listener with its ticket.
#[derive(Clone)]
pub(super) struct Listener {
    watches: Vec<Watch>,
    commands: Vec<Lines>,
    hears: Hears,
}

/// How a listener is notified.
#[derive(Clone)]
enum Hears {
    /// With this input.
    Event,
    /// With the fact, if it has changed.
    Fact { spec: FactSpec, last: Option<Result<Datum, HostError>> },
}

impl SimHost {
    pub(super) fn watch(&mut self, ticket: Ticket, watches: Vec<Watch>) {
        match self.listen(ticket, watches, Hears::Event) {
            Ok(()) => self.fire(ticket, None),
            Err(error) => {
                self.leave(ticket);
                self.soon(Due::Answer(Input::WatchFailed(ticket, error)));
            }
        }
    }

    pub(super) fn subscribe(&mut self, ticket: Ticket, spec: FactSpec) {
        let changes = spec.changes();
        let streams = changes == Changes::Streams;
        let watches = match changes {
            Changes::With(watches) => watches,
            Changes::Never | Changes::Streams => Vec::new(),
        };
        let listens = self.listen(ticket, watches, Hears::Fact { spec: spec.clone(), last: None });
        match (listens, streams) {
            (Err(error), _) => self.tell_value(ticket, Err(error)),
            (Ok(()), true) => subject::stream(self, ticket, &spec),
            (Ok(()), false) => self.tell_fact(ticket),
        }
    }

    fn listen(&mut self, ticket: Ticket, watches: Vec<Watch>, hears: Hears) -> Result<(), HostError> {
        for (place, watch) in watches.iter().enumerate() {
            if let Some(seen) = subject::fingerprint(&self.world, watch) {
                self.looks.add(ticket, place, watch, seen);
            }
        }
        let listener = Listener { watches: watches.clone(), commands: Vec::new(), hears };
        self.listeners.insert(ticket, Box::new(listener));
        watches.iter().try_for_each(|watch| subject::watch(self, ticket, watch))
    }

    pub(super) fn leave(&mut self, ticket: Ticket) {
        let Some(gone) = self.listeners.remove(&ticket) else { return };
        for watch in &gone.watches {
            self.looks.remove(ticket, watch);
            subject::leave(self, ticket, watch);
        }
    }

    /// Starts following a command, line by line.
    pub(crate) fn follow(&mut self, ticket: Ticket, spec: &CommandSpec) -> Result<(), HostError> {
        let process = self.start_process(spec)?;
        let Some(listener) = self.listeners.get_mut(&ticket) else { return Ok(()) };
        listener.commands.push(Lines { process, n_read: 0 });
        let index = listener.commands.len() - 1;
        self.soon(Due::Lines(ticket, index));
        Ok(())
    }

    pub(super) fn lines(&mut self, ticket: Ticket, index: usize) {
        let Some(mut listener) = self.listeners.remove(&ticket) else { return };
        let lines = &mut listener.commands[index];
        let state =
            lines.process.resume(&mut self.world.tree, &mut self.world.subjects.server, &mut self.world.commands);
        if let Progress::Ended(outcome) = &state {
            self.world.commands.log.ends(&lines.process.listed_as, outcome);
        }
        let (news, wake) = lines.news(&state);
        let is_silent = lines.n_read == 0;
        let is_event = matches!(listener.hears, Hears::Event);
        self.listeners.insert(ticket, listener);
        if let Some(wake) = wake {
            self.at(self.now.plus_ms(wake), Due::Lines(ticket, index));
        }
        match state {
            Progress::Ended(outcome) if is_event => {
                self.leave(ticket);
                let message = match outcome.status {
                    Some(0) => "reached EOF".to_string(),
                    Some(status) => format!("watchcmd errored: exit status {status}"),
                    None => format!("watchcmd errored: signal: {}", outcome.signal.unwrap_or_default()),
                };
                let error = HostError::new(HostErrorKind::Other, message);
                self.soon(Due::Answer(Input::WatchFailed(ticket, error)));
            }
            Progress::Sleeping(_) if is_event => {
                // An empty line is a value, but not an event.
                if let Some(line) = news.into_iter().find(|line| !line.is_empty()) {
                    self.fire(ticket, Some(String::from_utf8_lossy(&line).into_owned()));
                }
            }
            Progress::Ended(_) if is_silent => self.tell_value(ticket, Err(ended_silently())),
            Progress::Ended(_) | Progress::Sleeping(_) => {
                news.into_iter().for_each(|line| self.tell_value(ticket, Ok(Datum::Bytes(line))));
            }
        }
        self.tell_reported();
    }

    /// Schedules the next tick. Full periods are counted from the epoch, like the seconds of a clock.
    pub(crate) fn next_tick(&mut self, ticket: Ticket, watch: time::Watch) {
        let at = match watch {
            time::Watch::Every { ms } => self.now.plus_ms(ms),
            time::Watch::Full { ms } => {
                let period_ns = ms.saturating_mul(1_000_000);
                let since_epoch = self.world.epoch_ns as u64 + self.now.0;
                Moment(self.now.0 + (period_ns - since_epoch % period_ns))
            }
        };
        self.at(at, Due::Tick(ticket, watch));
    }

    pub(super) fn tick(&mut self, ticket: Ticket, watch: time::Watch) {
        let Some(listener) = self.listeners.get(&ticket) else { return };
        let fact = match &listener.hears {
            Hears::Event => None,
            Hears::Fact { spec, .. } => Some(spec.clone()),
        };
        self.next_tick(ticket, watch);
        match fact {
            None => self.fire(ticket, Some("tick".to_string())),
            Some(spec) => {
                let value = subject::fact(&mut self.world, self.now.0, &spec);
                self.at(self.now, Due::Answer(Input::Fact(ticket, value)));
            }
        }
    }

    /// Notifies a listener.
    fn concern(&mut self, ticket: Ticket, what: &str) {
        match self.listeners.get(&ticket).map(|listener| &listener.hears) {
            Some(Hears::Event) => self.fire(ticket, Some(what.to_string())),
            Some(Hears::Fact { .. }) => self.tell_fact(ticket),
            None => {}
        }
    }

    fn fire(&mut self, ticket: Ticket, what: Option<String>) {
        if self.fired.insert(ticket) {
            self.soon(Due::Answer(Input::Fired(ticket, what)));
        }
    }

    /// Sends a fact, unless it is unchanged.
    pub(crate) fn tell_fact(&mut self, ticket: Ticket) {
        let Some(listener) = self.listeners.get_mut(&ticket) else { return };
        let Hears::Fact { spec, last } = &mut listener.hears else { return };
        let value = subject::fact(&mut self.world, self.now.0, spec);
        let next = match spec {
            FactSpec::Schedule(fact) => self.world.belief(&fact.namespace).until,
            _ => None,
        };
        if last.as_ref() != Some(&value) {
            *last = Some(value.clone());
            self.tell_value(ticket, value);
        }
        let is_new = |at: &Moment| {
            let mut due = self.due.range((*at, 0, 0)..=(*at, u64::MAX, u64::MAX));
            !due.any(|(_, due)| matches!(due, Due::Belief))
        };
        if let Some(at) = next.filter(is_new) {
            self.at(at, Due::Belief);
        }
    }

    /// Sends the results of elections that this host sees otherwise than before.
    pub(crate) fn tell_beliefs(&mut self) {
        let is_result = |listener: &Listener| matches!(listener.hears, Hears::Fact { spec: FactSpec::Schedule(_), .. });
        let results = self.listeners.iter().filter(|(_, listener)| is_result(listener)).map(|(ticket, _)| *ticket);
        results.collect::<Vec<_>>().into_iter().for_each(|ticket| self.tell_fact(ticket));
    }

    pub(crate) fn tell_value(&mut self, ticket: Ticket, value: Result<Datum, HostError>) {
        // First, so that nothing tells of them.
        for secret in std::mem::take(&mut self.world.secrets) {
            self.soon(Due::Answer(Input::Secret(Secret(secret))));
        }
        self.soon(Due::Answer(Input::Fact(ticket, value)));
    }

    /// For each watch affected by changes of files, the first path; for a directory removed with its content, the
    /// directory's path.
    fn first_changes(&mut self) -> Vec<(Ticket, String)> {
        let mut first: Vec<(Ticket, String)> = Vec::new();
        let mut places: BTreeMap<Ticket, usize> = BTreeMap::new();
        for change in std::mem::take(&mut self.world.tree.changes) {
            for ticket in self.watches.concerned(&change) {
                match places.get(&ticket).map(|at| &mut first[*at].1) {
                    None => {
                        places.insert(ticket, first.len());
                        first.push((ticket, change.path.to_string()));
                    }
                    Some(path) if path.strip_prefix(&*change.path).is_some_and(|rest| rest.starts_with('/')) => {
                        *path = change.path.to_string();
                    }
                    Some(_) => {}
                }
            }
        }
        first
    }

    /// Notifies everything affected by the changes so far.
    pub(super) fn tell(&mut self) {
        self.tell_reported();
        self.tell_seen();
    }

    /// Notifies of what the world itself reports.
    pub(super) fn tell_reported(&mut self) {
        for (ticket, path) in self.first_changes() {
            self.concern(ticket, &path);
        }
        for (ticket, what) in std::mem::take(&mut self.world.subjects.server.posts) {
            self.concern(ticket, &what);
        }
        for (store, key) in std::mem::take(&mut self.world.changed_keys) {
            let covers = |watch: &Watch| matches!(watch, Watch::Store(watch) if watch.covers(store, &key));
            let listeners = self.listeners.iter().filter(|(_, listener)| listener.watches.iter().any(covers));
            for ticket in listeners.map(|(ticket, _)| *ticket).collect::<Vec<_>>() {
                self.concern(ticket, &key);
            }
        }
        if self.world.session.take_doubt() {
            self.tell_beliefs();
        }
    }

    /// Notifies of what watches see to be different.
    pub(super) fn tell_seen(&mut self) {
        let world = &self.world;
        let stamp = |watch: &Watch| subject::stamp(world, watch);
        for (ticket, what) in self.looks.changed(stamp, |watch| subject::fingerprint(world, watch)) {
            self.concern(ticket, &what);
        }
    }
}
