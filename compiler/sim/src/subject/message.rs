//! Messages, in the host's log.

use super::{Answer, Place, Play, Simulated, absent};
use crate::World;
use crate::vocab::message::Step;
use crate::vocab::subjects::Message;
use crate::vocab::{Datum, HostError, Outcome};

impl Simulated for Message {
    type State = ();
}

impl Play for Message {
    absent! { probe fact }

    fn step(at: &mut Place, step: &Step) -> Answer<Outcome> {
        match step {
            Step::Print { text } => at.printed.push(text.clone()),
            Step::Journal { priority, text, fields } => {
                let fields: String = fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                at.world.journal.push(format!("{}: {text}{fields}", priority.word()));
            }
            Step::Syslog { priority, text } => at.world.syslog.push(format!("{}: {text}", priority.word())),
        }
        Answer::Now(Ok(Outcome::Done))
    }
}
