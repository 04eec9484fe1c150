//! DHCP servers.

mod serve;

use super::{Backend, Context, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::dhcp::{Finding, Probe, Watch};
use mclive_base::vocab::subjects::Dhcp;
use mclive_base::vocab::{Datum, HostError, Outcome};
use serve::{Leases, door};

impl Backend for Dhcp {
    type State = Leases;
    absent! { step fact }

    fn probe(at: &Context, Probe { server }: &Probe) -> Result<Finding, HostError> {
        at.shared.look_at_dhcp(server).map(|()| Finding::Ready)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let spec = watch.clone();
        host.shared.open_or_wait(ticket, &door(watch), move |shared| shared.open_dhcp(ticket, spec.clone()))
    }
}
