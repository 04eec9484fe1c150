//! Messages, in the host's log, its journal and its syslog.

use super::{Answer, Context, Play, Simulated, SubjectState, absent};
use crate::World;
use crate::vocab::message::Step;
use crate::vocab::subjects::Message;
use crate::vocab::{Datum, HostError, Outcome};
use mclive_base::shapes::host::Thing;

/// The messages that were sent; of many, the last ones.
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

/// At least this many messages to each destination are kept, and less than twice as many.
const KEPT: usize = 2_000;

/// The maximum number of characters of a message that are shown.
const SHOWN: usize = 200;

/// Adds a message. Older ones are removed together, as that moves all others.
fn add(to: &mut Vec<String>, line: String) {
    if to.len() == 2 * KEPT - 1 {
        to.drain(..KEPT);
    }
    to.push(line);
}

impl Simulated for Message {
    type State = Messages;
}

impl Play for Message {
    const TITLE: &'static str = "Messages";

    /// The last one at each destination.
    fn holds(world: &World) -> Vec<Thing> {
        let messages = &world.subjects.message;
        let last = |(name, lines): (&str, &Vec<String>)| {
            let text: String = lines.last()?.chars().take(SHOWN).collect();
            Some(Thing::new(name).fixed("last message", text))
        };
        [("journal", &messages.journal), ("syslog", &messages.syslog)].into_iter().filter_map(last).collect()
    }

    absent! { probe fact }

    fn step(at: &mut Context, step: &Step) -> Answer<Outcome> {
        match step {
            Step::Print { text } => at.printed.push(text.clone()),
            Step::Journal { priority, text, fields } => {
                let fields: String = fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
                add(&mut at.world.subjects.message.journal, format!("{}: {text}{fields}", priority.word()));
            }
            Step::Syslog { priority, text } => {
                add(&mut at.world.subjects.message.syslog, format!("{}: {text}", priority.word()));
            }
        }
        Answer::Now(Ok(Outcome::Done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_messages_the_last_ones_are_kept() {
        let mut lines = Vec::new();
        for number in 0..10 * KEPT {
            add(&mut lines, number.to_string());
            assert!(lines.len() < 2 * KEPT);
        }
        let last: Vec<String> = (9 * KEPT..10 * KEPT).map(|number| number.to_string()).collect();
        assert!(lines.ends_with(&last));
    }
}
