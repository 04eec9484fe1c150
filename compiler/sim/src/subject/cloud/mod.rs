//! Cloud machines: the world's [`Clouds`](crate::Clouds).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, done, no_such};
use crate::World;
use crate::vocab::cloud::{Cloud as Provider, Finding, Probe, Stand, Step};
use crate::vocab::subjects::Cloud;
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

/// The thing for all clouds.
const CLOUDS: &str = "clouds";

impl Simulated for Cloud {
    type State = state::Clouds;
}

impl Play for Cloud {
    const TITLE: &'static str = "Cloud machines";

    /// Nothing before a program has created one.
    fn holds(world: &World) -> Vec<Thing> {
        let clouds = &world.subjects.cloud;
        if clouds.machines.is_empty() && !clouds.is_down {
            return Vec::new();
        }
        let (state, verb) =
            if clouds.is_down { ("unreachable", "make reachable") } else { ("reachable", "make unreachable") };
        let all = Thing::new(CLOUDS).fixed("state", state).verbs(&[verb]);
        let machines = clouds.machines.iter().map(|(place, found)| {
            let verbs: &[&str] = match found.state {
                Stand::On => &["stop", "delete"],
                Stand::Off => &["start", "delete"],
                Stand::Passing => &["delete"],
            };
            let thing = Thing::new(name(place)).fixed("state", &found.word);
            thing.fixed("type", found.model.join(" ")).fixed("image", found.image.join(" ")).verbs(verbs)
        });
        std::iter::once(all).chain(machines).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let Alteration::Do { verb } = how else { return Err(no_such(thing, how)) };
        let clouds = &mut world.subjects.cloud;
        if thing == CLOUDS && ["make reachable", "make unreachable"].contains(&&**verb) {
            clouds.is_down = verb == "make unreachable";
            return Ok(());
        }
        let place = clouds.machines.keys().find(|place| name(place) == thing).cloned();
        if place.is_some_and(|place| clouds.alter(&place, verb)) { Ok(()) } else { Err(no_such(thing, how)) }
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let clouds = &at.world.subjects.cloud;
        match probe {
            Probe::Machine(machine) => clouds.look(machine).map(|found| Finding::Machine(found.cloned())),
            Probe::Image { cloud, image } => clouds.has(cloud, image).map(Finding::Image),
            Probe::ServerType { token, name, .. } | Probe::Place { token, name } => {
                clouds.has(&Provider::Hetzner { token: token.clone() }, name).map(Finding::Offered)
            }
        }
        .into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        done(at.world.subjects.cloud.act(&step.machine, &step.action))
    }
}

/// The name of the thing for a machine, by the address of its cloud and its own name.
fn name((address, machine): &(String, String)) -> String {
    format!("{machine} at {address}")
}
