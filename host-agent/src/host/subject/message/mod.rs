//! Messages for people: on the agent's output, to the journal and to the syslog.

mod journal;
mod syslog;

use super::{Backend, Context, absent};
use crate::host::{Host, Shared};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::message::Step;
use mclive_base::vocab::subjects::Message;
use mclive_base::vocab::{Datum, HostError, HostErrorKind, Outcome};
use std::io;
use std::os::unix::net::UnixDatagram;
use std::time::Duration;

/// How long a receiver of messages may be blocked.
const LIMIT: Duration = Duration::from_secs(5);

impl Backend for Message {
    type State = ();
    absent! { probe watch fact }

    fn step(at: &Context, step: &Step) -> Result<Outcome, HostError> {
        match step {
            Step::Print { text } => at.shared.show.line(at.id, text),
            Step::Journal { priority, text, fields } => journal::send(*priority, text, fields)?,
            Step::Syslog { priority, text } => syslog::send(*priority, text)?,
        }
        Ok(Outcome::Done)
    }
}

/// A socket that blocks while the receiver is busy, up to the limit.
fn socket() -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    socket.set_write_timeout(Some(LIMIT))?;
    Ok(socket)
}

/// `who` receives messages at a path.
fn failed(who: &str, path: &str, error: &io::Error) -> HostError {
    let (kind, why) = match error.kind() {
        io::ErrorKind::NotFound => (HostErrorKind::Unavailable, format!("{who} is not running: {path} does not exist")),
        io::ErrorKind::WouldBlock => {
            (HostErrorKind::TimedOut, format!("{who} did not accept a message within {} s", LIMIT.as_secs()))
        }
        _ => (HostErrorKind::Other, format!("{who} at {path}: {}", crate::host::io_words(error))),
    };
    HostError::new(kind, why)
}
