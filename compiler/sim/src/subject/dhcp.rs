//! DHCP servers: the world's [`Dhcp`](crate::leases::Leases).

use super::{Answer, Place, Play, Simulated, absent};
use crate::protocol::Ticket;
use crate::vocab::dhcp::{Finding, Probe, Watch};
use crate::vocab::subjects::Dhcp;
use crate::vocab::{Datum, HostError, Outcome};
use crate::{SimHost, World};

impl Simulated for Dhcp {
    type State = ();
}

impl Play for Dhcp {
    absent! { step fact }

    fn probe(at: &mut Place, Probe { server }: &Probe) -> Answer<Finding> {
        at.world.leases.ready(server);
        Answer::Now(Ok(Finding::Ready))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.leases.open(ticket, watch.clone())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.leases.close(ticket);
    }
}
