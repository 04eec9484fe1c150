//! Web servers: those of [`Web`](crate::web::Web).

use super::{Answer, Place, Play, absent};
use crate::protocol::Ticket;
use crate::vocab::server::{Finding, Probe, Watch};
use crate::vocab::subjects::Server;
use crate::vocab::{Datum, HostError, Outcome};
use crate::{SimHost, World};

impl Play for Server {
    absent! { step fact }

    fn probe(at: &mut Place, Probe::Posted { address }: &Probe) -> Answer<Finding> {
        Answer::Now(Ok(Finding::Forms(at.world.web.posted(address))))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.web.open(ticket, watch.clone())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.web.close(ticket);
    }
}
