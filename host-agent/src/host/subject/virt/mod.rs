//! Virtual machines and networks: libvirt, by its own `virsh`. What libvirt is told of them is XML in memory; what stands
//! in a definition and is not ours stays as it is.

mod description;
mod domain;
mod edits;
mod image;
mod listen;
mod network;
mod virsh;

use super::{Backend, Place, absent, lens};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::subjects::Virt;
use mclive_base::vocab::virt::{Finding, Move, Probe, Step, Watch};
use mclive_base::vocab::{Change, Datum, HostError, HostErrorKind, Outcome, Power};
use virsh::{TOOL, Virsh};

pub(in crate::host) use listen::Virts;

impl Backend for Virt {
    absent! { fact }

    fn probe(at: &Place, probe: &Probe) -> Result<Finding, HostError> {
        let virsh = Virsh::to(&probe.place().connection)?;
        match probe {
            Probe::Domain(place) => domain::look(at, &virsh, &place.name).map(|it| Finding::Domain(it.map(Box::new))),
            Probe::Network(place) => {
                network::look(at, &virsh, &place.name).map(|it| Finding::Network(it.map(Box::new)))
            }
        }
    }

    fn step(at: &Place, step: &Step) -> Result<Outcome, HostError> {
        for power in step.powers() {
            let (path, permit) = match power {
                Power::Write(path) => (path, at.shared.policy.changes()),
                Power::Read(path) => (path, at.shared.policy.reads()),
                _ => continue,
            };
            lens::judged_whole(TOOL, path, permit)?;
        }
        let virsh = Virsh::to(&step.place.connection)?;
        match &step.change {
            Move::Domain(change) => domain::act(at, &virsh, &step.place.name, change)?,
            Move::Network(change) => network::act(at, &virsh, &step.place.name, change)?,
        }
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        listen::begin(host, ticket, watch)
    }
}

fn other(why: impl Into<String>) -> HostError {
    HostError::new(HostErrorKind::Other, why)
}
