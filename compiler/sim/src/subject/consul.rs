//! Keys of Consul: a table, by server and key.

use super::{Answer, Context, Play, Simulated, SubjectState, absent, done, hash, no_such};
use crate::World;
use crate::vocab::consul::{Finding, Key, Probe, Step, Watch};
use crate::vocab::subjects::Consul;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};
use std::collections::BTreeMap;

/// All Consul servers.
#[derive(Clone, Default)]
pub struct Consuls {
    /// Keys with their values and modify indices, by server and key.
    pub keys: BTreeMap<(String, String), (Vec<u8>, u64)>,
    /// Whether all servers are unreachable.
    pub is_down: bool,
}

impl Consuls {
    /// Sets a key by hand.
    pub fn set(&mut self, server: &str, key: &str, value: &[u8]) {
        let number = self.keys.values().map(|(_, number)| *number).max().unwrap_or(0) + 1;
        self.keys.insert((server.to_owned(), key.to_owned()), (value.to_vec(), number));
    }
}

impl SubjectState for Consuls {
    fn of_new_host(_: &str) -> Consuls {
        Consuls::default()
    }

    fn n_entries(&self) -> usize {
        self.keys.len()
    }

    fn n_bytes(&self) -> usize {
        self.keys.values().map(|(value, _)| value.len()).sum()
    }
}

/// The thing for all servers.
const SERVERS: &str = "servers";

impl Simulated for Consul {
    type State = Consuls;
}

impl Play for Consul {
    const TITLE: &'static str = "Consul";

    /// Nothing before a program has used it.
    fn holds(world: &World) -> Vec<Thing> {
        if world.subjects.consul.keys.is_empty() && !world.subjects.consul.is_down {
            return Vec::new();
        }
        let (state, verb) = if world.subjects.consul.is_down { ("stopped", "start") } else { ("running", "stop") };
        let servers = Thing::new(SERVERS).fixed("state", state).verbs(&[verb]);
        let key = |(place, (value, _)): (&(String, String), &(Vec<u8>, u64))| {
            let thing = Thing::new(name(place));
            let thing = match std::str::from_utf8(value) {
                Ok(text) => thing.field("value", text),
                Err(_) => thing.fixed("value", format!("{} bytes", value.len())),
            };
            thing.verbs(&["delete"])
        };
        std::iter::once(servers).chain(world.subjects.consul.keys.iter().map(key)).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if thing == SERVERS {
            match how {
                Alteration::Do { verb } if verb == "start" || verb == "stop" => {
                    world.subjects.consul.is_down = verb == "stop"
                }
                Alteration::Do { .. } | Alteration::Set { .. } => return Err(no_such(thing, how)),
            }
            return Ok(());
        }
        let found = world.subjects.consul.keys.keys().find(|place| name(place) == thing).cloned();
        let place = found.ok_or_else(|| no_such(thing, how))?;
        match how {
            Alteration::Set { value, .. } => world.subjects.consul.set(&place.0, &place.1, value.as_bytes()),
            Alteration::Do { verb } if verb == "delete" => _ = world.subjects.consul.keys.remove(&place),
            Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Context, Probe { key }: &Probe) -> Answer<Finding> {
        is_up(at.world, key).map(|()| Finding::Value(at.world.subjects.consul.keys.get(&place(key)).cloned())).into()
    }

    fn step(at: &mut Context, Step { key, value, now }: &Step) -> Answer<Outcome> {
        let number = |found: Option<&(Vec<u8>, u64)>| found.map_or(0, |(_, number)| *number);
        let found = number(at.world.subjects.consul.keys.get(&place(key)));
        done(is_up(at.world, key).and_then(|()| {
            if found != number(now.as_ref()) {
                return Err(HostError::new(HostErrorKind::NotFound, "the key was changed by another client"));
            }
            at.world.subjects.consul.set(&key.server, &key.key, value);
            Ok(())
        }))
    }

    fn fingerprint(world: &World, Watch { key }: &Watch) -> Option<u64> {
        Some(hash(&(world.subjects.consul.keys.get(&place(key)), is_up(world, key).is_ok())))
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
    if world.subjects.consul.is_down { Err(down()) } else { Ok(()) }
}
