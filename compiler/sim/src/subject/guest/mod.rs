//! Machines of this host: the world's [`Guests`](crate::Guests).

pub(super) mod state;

use super::{Adds, Answer, Context, Play, Simulated, absent, done, exists, hash, no_such};
use crate::World;
use crate::vocab::guest::{Finding, Move, Probe, Step, Watch};
use crate::vocab::subjects::Guest;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Guest {
    type State = state::Guests;
}

impl Play for Guest {
    const TITLE: &'static str = "nspawn machines";
    const ADDS: Adds = &[("nspawn machine", "", "db")];

    fn holds(world: &World) -> Vec<Thing> {
        let guests = &world.subjects.guest;
        let guest = |name: &String| {
            let state = guests.up.get(name);
            let thing = Thing::new(name).fixed("state", state.map_or("stopped", String::as_str));
            thing.verbs(&[if state.is_some() { "stop" } else { "start" }])
        };
        let without_image = guests.up.keys().filter(|name| !guests.images.contains(*name));
        guests.images.iter().chain(without_image).map(guest).collect()
    }

    /// Adds the image of a machine, which is stopped.
    fn add(world: &mut World, thing: &str) -> Result<(), HostError> {
        let guests = world.subjects.guest.known()?;
        if guests.images.contains(thing) || guests.up.contains_key(thing) {
            return Err(exists(&format!("machine {thing}")));
        }
        let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
        if thing.is_empty() || thing.starts_with(['-', '.']) || !thing.bytes().all(is_valid) {
            let rule = "letters, digits, `-` and `.`, beginning with a letter or digit";
            return Err(HostError::new(HostErrorKind::Other, format!("`{thing}` is not a valid machine name: {rule}")));
        }
        guests.images.insert(thing.to_owned());
        Ok(())
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let guests = world.subjects.guest.known()?;
        match how {
            Alteration::Do { verb } if verb == "start" && guests.images.contains(thing) => {
                guests.up.insert(thing.to_owned(), "running".into());
            }
            Alteration::Do { verb } if verb == "stop" && guests.up.contains_key(thing) => {
                guests.up.remove(thing);
            }
            Alteration::Do { .. } | Alteration::Set { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Context, Probe { name }: &Probe) -> Answer<Finding> {
        let known = at.world.subjects.guest.known();
        let seen = known.map(|guests| Finding::Guest {
            state: guests.up.get(name).cloned(),
            has_image: guests.images.contains(name),
        });
        seen.into()
    }

    fn step(at: &mut Context, Step { name, change, .. }: &Step) -> Answer<Outcome> {
        done(at.world.subjects.guest.known().map(|guests| match change {
            Move::Start => _ = guests.up.insert(name.clone(), "running".into()),
            // The unit did not start it, so it has nothing to stop.
            Move::Stop if guests.strays.contains(name) => {}
            Move::Stop | Move::Terminate => _ = guests.up.remove(name),
        }))
    }

    fn fingerprint(world: &World, Watch { name }: &Watch) -> Option<u64> {
        let guests = &world.subjects.guest;
        Some(hash(&(guests.are_gone, guests.up.get(name), guests.images.contains(name))))
    }
}
