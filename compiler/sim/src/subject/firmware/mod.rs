//! Firmware: the world's [`Firmwares`](crate::Firmwares).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, done, hash, no_such};
use crate::World;
use crate::vocab::firmware::{Finding, Probe, Remote, Step, Watch};
use crate::vocab::subjects::Firmware;
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Firmware {
    type State = state::Firmwares;
}

impl Play for Firmware {
    const TITLE: &'static str = "Firmware";

    fn holds(world: &World) -> Vec<Thing> {
        let known = &world.subjects.firmware;
        let devices = known.devices.iter().map(|device| Thing::new(&device.name).field("version", &device.version));
        let remotes = known.remotes.values().map(|(remote, _)| {
            let (state, verb) = if remote.is_enabled { ("enabled", "disable") } else { ("disabled", "enable") };
            Thing::new(format!("remote {}", remote.id)).fixed("state", state).verbs(&[verb])
        });
        devices.chain(remotes).collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let known = &mut world.subjects.firmware;
        match how {
            Alteration::Set { field, value } if field == "version" => {
                let device = known.devices.iter_mut().find(|device| device.name == thing);
                device.ok_or_else(|| no_such(thing, how))?.version.clone_from(value);
            }
            Alteration::Do { verb } if verb == "enable" || verb == "disable" => {
                let remote = thing.strip_prefix("remote ").and_then(|id| known.remotes.get_mut(id));
                remote.ok_or_else(|| no_such(thing, how))?.0.is_enabled = verb == "enable";
            }
            Alteration::Set { .. } | Alteration::Do { .. } => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { fact }

    fn probe(at: &mut Context, probe: &Probe) -> Answer<Finding> {
        let now_s = at.world.tree.now_ns / 1_000_000_000;
        let known = at.world.subjects.firmware.asked();
        known
            .map(|known| match probe {
                Probe::Devices => Finding::Devices(known.devices.clone()),
                Probe::Releases { device } => Finding::Releases(known.releases_of(device)),
                Probe::Remotes => {
                    let aged = |(remote, fetched_s): &(Remote, Option<i64>)| {
                        let age_s = fetched_s.and_then(|then| u64::try_from(now_s - then).ok());
                        Remote { age_s, ..remote.clone() }
                    };
                    Finding::Remotes(known.remotes.values().map(aged).collect())
                }
            })
            .into()
    }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        let now_s = at.world.tree.now_ns / 1_000_000_000;
        done(at.world.subjects.firmware.asked().and_then(|known| known.act(step, now_s)))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        let known = &world.subjects.firmware;
        Some(match watch {
            Watch::Device { id } => {
                let devices = known.devices.iter().filter(|device| id.is_empty() || device.is(id));
                hash(&(known.are_gone, devices.collect::<Vec<_>>(), &known.releases))
            }
            Watch::Remotes => hash(&(known.are_gone, &known.remotes)),
        })
    }
}
