//! The two stores. They are persistent: another run on the same host finds them.

use super::{Adds, Answer, Context, Play, Simulated, exists, no_such};
use crate::session::LONGEST_MS;
use crate::vocab::store::{Fact, Finding, Keys, Probe, Step};
use crate::vocab::subjects::Store;
use crate::vocab::{Datum, HostError, HostErrorKind, KeyStore, Outcome, export};
use crate::{World, seals};
use mclive_base::shapes::host::{Alteration, Thing};

/// The beginning of the names of what only this host has.
const LOCAL: &str = "local ";
/// The connection of this host to the shared store.
const CONNECTION: &str = "connection to the shared store";
const LATENCY: &str = "latency (ms)";
/// The beginning of the names of what the shared store does not have yet.
const WAITING: &str = "waiting ";

impl Simulated for Store {
    type State = ();
}

impl Play for Store {
    const TITLE: &'static str = "Stored values";
    const ADDS: Adds = &[("value of this host", LOCAL, "key"), ("value of all hosts", "", "key")];

    fn holds(world: &World) -> Vec<Thing> {
        let held = |name: String, whose: &str, value: &Datum| {
            let thing = Thing::new(name).fixed("of", whose);
            let thing = match text(value) {
                Ok(text) => thing.text("value", text),
                Err(other) => thing.fixed("value", other),
            };
            thing.verbs(&["delete"])
        };
        let own = world.own_keys.iter().map(|(key, value)| held(format!("{LOCAL}{key}"), "this host", value));
        let shared = world.world_keys.iter().map(|(key, value)| held(key.clone(), "all hosts", value));
        // What the store does not have yet.
        let waiting = |(key, value): (&String, &Option<Datum>)| {
            let value = value.as_ref().map_or("deleted".to_owned(), |value| text(value).unwrap_or_else(|other| other));
            Thing::new(format!("{WAITING}{key}")).fixed("of", "this host").fixed("value", value)
        };
        let waiting = world.session.waiting().iter().map(waiting);
        std::iter::once(connection(world)).chain(own).chain(shared).chain(waiting).collect()
    }

    /// Adds an empty value.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        let (store, key) = place(thing);
        if world.key(store, key).is_some() {
            return Err(exists(&format!("the value {thing}")));
        }
        // What waits and the connection are listed beside the values.
        if key.is_empty() || thing.starts_with(WAITING) || thing == CONNECTION {
            return Err(HostError::new(HostErrorKind::Other, format!("`{key}` cannot be the key of a value")));
        }
        world.set_key(store, key, Some(Datum::text("")));
        Ok(())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        if thing == CONNECTION {
            return connect(world, how);
        }
        let (store, key) = place(thing);
        match how {
            Alteration::Set { value, .. } => world.set_key(store, key, Some(Datum::text(value.as_str()))),
            Alteration::Do { verb } if verb == "delete" => world.set_key(store, key, None),
            Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    fn probe(at: &mut Context, Probe { store, key }: &Probe) -> Answer<Finding> {
        let held = at.world.written(*store, key);
        // A host knows what it has sealed itself.
        let opened = held.and_then(|held| seals::opened(key, export_in(*store, key, held)?));
        Answer::Now(Ok(Finding::Held(opened.map(Datum::Bytes).or_else(|| held.cloned()))))
    }

    fn step(at: &mut Context, Step { store, key, value }: &Step) -> Answer<Outcome> {
        let sealed = value.as_ref().and_then(|value| seals::seal(key, export_in(*store, key, value)?));
        at.world.set_key(*store, key, sealed.map(Datum::Bytes).or_else(|| value.clone()));
        Answer::Now(Ok(Outcome::Done))
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        let mut value = fact.read(world, world.agent())?;
        if let Fact::Exported { kind } = fact {
            let me = world.agent().to_owned();
            export::open_all(&mut value, |name, from, record, closed| {
                let secrets = seals::open(&format!("exported/{me}/{from}/{kind}/{name}"), record, closed);
                let secrets = secrets.ok_or("someone else has changed or copied it")?;
                for text in export::texts(&secrets).map(String::from_utf8_lossy) {
                    if !world.secrets.iter().any(|known| *known == *text) {
                        world.secrets.push(text.into_owned());
                    }
                }
                Ok(secrets)
            });
        }
        Ok(value)
    }
}

/// What an exported resource has under a key. `None`: it is another key.
fn export_in<'a>(store: KeyStore, key: &str, value: &'a Datum) -> Option<&'a [u8]> {
    match value {
        Datum::Bytes(bytes) if store == KeyStore::World && key.starts_with("exported/") => Some(bytes),
        _ => None,
    }
}

/// How the shared store reaches this host.
fn connection(world: &World) -> Thing {
    let (session, delay) = (&world.session, &world.session.delay);
    let state = if session.is_cut() { "disconnected" } else { "connected" };
    let thing = Thing::new(CONNECTION).fixed("state", state).field(LATENCY, delay.latency_ms().to_string());
    let thing = match delay.n_changes() {
        0 => thing,
        1 => thing.fixed("on the way", "1 change"),
        n => thing.fixed("on the way", format!("{n} changes")),
    };
    if delay.n_arrivals() > 1 { thing.verbs(&["compact"]) } else { thing }
}

/// Changes how the shared store reaches this host: how long changes by others take, and whether the store forgets
/// those on the way that later ones have replaced.
fn connect(world: &mut World, how: &Alteration) -> Result<(), HostError> {
    let delay = &mut world.session.delay;
    match how {
        Alteration::Set { field, value } if field == LATENCY => {
            let ms = value.trim().parse::<u64>().ok().filter(|ms| *ms <= LONGEST_MS);
            let message = || format!("`{value}` is not a latency: 0 to {LONGEST_MS} milliseconds");
            delay.set_latency(ms.ok_or_else(|| HostError::new(HostErrorKind::Other, message()))?);
        }
        Alteration::Do { verb } if verb == "compact" => delay.compact(),
        Alteration::Set { .. } | Alteration::Do { .. } => return Err(no_such(CONNECTION, how)),
    }
    Ok(())
}

/// The store and the key of a thing.
fn place(thing: &str) -> (KeyStore, &str) {
    match thing.strip_prefix(LOCAL) {
        Some(key) => (KeyStore::Local, key),
        None => (KeyStore::World, thing),
    }
}

/// A value as text. Errors: what it is instead.
fn text(value: &Datum) -> Result<String, String> {
    match value {
        Datum::Bytes(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(format!("{} bytes", bytes.len())),
        },
        other => Err(format!("{other:?}")),
    }
}

impl Keys for World {
    fn get(&self, store: KeyStore, key: &str) -> Option<Datum> {
        self.key(store, key).cloned()
    }

    fn below(&self, store: KeyStore, prefix: &str) -> Vec<(String, Datum)> {
        let found = self.keys(store).range(prefix.to_owned()..).take_while(|(key, _)| key.starts_with(prefix));
        found.map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}
