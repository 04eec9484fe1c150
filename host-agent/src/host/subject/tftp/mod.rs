//! TFTP servers.

mod serve;

use super::{Backend, Context, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::subjects::Tftp;
use mclive_base::vocab::tftp::{Finding, Probe, Watch};
use mclive_base::vocab::{Datum, HostError, Outcome};
use serve::{Boot, door};

impl Backend for Tftp {
    type State = Boot;
    absent! { step fact }

    fn probe(at: &Context, Probe { server }: &Probe) -> Result<Finding, HostError> {
        at.shared.look_at_tftp(server).map(|()| Finding::Ready)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let spec = watch.clone();
        let door = door(&watch.address);
        host.shared.open_or_wait(ticket, &door, move |shared| shared.open_tftp(ticket, spec.clone()))
    }
}
