//! Facts and watches: from a subscription to the events that affect it.
//!
//! Both are a [`Ticket`] with sources of changes: a path, a period, a key, the network, a line of a command. A watch
//! reports the change itself; a fact is read again ([`super::readers`]), and reported if it differs.

use super::readers::read_soon;
use super::watch::Listener;
use super::{Host, Shared, subject};
use mclive_base::protocol::{Input, StopMode, Ticket};
use mclive_base::vocab::{Changes, Datum, FactSpec, HostError, Watch};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How long a followed command may take to stop.
const TIME_TO_STOP: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct Subscriptions {
    facts: BTreeMap<Ticket, Fact>,
    watches: BTreeSet<Ticket>,
    /// The number of its sources that another thread has not set up yet.
    coming: BTreeMap<Ticket, usize>,
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
            all.coming.remove(&ticket);
        });
        self.shared.bus.leave(ticket);
        // Before the servers themselves: none is opened after it was closed.
        self.shared.doors.leave(ticket);
        self.shared.subjects.leave(&self.shared, ticket);
        // After the subjects: another thread may watch one more path for this ticket until its subject has left it
        // (`SubjectState::follow`).
        self.shared.watcher.remove(Listener(ticket.0));
        self.shared.far.remove(Listener(ticket.0));
        self.shared.timers.lock().remove(ticket);
        for running in self.followed.remove(&ticket).into_iter().flatten() {
            running.stop(StopMode::Soft);
            self.leaving.push((Instant::now() + TIME_TO_STOP, running));
        }
    }

    pub(super) fn subscriptions<R>(&self, with: impl FnOnce(&mut Subscriptions) -> R) -> R {
        with(&mut self.shared.subscriptions.lock())
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

/// Records that a source of a ticket is set up; the last one starts the first read.
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
    if subscriptions.facts.contains_key(&ticket) && !shared.subjects.waits(shared, ticket) {
        drop(subscriptions);
        read_soon(shared, ticket);
    }
}

/// Whether a ticket is that of a watch, not of a fact.
pub(super) fn is_watch(shared: &Shared, ticket: Ticket) -> bool {
    shared.subscriptions.lock().watches.contains(&ticket)
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
