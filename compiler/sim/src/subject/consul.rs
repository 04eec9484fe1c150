//! Keys of Consul: a table in the world, by server and key.

use super::{Answer, Place, Play, absent, done, hash};
use crate::World;
use crate::vocab::consul::{Finding, Key, Probe, Step, Watch};
use crate::vocab::subjects::Consul;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};

impl Play for Consul {
    absent! { fact }

    fn probe(at: &mut Place, Probe { key }: &Probe) -> Answer<Finding> {
        is_up(at.world, key).map(|()| Finding::Value(at.world.consul.get(&place(key)).cloned())).into()
    }

    fn step(at: &mut Place, Step { key, value, now }: &Step) -> Answer<Outcome> {
        let number = |found: Option<&(Vec<u8>, u64)>| found.map_or(0, |(_, number)| *number);
        let found = number(at.world.consul.get(&place(key)));
        done(is_up(at.world, key).and_then(|()| {
            if found != number(now.as_ref()) {
                return Err(HostError::new(HostErrorKind::NotFound, "the key was changed by another client"));
            }
            at.world.set_consul(&key.server, &key.key, value);
            Ok(())
        }))
    }

    fn fingerprint(world: &World, Watch { key }: &Watch) -> Option<u64> {
        Some(hash(&(world.consul.get(&place(key)), is_up(world, key).is_ok())))
    }
}

fn place(key: &Key) -> (String, String) {
    (key.server.clone(), key.key.clone())
}

fn is_up(world: &World, key: &Key) -> Result<(), HostError> {
    let server = &key.server;
    let down = || HostError::new(HostErrorKind::Unavailable, format!("{server}: connection refused"));
    if world.consul_is_down { Err(down()) } else { Ok(()) }
}
