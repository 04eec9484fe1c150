//! Messages, in the host's log, its journal and its syslog.

use super::{Answer, Place, Play, Simulated, SubjectState, absent};
use crate::World;
use crate::vocab::message::Step;
use crate::vocab::subjects::Message;
use crate::vocab::{Datum, HostError, Outcome};

/// The messages that were sent.
#[derive(Clone, Default)]
pub struct Messages {
    /// Entries of the journal: priority, text and fields.
    pub journal: Vec<String>,
    /// Lines of the syslog: priority and text.
    pub syslog: Vec<String>,
}

impl SubjectState for Messages {
    fn of_new_host(_: &str) -> Messages {
        Messages::default()
    }

    fn lines(&self) -> Vec<&str> {
        self.journal.iter().chain(&self.syslog).map(String::as_str).collect()
    }
}

impl Simulated for Message {
    type State = Messages;
}

impl Play for Message {
    absent! { probe fact }

    fn step(at: &mut Place, step: &Step) -> Answer<Outcome> {
        match step {
            Step::Print { text } => at.printed.push(text.clone()),
            Step::Journal { priority, text, fields } => {
                let fields: String = fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                at.world.subjects.message.journal.push(format!("{}: {text}{fields}", priority.word()));
            }
            Step::Syslog { priority, text } => {
                at.world.subjects.message.syslog.push(format!("{}: {text}", priority.word()))
            }
        }
        Answer::Now(Ok(Outcome::Done))
    }
}
