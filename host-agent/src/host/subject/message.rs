//! Lines for people, on the agent's own output.

use super::{Backend, Place, absent};
use crate::host::{Host, Shared};
use mclive_compiler::protocol::Ticket;

use mclive_compiler::vocab::message::Step;
use mclive_compiler::vocab::subjects::Message;
use mclive_compiler::vocab::{Datum, HostError, Outcome};

impl Backend for Message {
    absent! { probe watch fact }

    fn step(at: &Place, Step::Print { text }: &Step) -> Result<Outcome, HostError> {
        at.shared.show.line(at.id, text);
        Ok(Outcome::Done)
    }
}
