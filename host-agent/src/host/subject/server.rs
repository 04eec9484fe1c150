//! Web servers: by way of [`web`](crate::host::web).

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::server::{Finding, Probe, Watch};
use mclive_base::vocab::subjects::Server;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Server {
    absent! { step fact }

    fn probe(at: &Place, Probe::Posted { address }: &Probe) -> Result<Finding, HostError> {
        Ok(Finding::Forms(at.shared.web.posted(address)))
    }

    fn watch(host: &mut Host, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.open_server(ticket, watch.clone())
    }
}
