//! The two stores. They are durable: another run on the same host finds them.

use super::{Answer, Place, Play};
use crate::World;
use crate::vocab::store::{Fact, Finding, Keys, Probe, Step};
use crate::vocab::subjects::Store;
use crate::vocab::{Datum, HostError, KeyStore, Outcome};

impl Play for Store {
    fn probe(at: &mut Place, Probe { store, key }: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(Finding::Held(at.world.key(*store, key).cloned())))
    }

    fn step(at: &mut Place, Step { store, key, value }: &Step) -> Answer<Outcome> {
        at.world.set_key(*store, key, value.clone());
        Answer::Now(Ok(Outcome::Done))
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        fact.read(world, &world.hostname)
    }
}

impl Keys for World {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum> {
        self.key(store, key).cloned()
    }

    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        let from = self.keys.range((store, prefix.to_owned())..);
        let found = from.take_while(|((of, key), _)| *of == store && key.starts_with(prefix));
        found.map(|((_, key), value)| (key.clone(), value.clone())).collect()
    }
}
