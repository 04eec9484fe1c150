//! Lines for people, on the agent's own output.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;

use mclive_base::vocab::message::Step;
use mclive_base::vocab::subjects::Message;
use mclive_base::vocab::{Datum, HostError, Outcome};

impl Backend for Message {
    absent! { probe watch fact }

    fn step(at: &Place, Step::Print { text }: &Step) -> Result<Outcome, HostError> {
        at.shared.show.line(at.id, text);
        Ok(Outcome::Done)
    }
}
