//! Virtual machines and networks: libvirt, with its `virsh`. Descriptions are XML in memory; parts of a definition that
//! the program does not set are left unchanged.

mod description;
mod domain;
mod edits;
mod image;
mod listen;
mod network;
mod virsh;

use super::{Backend, Context, absent, lens};
use crate::host::{Host, Shared};
use listen::Virts;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::subjects::Virt;
use mclive_base::vocab::virt::{Finding, Move, Probe, Step, Watch};
use mclive_base::vocab::{Change, Datum, HostError, HostErrorKind, Listen, Look, Outcome, Power};
use virsh::{TOOL, Virsh};

impl Backend for Virt {
    type State = Virts;
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        judge(at.shared, &probe.powers())?;
        let virsh = Virsh::to(&probe.place().connection)?;
        match probe {
            Probe::Domain(place) => domain::look(at, &virsh, &place.name).map(|it| Finding::Domain(it.map(Box::new))),
            Probe::Network(place) => {
                network::look(at, &virsh, &place.name).map(|it| Finding::Network(it.map(Box::new)))
            }
        }
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        judge(at.shared, &step.powers())?;
        let virsh = Virsh::to(&step.place.connection)?;
        match &step.change {
            Move::Domain(change) => domain::act(at, &virsh, &step.place.name, change)?,
            Move::Network(change) => network::act(at, &virsh, &step.place.name, change)?,
        }
        Ok(Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        judge(&host.shared, &watch.powers())?;
        listen::begin(host, ticket, watch)
    }
}

/// Judges the files that the tool, or a machine, gets.
fn judge(shared: &Shared, powers: &[Power]) -> Result<(), HostError> {
    powers.iter().try_for_each(|power| match power {
        Power::Write(path) => lens::judged_whole(TOOL, path, shared.policy.changes()),
        Power::Read(path) => lens::judged_whole(TOOL, path, shared.policy.reads()),
        _ => Ok(()),
    })
}

fn other(why: impl Into<String>) -> HostError {
    HostError::new(HostErrorKind::Other, why)
}
