//! Facts and watches: from a subscription to the events that affect it.
//!
//! Both are a [`Ticket`] with sources of changes: a path, a period, a key, the network, a line of a command. A watch
//! reports the change itself; a fact is read again ([`super::readers`]), and reported if it differs.

use super::readers::read_soon;
use super::watch::Listener;
use super::{Host, Shared, subject};
use mclive_base::protocol::{Input, StopMode, Ticket};
use mclive_base::vocab::{Changes, Datum, FactSpec, HostError, KeyStore, Watch, store};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How long a followed command may take to stop.
const TIME_TO_STOP: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct Subscriptions {
    facts: BTreeMap<Ticket, Fact>,
    watches: BTreeSet<Ticket>,
    keys: BTreeMap<Ticket, Vec<store::Watch>>,
    /// The number of its sources that another thread has not set up yet.
    coming: BTreeMap<Ticket, usize>,
}

impl Subscriptions {
    /// Whether a ticket depends on the world.
    fn is_of_world(&self, ticket: Ticket) -> bool {
        let watches = self.keys.get(&ticket).into_iter().flatten();
        watches.into_iter().any(|watch| watch.store == KeyStore::World)
    }
}

struct Fact {
    spec: FactSpec,
    /// A hash of the last reported value, since a file may be large.
    told: Option<[u8; 32]>,
}

impl Host {
    pub(super) fn subscribe(&mut self, ticket: Ticket, spec: FactSpec) {
        let changes = spec.changes();
        let fact = Fact { spec: spec.clone(), told: None };
        self.subscriptions(|all| all.facts.insert(ticket, fact));
        let watches = match changes {
            // It has no value before its source sends one.
            Changes::Streams => return subject::stream(self, ticket, &spec),
            Changes::With(watches) => watches,
            Changes::Never => Vec::new(),
        };
        self.awaits(ticket);
        match self.listen(ticket, &watches) {
            // The sources are set up before the first read, so that no change is missed in between.
            Ok(()) => in_place(&self.shared, ticket),
            Err(error) => self.shared.tell(Input::Fact(ticket, Err(error))),
        }
    }

    pub(super) fn watch(&mut self, ticket: Ticket, watches: &[Watch]) {
        self.subscriptions(|all| all.watches.insert(ticket));
        self.awaits(ticket);
        match self.listen(ticket, watches) {
            Ok(()) => in_place(&self.shared, ticket),
            Err(error) => {
                self.leave(ticket);
                self.shared.tell(Input::WatchFailed(ticket, error));
            }
        }
    }

    fn listen(&mut self, ticket: Ticket, watches: &[Watch]) -> Result<(), HostError> {
        watches.iter().try_for_each(|watch| subject::watch(self, ticket, watch))
    }

    /// Registers one more source that must be in place ([`in_place`]) before the first read.
    pub(super) fn awaits(&self, ticket: Ticket) {
        self.subscriptions(|all| *all.coming.entry(ticket).or_default() += 1);
    }

    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.subscriptions(|all| {
            all.facts.remove(&ticket);
            all.watches.remove(&ticket);
            all.keys.remove(&ticket);
            all.coming.remove(&ticket);
        });
        self.shared.watcher.remove(Listener(ticket.0));
        self.shared.far.remove(Listener(ticket.0));
        self.shared.bus.leave(ticket);
        // Before the servers themselves: none is opened after it was closed.
        self.shared.doors.leave(ticket);
        self.shared.subjects.leave(&self.shared, ticket);
        self.timers.remove(ticket);
        for running in self.followed.remove(&ticket).into_iter().flatten() {
            running.stop(StopMode::Soft);
            self.leaving.push((Instant::now() + TIME_TO_STOP, running));
        }
    }

    pub(super) fn subscriptions<R>(&self, with: impl FnOnce(&mut Subscriptions) -> R) -> R {
        with(&mut self.shared.subscriptions.lock())
    }

    /// Subscribes a ticket to a key of a store.
    pub(super) fn hear_key(&self, ticket: Ticket, watch: store::Watch) {
        self.subscriptions(|all| all.keys.entry(ticket).or_default().push(watch));
    }
}

impl Shared {
    /// Watches a file for a ticket that does not wait for it.
    pub(super) fn watch_file(&self, ticket: Ticket, path: &str) {
        let listener = Listener(ticket.0);
        if !self.far.has(path) || self.far.add_late(listener, path).is_err() {
            self.watcher.add(listener, path, false);
        }
    }
}

/// A source of a ticket is in place; the last one starts the first read.
pub(super) fn in_place(shared: &Shared, ticket: Ticket) {
    let mut subscriptions = shared.subscriptions.lock();
    let Some(coming) = subscriptions.coming.get_mut(&ticket) else { return };
    *coming -= 1;
    if *coming > 0 {
        return;
    }
    subscriptions.coming.remove(&ticket);
    if subscriptions.watches.contains(&ticket) {
        return shared.tell(Input::Fired(ticket, None));
    }
    drop(subscriptions);
    changed(shared, ticket, None);
}

/// Reports a change that affects a ticket.
pub(super) fn changed(shared: &Shared, ticket: Ticket, what: Option<String>) {
    shared.subjects.follow(shared, ticket);
    let subscriptions = shared.subscriptions.lock();
    // The first read is still to come.
    if subscriptions.coming.contains_key(&ticket) {
        return;
    }
    if subscriptions.watches.contains(&ticket) {
        // `None` means "in place", which a timer must not report again.
        return shared.tell(Input::Fired(ticket, Some(what.unwrap_or_else(|| "period".into()))));
    }
    // A store that was never read has no values, and not even missing ones: the program waits.
    let waits = subscriptions.is_of_world(ticket) && shared.world.as_ref().is_some_and(|world| !world.is_known());
    if subscriptions.facts.contains_key(&ticket) && !waits {
        drop(subscriptions);
        read_soon(shared, ticket);
    }
}

/// The shared store was read for the first time: all that depends on it has a value now.
pub(super) fn world_is_known(shared: &Shared) {
    let concerned: Vec<Ticket> = {
        let subscriptions = shared.subscriptions.lock();
        subscriptions.keys.keys().copied().filter(|ticket| subscriptions.is_of_world(*ticket)).collect()
    };
    concerned.into_iter().for_each(|ticket| changed(shared, ticket, None));
}

/// The fact of a ticket; `None` if it was cancelled.
pub(super) fn fact_of(shared: &Shared, ticket: Ticket) -> Option<FactSpec> {
    let subscriptions = shared.subscriptions.lock();
    subscriptions.facts.get(&ticket).map(|fact| fact.spec.clone())
}

/// Reports the value of a fact if it is new. A cancelled subscription gets no report.
pub(super) fn tell_fact(shared: &Shared, ticket: Ticket, value: Result<Datum, HostError>) {
    let mut subscriptions = shared.subscriptions.lock();
    let Some(fact) = subscriptions.facts.get_mut(&ticket) else { return };
    let hash = postcard::to_stdvec(&value).map(|bytes| Sha256::digest(&bytes).into()).ok();
    if hash.is_none() || fact.told != hash {
        shared.tell(Input::Fact(ticket, value));
        fact.told = hash;
    }
}

/// A key of a store has a new value: notifies its watches and facts.
pub(super) fn key_changed(shared: &Shared, store: KeyStore, key: &str) {
    notify(shared, store, key, |_| true);
}

/// The same for its facts only.
pub(super) fn key_changed_for_facts(shared: &Shared, store: KeyStore, key: &str) {
    notify(shared, store, key, |is_watch| !is_watch);
}

/// The same for its watches only.
pub(super) fn key_changed_for_watches(shared: &Shared, store: KeyStore, key: &str) {
    notify(shared, store, key, |is_watch| is_watch);
}

fn notify(shared: &Shared, store: KeyStore, key: &str, is_meant: impl Fn(bool) -> bool) {
    let concerned: Vec<Ticket> = {
        let subscriptions = shared.subscriptions.lock();
        let covers = |watches: &[store::Watch]| watches.iter().any(|watch| watch.covers(store, key));
        let all = subscriptions.keys.iter().filter(|(_, watches)| covers(watches)).map(|(ticket, _)| *ticket);
        all.filter(|ticket| is_meant(subscriptions.watches.contains(ticket))).collect()
    };
    concerned.into_iter().for_each(|ticket| changed(shared, ticket, Some(key.to_owned())));
}
