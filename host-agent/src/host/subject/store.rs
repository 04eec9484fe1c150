//! The two stores: files below the prefix, or for the world of several hosts their shared store.

use super::{Backend, Place, refused};
use crate::host::{Host, Shared, subscribe};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::store::{Fact, Finding, Probe, Step, Watch, hosts_of};
use mclive_base::vocab::subjects::Store;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Store {
    fn probe(at: &Place, Probe { store, key }: &Probe) -> Result<Finding, HostError> {
        Ok(Finding::Held(match at.shared.shared_store(*store) {
            Some(world) => world.look(at.id, key),
            None => at.shared.state.key(*store, key),
        }))
    }

    fn step(at: &Place, Step { store, key, value }: &Step) -> Result<Outcome, HostError> {
        if let Some(world) = at.shared.shared_store(*store) {
            return world.step(at, key, value.as_ref());
        }
        at.shared.state.set_key(*store, key, value.as_ref(), || subscribe::key_changed(at.shared, *store, key))?;
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.hear_key(ticket, watch.clone());
        Ok(())
    }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        match fact {
            Fact::Exported { kind } => {
                shared.policy.collect_kind(kind).map_err(refused)?;
                let exported = fact.read(shared, &shared.hostname)?;
                Ok(shared.collecting.permitted(&shared.policy, exported))
            }
            Fact::Map { namespace } => {
                let (values, left_out) = hosts_of(namespace, shared);
                if let Some(key) = left_out {
                    shared.collecting.tell_deeper(namespace, &key);
                }
                Ok(values)
            }
            Fact::Value { .. } | Fact::Local { .. } | Fact::Shared => fact.read(shared, &shared.hostname),
        }
    }
}
