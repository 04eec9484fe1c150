//! The two stores: files below the prefix, or for the world of several hosts their shared store.

mod collecting;
mod followed;

pub(in crate::host) use followed::{key_changed, key_changed_for_facts, key_changed_for_watches, world_is_known};

use super::{Backend, Context, SubjectState, refused};
use crate::host::{EXPORTS, Host, MOST_EXPORTS, Shared};
use collecting::Collecting;
use followed::Followed;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::store::{Fact, Finding, Probe, Step, Watch, hosts_of};
use mclive_base::vocab::subjects::Store;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, KeyStore, Outcome, export};
use std::sync::Arc;

/// The state of both stores.
#[derive(Default)]
pub(super) struct Stores {
    followed: Followed,
    collecting: Collecting,
}

impl SubjectState for Stores {
    fn leave(&self, _: &Arc<Shared>, ticket: Ticket) {
        self.followed.remove(ticket);
    }

    /// A store that was never read has no values, and not even missing ones: the program waits.
    fn waits(&self, shared: &Shared, ticket: Ticket) -> bool {
        self.followed.is_of_world(ticket) && shared.world.as_ref().is_some_and(|world| !world.is_known())
    }
}

impl Backend for Store {
    type State = Stores;

    fn probe(at: &Context, Probe { store, key }: &Probe) -> Result<Finding, HostError> {
        Ok(Finding::Held(match at.shared.shared_store(*store) {
            Some(world) => world.look(at.id, key),
            None => at.shared.state.key(*store, key),
        }))
    }

    fn step(at: &Context, Step { store, key, value }: &Step) -> Result<Outcome, HostError> {
        if let Some(world) = at.shared.shared_store(*store) {
            return world.step(at, key, value.as_ref());
        }
        // Other hosts have no keys here.
        let has_secrets = matches!(value, Some(Datum::Bytes(value)) if export::split(value).is_some());
        if has_secrets && *store == KeyStore::World && key.starts_with(EXPORTS) {
            let why = "its secrets cannot be sealed: this agent runs without --world, which other hosts share";
            return Err(HostError::new(HostErrorKind::Refused, why));
        }
        at.shared.state.set_key(*store, key, value.as_ref(), || key_changed(at.shared, *store, key))?;
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.shared.subjects.store.followed.add(ticket, watch.clone());
        Ok(())
    }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Exported { kind } => {
                shared.policy.collect_kind(kind).map_err(refused)?;
                let exported = fact.read(shared, &shared.hostname)?;
                let world = shared.shared_store(KeyStore::World);
                // A host that exports more must not stop the programs of the others.
                let most = world.map_or(usize::MAX, |_| MOST_EXPORTS);
                let mut exported = shared.subjects.store.collecting.permitted(&shared.policy, exported, most);
                if let Some(world) = world {
                    world.open_exports(shared, kind, &mut exported);
                }
                Ok(exported)
            }
            Fact::Map { namespace } => {
                let (values, left_out) = hosts_of(namespace, shared);
                if let Some(key) = left_out {
                    shared.subjects.store.collecting.tell_deeper(namespace, &key);
                }
                Ok(values)
            }
            Fact::Value { key } => {
                let world = shared.shared_store(KeyStore::World);
                match world.and_then(|world| world.opened(key, |part| shared.tell_secret(part))) {
                    Some(Ok(secret)) => Ok(Datum::text(secret)),
                    Some(Err(why)) => Err(HostError::new(HostErrorKind::NotFound, why)),
                    None => fact.read(shared, &shared.hostname),
                }
            }
            Fact::Local { .. } | Fact::Shared => fact.read(shared, &shared.hostname),
        }
    }
}
