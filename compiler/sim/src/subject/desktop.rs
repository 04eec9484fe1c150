//! Desktop settings: a table in the world, in place of each user's file.

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, no_such};
use crate::World;
use crate::vocab::desktop::{DATABASE, Finding, Key, Probe, Step};
use crate::vocab::subjects::Desktop;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};
use std::collections::BTreeMap;

/// The program that reads and changes settings.
const TOOL: &str = "/usr/bin/gsettings";

/// A user, a schema and a key; the user is empty for the agent's own.
type Place = (String, String, String);

impl Simulated for Desktop {
    /// The values of all keys, in the text form of GVariant.
    type State = BTreeMap<Place, String>;
}

impl Play for Desktop {
    const TITLE: &'static str = "Desktop settings";
    const ADDS: Adds = &[("setting", "", "org.gnome.desktop.interface clock-format")];

    fn holds(world: &World) -> Vec<Thing> {
        let settings = world.subjects.desktop.iter();
        settings.map(|(place, value)| Thing::new(name(place)).field("value", value)).collect()
    }

    /// Adds a key of the agent's user with an empty text, as if its schema were installed.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        let is_word = |word: &str| {
            word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte)) && !word.is_empty()
        };
        let Some((schema, key)) = thing.split_once(' ').filter(|(schema, key)| is_word(schema) && is_word(key)) else {
            let message = format!("`{thing}` is not a valid setting name: a schema, a space and a key");
            return Err(HostError::new(HostErrorKind::Other, message));
        };
        let place = (String::new(), schema.to_owned(), key.to_owned());
        if world.subjects.desktop.contains_key(&place) {
            return Err(exists(&format!("setting {thing}")));
        }
        if world.read(TOOL).is_err() {
            world.write(TOOL, "")?;
        }
        set(world, place, "''")
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let place = world.subjects.desktop.keys().find(|place| name(place) == thing).cloned();
        match (place, how) {
            (Some(place), Alteration::Set { field, value }) if field == "value" => set(world, place, value),
            (_, Alteration::Set { .. } | Alteration::Do { .. }) => Err(no_such(thing, how)),
        }
    }

    absent! { fact }

    fn probe(at: &mut Context, Probe { key }: &Probe) -> Answer<Finding> {
        setting(at.world, key).map(|value| Finding::Value(value.clone())).into()
    }

    fn step(at: &mut Context, Step { key, value, .. }: &Step) -> Answer<Outcome> {
        done(setting(at.world, key).map(drop).and_then(|()| set(at.world, place(key), value)))
    }
}

/// The name of the thing for a setting.
fn name((user, schema, key): &Place) -> String {
    let of = if user.is_empty() { String::new() } else { format!(" of {user}") };
    format!("{schema} {key}{of}")
}

fn place(key: &Key) -> Place {
    (key.user.clone(), key.schema.clone(), key.key.clone())
}

/// Sets a key. The file of the user changes with it, which is what watches see.
fn set(world: &mut World, place: Place, value: &str) -> Result<(), HostError> {
    let home = match world.users.get(&place.0) {
        Some(user) => user.home.clone(),
        None => "/root".to_owned(),
    };
    let content = format!("{place:?} {value}");
    world.subjects.desktop.insert(place, value.to_owned());
    world.tree.make_dir(&format!("{home}/.config/dconf"), true, None)?;
    world.write(&format!("{home}/{DATABASE}"), content)
}

fn setting<'a>(world: &'a World, key: &Key) -> Result<&'a String, HostError> {
    let failed =
        || HostError::new(HostErrorKind::Other, format!("gsettings: No such key “{}” of “{}”", key.key, key.schema));
    world.subjects.desktop.get(&place(key)).ok_or_else(failed)
}
