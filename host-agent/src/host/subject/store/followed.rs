//! [`Followed`]: the keys that tickets depend on. A new value of a key is reported to them.

use crate::host::{Shared, subscribe};
use crate::lock::Mutex;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::KeyStore;
use mclive_base::vocab::store::Watch;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct Followed(Mutex<BTreeMap<Ticket, Vec<Watch>>>);

impl Followed {
    pub(super) fn add(&self, ticket: Ticket, watch: Watch) {
        self.0.lock().entry(ticket).or_default().push(watch);
    }

    pub(super) fn remove(&self, ticket: Ticket) {
        self.0.lock().remove(&ticket);
    }

    /// Whether a ticket depends on the world.
    pub(super) fn is_of_world(&self, ticket: Ticket) -> bool {
        let followed = self.0.lock();
        followed.get(&ticket).into_iter().flatten().any(|watch| watch.store == KeyStore::World)
    }

    /// The tickets with such a watch.
    fn tickets(&self, is_meant: impl Fn(&Watch) -> bool) -> Vec<Ticket> {
        let followed = self.0.lock();
        followed.iter().filter(|(_, watches)| watches.iter().any(&is_meant)).map(|(ticket, _)| *ticket).collect()
    }
}

/// The shared store was read for the first time: all that depends on it has a value now.
pub(in crate::host) fn world_is_known(shared: &Shared) {
    let concerned = shared.subjects.store.followed.tickets(|watch| watch.store == KeyStore::World);
    concerned.into_iter().for_each(|ticket| subscribe::changed(shared, ticket, None));
}

/// A key of a store has a new value: notifies its watches and facts.
pub(in crate::host) fn key_changed(shared: &Shared, store: KeyStore, key: &str) {
    notify(shared, store, key, |_| true);
}

/// Like [`key_changed`], but only facts that depend on the key are read again.
pub(in crate::host) fn key_changed_for_facts(shared: &Shared, store: KeyStore, key: &str) {
    notify(shared, store, key, |is_watch| !is_watch);
}

/// Like [`key_changed`], but only watches of the key fire.
pub(in crate::host) fn key_changed_for_watches(shared: &Shared, store: KeyStore, key: &str) {
    notify(shared, store, key, |is_watch| is_watch);
}

fn notify(shared: &Shared, store: KeyStore, key: &str, is_meant: impl Fn(bool) -> bool) {
    let mut concerned = shared.subjects.store.followed.tickets(|watch| watch.covers(store, key));
    concerned.retain(|ticket| is_meant(subscribe::is_watch(shared, *ticket)));
    concerned.into_iter().for_each(|ticket| subscribe::changed(shared, ticket, Some(key.to_owned())));
}
