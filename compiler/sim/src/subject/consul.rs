//! Keys of Consul: a table in the world, by server and key.

use super::{Answer, Place, Play, absent, done, hash, no_such};
use crate::World;
use crate::vocab::consul::{Finding, Key, Probe, Step, Watch};
use crate::vocab::subjects::Consul;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

/// The thing for all servers.
const SERVERS: &str = "servers";

impl Play for Consul {
    const TITLE: &'static str = "Consul";

    /// Nothing before a program has used it.
    fn holds(world: &World) -> Vec<Thing> {
        if world.consul.is_empty() && !world.consul_is_down {
            return Vec::new();
        }
        let (state, verb) = if world.consul_is_down { ("stopped", "start") } else { ("running", "stop") };
        let servers = Thing::new(SERVERS).fixed("state", state).verbs(&[verb]);
        let key = |(place, (value, _)): (&(String, String), &(Vec<u8>, u64))| {
            let thing = Thing::new(name(place));
            let thing = match std::str::from_utf8(value) {
                Ok(text) => thing.field("value", text),
                Err(_) => thing.fixed("value", format!("{} bytes", value.len())),
            };
            thing.verbs(&["delete"])
        };
        std::iter::once(servers).chain(world.consul.iter().map(key)).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if thing == SERVERS {
            match how {
                Alteration::Do { verb } if verb == "start" || verb == "stop" => world.consul_is_down = verb == "stop",
                Alteration::Do { .. } | Alteration::Set { .. } => return Err(no_such(thing, how)),
            }
            return Ok(());
        }
        let found = world.consul.keys().find(|place| name(place) == thing).cloned();
        let place = found.ok_or_else(|| no_such(thing, how))?;
        match how {
            Alteration::Set { value, .. } => world.set_consul(&place.0, &place.1, value.as_bytes()),
            Alteration::Do { verb } if verb == "delete" => _ = world.consul.remove(&place),
            Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

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

/// The name of the thing for a key.
fn name((server, key): &(String, String)) -> String {
    format!("{key} at {server}")
}

fn place(key: &Key) -> (String, String) {
    (key.server.clone(), key.key.clone())
}

fn is_up(world: &World, key: &Key) -> Result<(), HostError> {
    let server = &key.server;
    let down = || HostError::new(HostErrorKind::Unavailable, format!("{server}: connection refused"));
    if world.consul_is_down { Err(down()) } else { Ok(()) }
}
