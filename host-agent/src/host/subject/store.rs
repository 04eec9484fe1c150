//! The two stores, below the prefix.

use super::{Backend, Place};
use crate::host::state::StateDir;
use crate::host::{Host, Shared, subscribe};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::store::{Fact, Finding, Keys, Probe, Step, Watch};
use mclive_base::vocab::subjects::Store;
use mclive_base::vocab::{Datum, HostError, KeyStore, Outcome};

impl Backend for Store {
    fn probe(at: &Place, Probe { store, key }: &Probe) -> Result<Finding, HostError> {
        Ok(Finding::Held(at.shared.state.key(*store, key)))
    }

    fn step(at: &Place, Step { store, key, value }: &Step) -> Result<Outcome, HostError> {
        at.shared.state.set_key(*store, key, value.as_ref(), || subscribe::key_changed(at.shared, *store, key))?;
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.hear_key(ticket, watch.clone());
        Ok(())
    }

    fn fact(shared: &Shared, fact: &Fact) -> Result<Datum, HostError> {
        fact.read(&shared.state, &shared.hostname)
    }
}

impl Keys for StateDir {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum> {
        self.key(store, key)
    }

    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        self.keys_below(store, prefix)
    }
}
