//! Messages: on the agent's own output, in the systemd journal, to syslog.

use super::subject::never;
use super::{Change, Effect};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Watch, Fact }

/// A message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Step {
    /// A line of output.
    Print { text: String },
    /// An entry of the journal, with additional fields.
    Journal { priority: Priority, text: String, fields: Vec<(String, String)> },
    /// A line to the syslog of this host.
    Syslog { priority: Priority, text: String },
}

/// How urgent an entry is, most urgent first. The number is that of journal and syslog.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Priority {
    /// The system is unusable.
    Emerg,
    /// Needs immediate action.
    Alert,
    /// Critical.
    Crit,
    /// An error.
    Err,
    /// A warning.
    Warning,
    /// Normal but significant.
    Notice,
    /// Information.
    Info,
    /// For debugging.
    Debug,
}

/// The socket of the journal.
pub const JOURNAL: &str = "/run/systemd/journal/socket";
/// The socket of syslog.
pub const SYSLOG: &str = "/dev/log";

impl Priority {
    /// Every priority with its word, most urgent first.
    pub const ALL: [(Priority, &'static str); 8] = [
        (Priority::Emerg, "Emerg"),
        (Priority::Alert, "Alert"),
        (Priority::Crit, "Crit"),
        (Priority::Err, "Err"),
        (Priority::Warning, "Warning"),
        (Priority::Notice, "Notice"),
        (Priority::Info, "Info"),
        (Priority::Debug, "Debug"),
    ];

    /// The priority of a word.
    pub fn parse(word: &str) -> Option<Priority> {
        Priority::ALL.iter().find(|(_, name)| *name == word).map(|(priority, _)| *priority)
    }

    /// The word, such as `warning`.
    pub fn word(self) -> &'static str {
        Priority::ALL[self as usize].1
    }
}

/// Whether the journal accepts a field of this name. It silently drops others.
pub fn is_field(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.len() <= 64 && name.starts_with(|first: char| first.is_ascii_uppercase()) && name.bytes().all(is_letter)
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Print { text } => write!(f, "print {text}"),
            Step::Journal { priority, text, .. } => write!(f, "write to the journal ({}): {text}", priority.word()),
            Step::Syslog { priority, text } => write!(f, "write to the syslog ({}): {text}", priority.word()),
        }
    }

    fn audit(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str(match self {
            Step::Print { .. } => "print",
            Step::Journal { .. } => "write to the journal",
            Step::Syslog { .. } => "write to the syslog",
        })
    }

    fn effect(&self) -> Effect {
        Effect::Message
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_numbered_as_the_journal_does() {
        for (number, (priority, name)) in Priority::ALL.into_iter().enumerate() {
            assert_eq!((priority as usize, priority.word(), Priority::parse(name)), (number, name, Some(priority)));
        }
        assert_eq!(Priority::parse("emerg"), None);
    }

    #[test]
    fn fields_of_the_journal() {
        for (name, is) in [("A_1", true), ("a", false), ("", false), ("_A", false), ("1A", false), ("A B", false)] {
            assert_eq!(is_field(name), is, "{name}");
        }
    }
}
