//! Web servers, with [`web`](crate::host::web).

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::server::{Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Server;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Server {
    type State = ();
    absent! { fact }

    fn probe(at: &Place, probe: &Probe) -> Result<Finding, HostError> {
        Ok(match probe {
            Probe::Posted { address } => Finding::Forms(at.shared.web.posted(address)),
            Probe::Open { address } => match at.shared.doors.closed(address) {
                Some(why) => return Err(why),
                None => Finding::Open,
            },
            Probe::Shown { address } => Finding::Shown(at.shared.web.shown(address)),
        })
    }

    fn step(at: &Place, step: &Step) -> Result<Outcome, HostError> {
        at.shared.web.show(step).map(|()| Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let spec = watch.clone();
        host.shared.open_or_wait(ticket, &watch.address, move |shared| shared.open_server(ticket, spec.clone()))
    }
}
