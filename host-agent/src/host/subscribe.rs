//! Facts and watches: from a subscription to the events that concern it.
//!
//! Both are a [`Ticket`] that something may *change*: a path, a period, a key, the network, a line of a
//! command. For a watch the change itself is told; a fact is read again, and told when it differs. Facts are
//! read under one lock, so that an older value never follows a newer one.

use super::lines::Say;
use super::timers::Every;
use super::watch::Listener;
use super::{Host, Shared, net, read, sound};
use mclive_compiler::protocol::{Input, StopMode, Ticket};
use mclive_compiler::vocab::{Datum, FactSpec, KeyStore, WatchSpec};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// A command that was only listened to may tidy up for so long.
const TIME_TO_STOP: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct Subscriptions {
    facts: BTreeMap<Ticket, Fact>,
    watches: BTreeMap<Ticket, Vec<(KeyStore, String)>>,
}

struct Fact {
    spec: FactSpec,
    /// What was told last, as a hash: a file may be large.
    told: Option<[u8; 32]>,
}

/// What makes a fact change.
enum Source {
    Never,
    Timer(Every),
    Path(String),
    Network,
    Keys,
    /// The lines of a command, and what each says.
    Lines(String, Say),
}

fn source(spec: &FactSpec) -> Source {
    let period = |ms: &u64| Duration::from_millis((*ms).max(1));
    match spec {
        FactSpec::Clock { period_ms } => Source::Timer(Every::Full(period(period_ms))),
        FactSpec::Uptime { period_ms } | FactSpec::Load { period_ms } => {
            Source::Timer(Every::Period(period(period_ms)))
        }
        FactSpec::FileContent { path } | FactSpec::FileState { path } => Source::Path(path.clone()),
        FactSpec::Hostname => Source::Path("/etc/hostname".into()),
        FactSpec::User { .. } => Source::Path("/etc/passwd".into()),
        FactSpec::Interfaces => Source::Network,
        // Hot plugging is rare, and its announcement needs rights that we may not have.
        FactSpec::CpusOnline => Source::Timer(Every::Period(Duration::from_secs(30))),
        FactSpec::AudioPeak => Source::Lines(sound::COMMAND.into(), sound::peak),
        FactSpec::CommandLines { command } => Source::Lines(command.clone(), |line| Ok(Datum::text(line))),
        FactSpec::StoreValue { .. }
        | FactSpec::StoreMap { .. }
        | FactSpec::Exported { .. }
        | FactSpec::LocalValue { .. } => Source::Keys,
        FactSpec::TimeZone
        | FactSpec::LinkTarget { .. }
        | FactSpec::RealPath { .. }
        | FactSpec::Glob { .. }
        | FactSpec::TempDir { .. }
        | FactSpec::Env { .. }
        | FactSpec::Environment
        | FactSpec::Args
        | FactSpec::Executable { .. }
        | FactSpec::Process
        | FactSpec::Setting { .. }
        | FactSpec::Random { .. }
        | FactSpec::KernelModules
        | FactSpec::MachineTexts
        | FactSpec::FirmwareUpdates
        | FactSpec::Schedule { .. }
        | FactSpec::LocalHttp { .. }
        | FactSpec::LocalPool { .. }
        | FactSpec::LocalDir { .. }
        | FactSpec::LocalTree { .. } => Source::Never,
    }
}

impl Host {
    pub(super) fn subscribe(&mut self, ticket: Ticket, spec: FactSpec) {
        let source = source(&spec);
        self.shared.subscriptions.lock().expect("no holder panics").facts.insert(ticket, Fact { spec, told: None });
        match source {
            // A command has no value before its first line.
            Source::Lines(command, say) => return self.follow_lines(ticket, command, say),
            Source::Never | Source::Keys => {}
            Source::Timer(every) => self.timers.add(ticket, every),
            Source::Path(path) => self.watcher.add(Listener(ticket.0), &path, false),
            Source::Network => self.hear_network(),
        }
        // The source is set before the first look, so that no change falls in between.
        changed(&self.shared, ticket, None);
    }

    pub(super) fn watch(&mut self, ticket: Ticket, spec: WatchSpec) {
        self.shared.subscriptions.lock().expect("no holder panics").watches.insert(ticket, spec.keys);
        if let Some(serve) = spec.serve
            && let Err(error) = self.open_server(ticket, serve)
        {
            return self.shared.tell(Input::WatchFailed(ticket, error));
        }
        for path in &spec.paths {
            self.watcher.add(Listener(ticket.0), &path.path, path.recursive);
        }
        if spec.every_ms > 0 {
            self.timers.add(ticket, Every::Period(Duration::from_millis(spec.every_ms)));
        }
        self.shared.tell(Input::Fired(ticket, None));
        for command in spec.commands {
            self.follow_watch(ticket, command);
        }
    }

    pub(super) fn leave(&mut self, ticket: Ticket) {
        {
            let mut subscriptions = self.shared.subscriptions.lock().expect("no holder panics");
            subscriptions.facts.remove(&ticket);
            subscriptions.watches.remove(&ticket);
        }
        self.watcher.remove(Listener(ticket.0));
        self.shared.web.close(ticket);
        self.timers.remove(ticket);
        for running in self.followed.remove(&ticket).into_iter().flatten() {
            running.stop(StopMode::Soft);
            self.leaving.push((Instant::now() + TIME_TO_STOP, running));
        }
    }

    /// One thread for all who read the interfaces, from the first on.
    fn hear_network(&mut self) {
        if std::mem::replace(&mut self.hears_network, true) {
            return;
        }
        let shared = self.shared.clone();
        let Ok(changes) = net::changes() else { return };
        self.pool.run_apart(move || {
            while net::wait(&changes).is_ok() {
                let concerned: Vec<Ticket> = {
                    let subscriptions = shared.subscriptions.lock().expect("no holder panics");
                    let facts =
                        subscriptions.facts.iter().filter(|(_, fact)| matches!(fact.spec, FactSpec::Interfaces));
                    facts.map(|(ticket, _)| *ticket).collect()
                };
                concerned.into_iter().for_each(|ticket| changed(&shared, ticket, None));
            }
        });
    }
}

/// Something that concerns a ticket changed.
pub(super) fn changed(shared: &Shared, ticket: Ticket, what: Option<String>) {
    let mut subscriptions = shared.subscriptions.lock().expect("no holder panics");
    if subscriptions.watches.contains_key(&ticket) {
        // `None` is the word for "in place", which a timer must not say again.
        return shared.tell(Input::Fired(ticket, Some(what.unwrap_or_else(|| "period".into()))));
    }
    // One that was left in the meantime is told nothing.
    let Some(fact) = subscriptions.facts.get_mut(&ticket) else { return };
    let value = read::read(&fact.spec, &shared.policy, &shared.state, &shared.hostname);
    let hash = postcard::to_stdvec(&value).map(|bytes| Sha256::digest(&bytes).into()).ok();
    if hash.is_none() || fact.told != hash {
        fact.told = hash;
        shared.tell(Input::Fact(ticket, value));
    }
}

/// A key of a store got another value: who watches it, or reads of it, is concerned.
pub(super) fn key_changed(shared: &Shared, store: KeyStore, key: &str) {
    let concerned: Vec<Ticket> = {
        let subscriptions = shared.subscriptions.lock().expect("no holder panics");
        let covers = |(of, watched): &(KeyStore, String)| {
            *of == store && (watched == key || (watched.ends_with('/') && key.starts_with(watched.as_str())))
        };
        let watches =
            subscriptions.watches.iter().filter(|(_, keys)| keys.iter().any(covers)).map(|(ticket, _)| *ticket);
        let reads = |spec: &FactSpec| match (spec, store) {
            (FactSpec::LocalValue { key: read }, KeyStore::Local) => read == key,
            (FactSpec::StoreValue { .. } | FactSpec::StoreMap { .. } | FactSpec::Exported { .. }, KeyStore::World) => {
                true
            }
            _ => false,
        };
        let facts = subscriptions.facts.iter().filter(|(_, fact)| reads(&fact.spec)).map(|(ticket, _)| *ticket);
        watches.chain(facts).collect()
    };
    concerned.into_iter().for_each(|ticket| changed(shared, ticket, Some(key.to_owned())));
}
