//! The machine: fields of the world.

use super::{Answer, Place, Play, Simulated, absent, hash, no_such, number, texts};
use crate::protocol::Ticket;
use crate::vocab::machine::{Fact, Finding, Probe, Watch};
use crate::vocab::subjects::Machine;
use crate::vocab::{Datum, HostError, Outcome, time};
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};

impl Simulated for Machine {
    type State = ();
}

impl Play for Machine {
    const TITLE: &'static str = "The machine";

    fn holds(world: &World) -> Vec<Thing> {
        let load: Vec<String> = world.load.iter().map(f64::to_string).collect();
        let states: Vec<String> = world.firmware_updates.iter().map(i64::to_string).collect();
        vec![
            Thing::new("load").field("averages", load.join(" ")),
            Thing::new("processors").field("online", &world.cpus_online),
            Thing::new("kernel modules").field("loaded", world.kernel_modules.join(" ")),
            Thing::new("sound").field("peak", world.audio_peak.to_string()),
            Thing::new("identity").field("text", texts_of(world)),
            Thing::new("firmware updates").field("states", states.join(" ")),
            Thing::new("boots").fixed("count", world.n_boots.to_string()),
        ]
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let Alteration::Set { field, value } = how else { return Err(no_such(thing, how)) };
        match thing {
            "load" => {
                // One number sets all three.
                let given = value.split_whitespace().map(|one| number(field, one)).collect::<Result<Vec<f64>, _>>()?;
                let last = given.last().copied().unwrap_or(0.0);
                world.load = std::array::from_fn(|at| given.get(at).copied().unwrap_or(last));
            }
            "processors" => world.cpus_online.clone_from(value),
            "kernel modules" => world.kernel_modules = value.split_whitespace().map(str::to_owned).collect(),
            "sound" => world.audio_peak = number(field, value)?,
            // Programs look for names of virtual machines in any of them.
            "identity" => {
                let text = (!value.is_empty()).then(|| value.clone().into_bytes());
                world.machine_texts = text.into_iter().collect();
            }
            "firmware updates" => {
                let states = value.split_whitespace().map(|one| number(field, one));
                world.firmware_updates = states.collect::<Result<Vec<i64>, _>>()?;
            }
            _ => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { step }

    fn probe(at: &mut Place, _: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(Finding::Boot(format!("boot-{}", at.world.n_boots))))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        Some(match watch {
            Watch::Cpus => hash(&world.cpus_online),
            Watch::Firmware => hash(&world.firmware_updates),
        })
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(match fact {
            Fact::Load { .. } => Datum::List(world.load.iter().map(|&load| Datum::Float(load)).collect()),
            Fact::KernelModules => texts(world.kernel_modules.iter()),
            Fact::CpusOnline => Datum::text(world.cpus_online.as_str()),
            Fact::Texts => Datum::List(world.machine_texts.iter().cloned().map(Datum::Bytes).collect()),
            Fact::FirmwareUpdates => {
                Datum::List(world.firmware_updates.iter().map(|&state| Datum::Int(state)).collect())
            }
            Fact::AudioPeak => Datum::Float(world.audio_peak),
        })
    }

    /// The peak of each second of sound.
    fn stream(host: &mut SimHost, ticket: Ticket, _: &Fact) {
        host.next_tick(ticket, time::Watch::Full { ms: 1000 });
        host.tell_fact(ticket);
    }
}

/// What identifies the machine.
fn texts_of(world: &World) -> String {
    let texts: Vec<String> =
        world.machine_texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    texts.join(" ")
}
