//! Management controllers: the world's [`Controllers`](crate::Controllers).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, done, no_such};
use crate::vocab::controller::{Finding, Probe, Step};
use crate::vocab::subjects::Controller;
use crate::vocab::{Datum, HostError, Outcome};
use crate::{World, gather};
use mclive_base::shapes::host::{Alteration, Thing};

/// The thing for all controllers.
const CONTROLLERS: &str = "controllers";

impl Simulated for Controller {
    type State = state::Controllers;
}

impl Play for Controller {
    const TITLE: &'static str = "Management controllers";

    /// Nothing before a program has changed one.
    fn holds(world: &World) -> Vec<Thing> {
        let all = &world.subjects.controller;
        let places = gather::set(all.power.keys().chain(all.firmware.keys()));
        if places.is_empty() && !all.is_down {
            return Vec::new();
        }
        let (state, verb) =
            if all.is_down { ("unreachable", "make reachable") } else { ("reachable", "make unreachable") };
        let controllers = Thing::new(CONTROLLERS).fixed("state", state).verbs(&[verb]);
        let controller = |place: &String| {
            let power = all.power.get(place).map_or(state::OFF, String::as_str);
            let firmware = all.firmware.get(place).map_or(state::FIRMWARE, String::as_str);
            let thing = Thing::new(place).fixed("power", power).field("firmware", firmware);
            thing.verbs(if power == "on" { &["turn off"] } else { &["turn on"] })
        };
        std::iter::once(controllers).chain(places.into_iter().map(controller)).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let all = &mut world.subjects.controller;
        let is_known = all.power.contains_key(thing) || all.firmware.contains_key(thing);
        match how {
            Alteration::Do { verb } if thing == CONTROLLERS && verb == "make reachable" => all.is_down = false,
            Alteration::Do { verb } if thing == CONTROLLERS && verb == "make unreachable" => all.is_down = true,
            Alteration::Do { verb } if is_known && verb == "turn on" => {
                _ = all.power.insert(thing.to_owned(), "on".to_owned());
            }
            Alteration::Do { verb } if is_known && verb == "turn off" => {
                _ = all.power.insert(thing.to_owned(), state::OFF.to_owned());
            }
            Alteration::Set { field, value } if is_known && field == "firmware" => {
                _ = all.firmware.insert(thing.to_owned(), value.clone());
            }
            Alteration::Do { .. } | Alteration::Set { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let all = &at.world.subjects.controller;
        match probe {
            Probe::Power(controller) => all.power(controller).map(Finding::Power),
            Probe::Firmware(controller) => all.firmware(controller).map(Finding::Firmware),
        }
        .into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        done(at.world.subjects.controller.act(step))
    }
}
