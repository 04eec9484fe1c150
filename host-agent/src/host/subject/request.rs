//! What HTTP client resources got.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::request::{Fact, Watch};
use mclive_base::vocab::subjects::Request;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Request {
    absent! { probe step }

    fn watch(_: &mut Host, _: Ticket, _: &Watch) -> Result<(), HostError> {
        Ok(())
    }

    fn fact(_: &Shared, Fact::Last { uid: _ }: &Fact) -> Result<Datum, HostError> {
        Err(HostError::unavailable("the answer to a request", "this host does not carry out requests yet"))
    }
}
