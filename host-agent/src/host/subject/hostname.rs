//! The host's name: the kernel's.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use crate::host::watch::Listener;
use mclive_base::vocab::hostname::{Fact, Watch};
use mclive_base::vocab::subjects::Hostname;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Hostname {
    absent! { probe step }

    fn watch(host: &mut Host, ticket: Ticket, _: &Watch) -> Result<(), HostError> {
        host.watcher.add(Listener(ticket.0), "/etc/hostname", false);
        Ok(())
    }

    fn fact(_: &Shared, _: &Fact) -> Result<Datum, HostError> {
        Ok(Datum::text(rustix::system::uname().nodename().to_string_lossy()))
    }
}
