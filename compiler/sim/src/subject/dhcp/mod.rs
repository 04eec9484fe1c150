//! DHCP servers: the world's [`Leases`](crate::Leases).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent};
use crate::protocol::Ticket;
use crate::vocab::dhcp::{Finding, Probe, Watch};
use crate::vocab::subjects::Dhcp;
use crate::vocab::{Datum, HostError, Outcome};
use crate::{SimHost, World};

impl Simulated for Dhcp {
    type State = state::Leases;
}

impl Play for Dhcp {
    absent! { step fact }

    fn probe(at: &mut Context, Probe { server }: &Probe) -> Answer<Finding> {
        at.world.subjects.dhcp.ready(server);
        Answer::Now(Ok(Finding::Ready))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.subjects.dhcp.open(ticket, watch.clone())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.subjects.dhcp.close(ticket);
    }
}
