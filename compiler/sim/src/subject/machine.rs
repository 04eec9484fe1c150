//! The machine: the world's [`Hardware`].

use super::{Answer, Context, Play, Simulated, SubjectState, absent, hash, no_such, number, texts};
use crate::protocol::Ticket;
use crate::vocab::machine::{Fact, Finding, Probe, Watch};
use crate::vocab::subjects::Machine;
use crate::vocab::{Datum, HostError, Outcome, time};
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};

/// The machine and its kernel.
#[derive(Clone)]
pub struct Hardware {
    /// The load averages over 1, 5 and 15 minutes.
    pub load: [f64; 3],
    /// The number of boots.
    pub n_boots: u64,
    /// Loaded kernel modules.
    pub kernel_modules: Vec<String>,
    /// The online processors, as a range list.
    pub cpus_online: String,
    /// Texts that identify a virtual machine.
    pub texts: Vec<Vec<u8>>,
    /// Update states of firmware devices.
    pub firmware_updates: Vec<i64>,
    /// The peak sound level, as a ratio.
    pub audio_peak: f64,
}

impl SubjectState for Hardware {
    fn of_new_host(_: &str) -> Hardware {
        Hardware {
            load: [0.1, 0.1, 0.1],
            n_boots: 1,
            kernel_modules: vec!["ext4".to_string(), "loop".to_string()],
            cpus_online: "0-3".to_string(),
            texts: Vec::new(),
            firmware_updates: Vec::new(),
            audio_peak: 0.5,
        }
    }
}

impl Simulated for Machine {
    type State = Hardware;
}

impl Play for Machine {
    const TITLE: &'static str = "The machine";

    fn holds(world: &World) -> Vec<Thing> {
        let load: Vec<String> = world.subjects.machine.load.iter().map(f64::to_string).collect();
        let states: Vec<String> = world.subjects.machine.firmware_updates.iter().map(i64::to_string).collect();
        vec![
            Thing::new("load").field("averages", load.join(" ")),
            Thing::new("processors").field("online", &world.subjects.machine.cpus_online),
            Thing::new("kernel modules").field("loaded", world.subjects.machine.kernel_modules.join(" ")),
            Thing::new("sound").field("peak", world.subjects.machine.audio_peak.to_string()),
            Thing::new("identity").field("text", texts_of(world)),
            Thing::new("firmware updates").field("states", states.join(" ")),
            Thing::new("boots").fixed("count", world.subjects.machine.n_boots.to_string()),
        ]
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let Alteration::Set { field, value } = how else { return Err(no_such(thing, how)) };
        match thing {
            "load" => {
                // One number sets all three.
                let given = value.split_whitespace().map(|one| number(field, one)).collect::<Result<Vec<f64>, _>>()?;
                let last = given.last().copied().unwrap_or(0.0);
                world.subjects.machine.load = std::array::from_fn(|at| given.get(at).copied().unwrap_or(last));
            }
            "processors" => world.subjects.machine.cpus_online.clone_from(value),
            "kernel modules" => {
                world.subjects.machine.kernel_modules = value.split_whitespace().map(str::to_owned).collect()
            }
            "sound" => world.subjects.machine.audio_peak = number(field, value)?,
            // Programs look for names of virtual machines in any of them.
            "identity" => {
                let text = (!value.is_empty()).then(|| value.clone().into_bytes());
                world.subjects.machine.texts = text.into_iter().collect();
            }
            "firmware updates" => {
                let states = value.split_whitespace().map(|one| number(field, one));
                world.subjects.machine.firmware_updates = states.collect::<Result<Vec<i64>, _>>()?;
            }
            _ => return Err(no_such(thing, how)),
        }
        Ok(())
    }

    absent! { step }

    fn probe(at: &mut Context, _: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(Finding::Boot(format!("boot-{}", at.world.subjects.machine.n_boots))))
    }

    fn fingerprint(world: &World, watch: &Watch) -> Option<u64> {
        Some(match watch {
            Watch::Cpus => hash(&world.subjects.machine.cpus_online),
            Watch::Firmware => hash(&world.subjects.machine.firmware_updates),
        })
    }

    fn fact(world: &mut World, _: u64, fact: &Fact) -> Result<Datum, HostError> {
        Ok(match fact {
            Fact::Load { .. } => {
                Datum::List(world.subjects.machine.load.iter().map(|&load| Datum::Float(load)).collect())
            }
            Fact::KernelModules => texts(world.subjects.machine.kernel_modules.iter()),
            Fact::CpusOnline => Datum::text(world.subjects.machine.cpus_online.as_str()),
            Fact::Texts => Datum::List(world.subjects.machine.texts.iter().cloned().map(Datum::Bytes).collect()),
            Fact::FirmwareUpdates => {
                Datum::List(world.subjects.machine.firmware_updates.iter().map(|&state| Datum::Int(state)).collect())
            }
            Fact::AudioPeak => Datum::Float(world.subjects.machine.audio_peak),
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
        world.subjects.machine.texts.iter().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    texts.join(" ")
}
