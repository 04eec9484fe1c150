//! Lines for people, in the host's log.

use super::{Answer, Place, Play, absent};
use crate::World;
use crate::vocab::message::Step;
use crate::vocab::subjects::Message;
use crate::vocab::{Datum, HostError, Outcome};

impl Play for Message {
    absent! { probe fact }

    fn step(at: &mut Place, Step::Print { text }: &Step) -> Answer<Outcome> {
        at.printed.push(text.clone());
        Answer::Now(Ok(Outcome::Done))
    }
}
