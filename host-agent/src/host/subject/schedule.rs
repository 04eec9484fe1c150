//! Elections: a host alone is elected.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::schedule::{Fact, Watch};
use mclive_base::vocab::subjects::Schedule;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Schedule {
    absent! { probe step }

    fn watch(_: &mut Host, _: Ticket, _: &Watch) -> Result<(), HostError> {
        Ok(())
    }

    fn fact(shared: &Shared, _: &Fact) -> Result<Datum, HostError> {
        Ok(Datum::List(vec![Datum::text(shared.hostname.as_str())]))
    }
}
