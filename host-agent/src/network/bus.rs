//! Connections to message buses (D-Bus), calls over them, and the signals that arrive.

use futures_core::Stream;
use mclive_base::vocab::{HostError, HostErrorKind};
use serde::Serialize;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use zbus::MessageStream;
use zbus::connection::Builder;
use zbus::fdo;
use zbus::message::Type;
use zbus::wire::DynamicDeserialize;

pub(crate) use zbus::{DynamicType, Fd, Message, OwnedObjectPath, OwnedVariant, Structure, Variant};

/// The limit for connecting, including the handshake.
const CONNECT: Duration = Duration::from_secs(10);
/// The size of the signal queue; its reader never blocks on anything else. Starting a thousand units causes ten
/// thousand signals within a second.
const MOST_SIGNALS: usize = 16 << 10;
/// The maximum number of calls in progress. The bus drops answers and signals for a client with too many.
const MOST_QUESTIONS: usize = 100;

/// A connection, shared by its clones.
#[derive(Clone)]
pub(crate) struct Connection {
    inner: zbus::Connection,
    places: Arc<Semaphore>,
}

impl Connection {
    pub(crate) fn is_closed(&self) -> bool {
        self.inner.is_closed()
    }

    pub(crate) async fn close(self) {
        let _ = self.inner.close().await;
    }
}

/// The signals that a connection has subscribed to.
///
/// Every user of a bus can address a signal to a connection, and claim anything in it. A signal that is addressed to
/// no one comes only by a subscription: each names its sender, and the bus judges who that is. Others are dropped.
pub(crate) struct Signals(MessageStream);

impl Signals {
    /// The next one; `None`: the connection is lost.
    pub(crate) async fn next(&mut self) -> Option<Message> {
        loop {
            let next = std::future::poll_fn(|context| Pin::new(&mut self.0).poll_next(context)).await;
            let message = next?.ok()?;
            if is_subscribed(&message) {
                return Some(message);
            }
        }
    }
}

fn is_subscribed(message: &Message) -> bool {
    message.message_type() == Type::Signal && message.header().destination().is_none()
}

/// Connects.
pub(crate) async fn connect(path: &Path) -> Result<(Connection, Signals), HostError> {
    let builder = Builder::address(address(path).as_str());
    let queue = MOST_SIGNALS.try_into().expect("it is not zero");
    let built = tokio::time::timeout(CONNECT, builder.max_queued(queue).build()).await;
    let what = format!("connect to {}", path.display());
    let inner = built.map_err(|_| timed_out(&what, CONNECT))?.map_err(|error| failed(&what, &error))?;
    let signals = Signals(MessageStream::from(&inner));
    Ok((Connection { inner, places: Arc::new(Semaphore::new(MOST_QUESTIONS)) }, signals))
}

/// A path, escaped for an address.
fn address(path: &Path) -> String {
    let mut address = "unix:path=".to_owned();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-_/.\\*".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02x}"));
        }
    }
    address
}

/// The recipient of a call.
#[derive(Clone, Copy)]
pub(crate) struct Object<'a> {
    pub(crate) service: &'a str,
    pub(crate) path: &'a str,
    pub(crate) interface: &'a str,
}

/// Calls a method once the number of calls allows it, and waits for its answer, from then on up to the limit. `what`
/// describes the operation in messages.
pub(crate) async fn call<B: Serialize + DynamicType>(
    connection: &Connection,
    object: Object<'_>,
    method: &str,
    body: &B,
    limit: Duration,
    what: &str,
) -> Result<Message, HostError> {
    let Object { service, path, interface } = object;
    let _place = connection.places.acquire().await.expect("places are never closed");
    let answer = connection.inner.call_method(Some(service), path, Some(interface), method, body);
    let answer = tokio::time::timeout(limit, answer).await.map_err(|_| timed_out(what, limit))?;
    answer.map_err(|error| failed(what, &error))
}

/// The content of a message.
pub(crate) fn read<T: for<'a> DynamicDeserialize<'a>>(message: &Message, what: &str) -> Result<T, HostError> {
    message.body().deserialize().map_err(|error| failed(what, &error))
}

/// Subscribes to the signals that match a rule, which names their sender.
pub(crate) async fn listen(connection: &Connection, rule: &str) -> Result<(), HostError> {
    const BUS: Object =
        Object { service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };
    call(connection, BUS, "AddMatch", &rule, CONNECT, "subscribe on the bus").await.map(|_| ())
}

fn timed_out(what: &str, limit: Duration) -> HostError {
    HostError::new(HostErrorKind::TimedOut, format!("{what}: timed out after {} s", limit.as_secs()))
}

fn failed(what: &str, error: &zbus::Error) -> HostError {
    let (kind, why) = match error {
        zbus::Error::MethodError(name, why, _) => (by_name(name), why.clone().unwrap_or_else(|| name.to_string())),
        zbus::Error::FDO(error) => match &**error {
            fdo::Error::AccessDenied(why)
            | fdo::Error::AuthFailed(why)
            | fdo::Error::InteractiveAuthorizationRequired(why) => (HostErrorKind::PermissionDenied, why.clone()),
            fdo::Error::FileNotFound(why) | fdo::Error::ServiceUnknown(why) => (HostErrorKind::NotFound, why.clone()),
            fdo::Error::Timeout(why) | fdo::Error::TimedOut(why) => (HostErrorKind::TimedOut, why.clone()),
            // The other side, or this one, left the bus before the answer.
            fdo::Error::NoReply(why) | fdo::Error::Disconnected(why) => (HostErrorKind::Unavailable, why.clone()),
            other => (HostErrorKind::Other, other.to_string()),
        },
        zbus::Error::Handshake(why) => (HostErrorKind::Unavailable, why.clone()),
        zbus::Error::InputOutput(error) | zbus::Error::Connection(error, _) => (by_io(error), error.to_string()),
        other => (HostErrorKind::Other, other.to_string()),
    };
    HostError::new(kind, format!("{what}: {}", why.trim_end_matches('.')))
}

fn by_name(name: &str) -> HostErrorKind {
    match name.rsplit('.').next() {
        Some("NoSuchUnit" | "NoSuchUnitFile" | "NoSuchMachine" | "NoSuchImage" | "UnknownObject") => {
            HostErrorKind::NotFound
        }
        Some("NoReply" | "Disconnected") => HostErrorKind::Unavailable,
        _ => HostErrorKind::Other,
    }
}

fn by_io(error: &io::Error) -> HostErrorKind {
    match error.kind() {
        io::ErrorKind::NotFound => HostErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => HostErrorKind::PermissionDenied,
        io::ErrorKind::TimedOut => HostErrorKind::TimedOut,
        io::ErrorKind::BrokenPipe
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::ConnectionRefused
        | io::ErrorKind::ConnectionReset
        | io::ErrorKind::NotConnected
        | io::ErrorKind::UnexpectedEof => HostErrorKind::Unavailable,
        _ => HostErrorKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;

    #[test]
    fn letters_that_mean_something_are_written_as_numbers() {
        assert_eq!(address(Path::new("/run/a b;c")), "unix:path=/run/a%20b%3bc");
    }

    #[test]
    fn a_signal_that_anybody_may_address_to_us_does_not_count() {
        let signal = || Message::signal("/a", "org.example.A", "B").sender(":1.7");
        assert!(is_subscribed(&signal().build(&()).unwrap()));
        assert!(!is_subscribed(&signal().destination(":1.9").build(&()).unwrap()));
        let call = Message::method_call("/a", "B").build(&()).unwrap();
        assert!(!is_subscribed(&call));
    }

    #[test]
    fn nobody_behind_the_door_is_an_error_that_names_it() {
        let ask = || async { connect(Path::new("/nowhere/bus")).await.map(|_| ()) };
        let error = Network::default().wait(CONNECT, ask(), |_| {}).unwrap().unwrap_err();
        assert_eq!(error.kind, HostErrorKind::NotFound);
        assert!(error.message.starts_with("connect to /nowhere/bus: "), "{}", error.message);
    }
}
