//! Network interfaces: rtnetlink.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use crate::host::net;
use mclive_base::vocab::link::{Fact, Watch};
use mclive_base::vocab::subjects::Link;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Link {
    absent! { probe step }

    fn watch(host: &mut Host, ticket: Ticket, _: &Watch) -> Result<(), HostError> {
        host.hear_links(ticket);
        Ok(())
    }

    fn fact(_: &Shared, Fact::Interfaces: &Fact) -> Result<Datum, HostError> {
        net::interfaces()
    }
}
