//! The host's names: the world's own, and the two files.

use super::{Answer, Context, Play, Simulated, done, hash, no_such};
use crate::World;
use crate::vocab::hostname::{
    Fact, Finding, Names, PRETTY_FILE, Probe, STATIC_FILE, Step, Watch, Which, fixed, pretty, with_pretty,
};
use crate::vocab::subjects::Hostname;
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Hostname {
    type State = ();
}

impl Play for Hostname {
    const TITLE: &'static str = "Host names";

    fn holds(world: &World) -> Vec<Thing> {
        let fixed = fixed(&text(world, STATIC_FILE));
        vec![Thing::new("active").field("name", &world.hostname), Thing::new("at boot").field("name", fixed)]
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        match (thing, how) {
            ("active", Alteration::Set { value, .. }) => {
                world.hostname.clone_from(value);
                Ok(())
            }
            ("at boot", Alteration::Set { value, .. }) => world.write(STATIC_FILE, format!("{value}\n")),
            (_, Alteration::Set { .. } | Alteration::Do { .. }) => Err(no_such(thing, how)),
        }
    }

    fn probe(at: &mut Context, _: &Probe) -> Answer<Finding> {
        let world = &at.world;
        let (fixed, pretty) = (fixed(&text(world, STATIC_FILE)), pretty(&text(world, PRETTY_FILE)));
        Answer::Now(Ok(Finding::Names(Names { fixed, pretty, transient: world.hostname.clone() })))
    }

    fn step(at: &mut Context, Step { which, name, .. }: &Step) -> Answer<Outcome> {
        let world = &mut *at.world;
        done(match which {
            Which::Static => world.write(STATIC_FILE, format!("{name}\n")),
            Which::Pretty => world.write(PRETTY_FILE, with_pretty(text(world, PRETTY_FILE).as_bytes(), name)),
            Which::Transient => {
                world.hostname.clone_from(name);
                Ok(())
            }
        })
    }

    fn fingerprint(world: &World, _: &Watch) -> Option<u64> {
        Some(hash(&(&world.hostname, text(world, STATIC_FILE), text(world, PRETTY_FILE))))
    }

    fn fact(world: &mut World, _: u64, _: &Fact) -> Result<Datum, HostError> {
        Ok(Datum::text(world.hostname.as_str()))
    }
}

fn text(world: &World, file: &str) -> String {
    world.read(file).map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default()
}
