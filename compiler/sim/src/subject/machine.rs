//! The machine, as the world has it.

use super::{Answer, Place, Play, absent, hash, texts};
use crate::protocol::Ticket;
use crate::vocab::machine::{Fact, Finding, Probe, Watch};
use crate::vocab::subjects::Machine;
use crate::vocab::{Datum, HostError, Outcome, time};
use crate::{SimHost, World};

impl Play for Machine {
    absent! { step }

    fn probe(at: &mut Place, _: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(Finding::Boot(format!("boot-{}", at.world.n_boots))))
    }

    fn fingerprint(world: &World, watch: &Watch) -> u64 {
        match watch {
            Watch::Cpus => hash(&world.cpus_online),
            Watch::Firmware => hash(&world.firmware_updates),
        }
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
