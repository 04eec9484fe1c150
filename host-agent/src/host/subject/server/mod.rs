//! Web servers.

mod web;

pub(super) use web::bind_address;

use super::{Backend, Context, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::server::{Finding, Probe, Step, Watch};
use mclive_base::vocab::subjects::Server;
use mclive_base::vocab::{Datum, HostError, Outcome};
use web::Web;

impl Backend for Server {
    type State = Web;
    absent! { fact }

    fn probe(at: &Context, probe: &Probe) -> Result<Finding, HostError> {
        Ok(match probe {
            Probe::Posted { address } => Finding::Forms(at.shared.subjects.server.posted(address)),
            Probe::Open { address } => match at.shared.doors.closed(address) {
                Some(why) => return Err(why),
                None => Finding::Open,
            },
            Probe::Shown { address } => Finding::Shown(at.shared.subjects.server.shown(address)),
        })
    }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        at.shared.subjects.server.show(step).map(|()| Outcome::Done)
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        let spec = watch.clone();
        host.shared.open_or_wait(ticket, &watch.address, move |shared| shared.open_server(ticket, spec.clone()))
    }
}
