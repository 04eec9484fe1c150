//! [`Bus`]: the one connection to the system's bus for all daemons that resources speak with: made with its first user,
//! made anew when it is lost, and listened to by one task that tells whoever a signal concerns.
//!
//! With each new connection everybody looks again: what was said in between nobody heard. The managers of systemd
//! have lines of their own (`subject/unit/line.rs`).

use super::subject::Place;
use super::watch::Listener;
use super::{Host, Shared, subscribe};
use crate::lock::Mutex;
use crate::network::bus::{self, Connection, Message, MessageStream, MessageType, Object};
use futures_core::Stream;
use mclive_base::protocol::Ticket;
use mclive_base::vocab::{HostError, HostErrorKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, MutexGuard, Weak};
use std::time::Duration;

const DOOR: &str = "/run/dbus/system_bus_socket";
/// How long nobody comes back at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// For an answer. A look asks a few questions, and a connection may have to be made first.
const LIMIT: Duration = Duration::from_secs(25);
const WHOLE: Duration = Duration::from_secs(100);

/// A daemon on the bus.
pub(super) struct Daemon {
    pub(super) service: &'static str,
    /// Why it cannot be asked, and what to do.
    pub(super) absent: &'static str,
    /// The bus starts it for a question, and it ends when it has nothing to do: its going is no news.
    pub(super) comes_when_asked: bool,
    /// What a signal is about. `None`: it is no news; an empty text: it concerns everybody.
    pub(super) topic: fn(&Message) -> Option<String>,
}

/// Of a daemon, what concerns a ticket: an empty topic is everything.
type Interest = (&'static Daemon, String);

#[derive(Default)]
pub(super) struct Bus {
    link: tokio::sync::Mutex<Link>,
    interests: Mutex<BTreeMap<Ticket, Vec<Interest>>>,
    comes_back: Mutex<bool>,
}

#[derive(Default)]
struct Link {
    connection: Option<Connection>,
    /// The services whose signals it brings.
    heard: BTreeSet<&'static str>,
}

impl Host {
    /// What a daemon says about a topic concerns a ticket from now on. It is in place when the bus has said so; until
    /// there is a bus, its socket is watched.
    pub(super) fn hear_daemon(
        &mut self,
        ticket: Ticket,
        daemon: &'static Daemon,
        topic: &str,
    ) -> Result<(), HostError> {
        let shared = self.shared.clone();
        shared.watcher.add(Listener(ticket.0), DOOR, false);
        shared.bus.interests().entry(ticket).or_default().push((daemon, topic.to_owned()));
        let no_thread =
            |error| HostError::new(HostErrorKind::Unavailable, format!("cannot start the network thread: {error}"));
        let runtime = shared.network.handle().map_err(no_thread)?;
        self.awaits(ticket);
        runtime.spawn(async move {
            // Why it is not there is told by the check.
            if shared.bus.connection(&shared).await.is_err() {
                come_back(&shared);
            }
            subscribe::in_place(&shared, ticket);
        });
        Ok(())
    }
}

impl Bus {
    pub(super) fn leave(&self, ticket: Ticket) {
        self.interests().remove(&ticket);
    }

    fn interests(&self) -> MutexGuard<'_, BTreeMap<Ticket, Vec<Interest>>> {
        self.interests.lock()
    }

    /// Connected, and listening to all that somebody watches.
    async fn connection(&self, shared: &Arc<Shared>) -> Result<Connection, HostError> {
        let mut link = self.link.lock().await;
        let mut is_new = false;
        let connection = match link.connection.as_ref().filter(|connection| !connection.is_closed()) {
            Some(connection) => connection.clone(),
            None => {
                if !Path::new(DOOR).exists() {
                    let why =
                        format!("the system bus is not running (no {DOOR}): install the package `dbus` and start it");
                    return Err(HostError::new(HostErrorKind::Unavailable, why));
                }
                let (connection, stream) = bus::connect(Path::new(DOOR)).await?;
                tokio::spawn(listen(stream, Arc::downgrade(shared)));
                *link = Link { connection: Some(connection.clone()), heard: BTreeSet::new() };
                is_new = true;
                connection
            }
        };
        let services: BTreeSet<_> = self.interests().values().flatten().map(|(daemon, _)| daemon.service).collect();
        for service in services {
            if link.heard.insert(service) {
                let owner = "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',\
                             member='NameOwnerChanged'";
                let rules = [format!("{owner},arg0='{service}'"), format!("type='signal',sender='{service}'")];
                for rule in rules {
                    if let Err(error) = bus::listen(&connection, &rule).await {
                        link.heard.remove(service);
                        return Err(error);
                    }
                }
            }
        }
        drop(link);
        if is_new {
            tell(shared, |_, _| true);
        }
        Ok(connection)
    }
}

/// A conversation with a daemon.
pub(super) struct Line {
    connection: Connection,
    daemon: &'static Daemon,
}

impl Line {
    /// Opens one. A daemon that does not come when it is asked is there, or it is told that it is not.
    pub(super) async fn open(shared: &Arc<Shared>, daemon: &'static Daemon) -> Result<Line, HostError> {
        let connection = shared.bus.connection(shared).await?;
        let line = Line { connection, daemon };
        if !daemon.comes_when_asked && !line.is_there().await? {
            return Err(HostError::new(HostErrorKind::Unavailable, daemon.absent));
        }
        Ok(line)
    }

    async fn is_there(&self) -> Result<bool, HostError> {
        const BUS: Object = Object {
            service: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
        };
        let what = "list the names on the bus";
        let answer = bus::call(&self.connection, BUS, "NameHasOwner", &self.daemon.service, LIMIT, what).await?;
        bus::read(&answer, what)
    }

    /// Asks, and waits for the answer.
    pub(super) async fn ask<B: Serialize + bus::DynamicType>(
        &self,
        at: (&str, &str),
        method: &str,
        body: &B,
        what: &str,
    ) -> Result<Message, HostError> {
        self.ask_within(LIMIT, at, method, body, what).await
    }

    /// The same of what takes long.
    pub(super) async fn ask_within<B: Serialize + bus::DynamicType>(
        &self,
        limit: Duration,
        (path, interface): (&str, &str),
        method: &str,
        body: &B,
        what: &str,
    ) -> Result<Message, HostError> {
        let object = Object { service: self.daemon.service, path, interface };
        bus::call(&self.connection, object, method, body, limit, what).await.map_err(|error| {
            // Nobody has the name, and nobody can be started for it.
            let is_absent = error.kind == HostErrorKind::NotFound && error.message.contains(self.daemon.service);
            if is_absent { HostError::new(HostErrorKind::Unavailable, self.daemon.absent) } else { error }
        })
    }
}

/// Speaks with a daemon while this thread waits; a stop ends it.
pub(super) fn speak<T: Send + 'static, F: Future<Output = Result<T, HostError>> + Send + 'static>(
    at: &Place,
    daemon: &'static Daemon,
    talk: impl FnOnce(Line) -> F + Send + 'static,
) -> Result<T, HostError> {
    speak_for(at, daemon, WHOLE, talk)
}

/// The same of what takes long.
pub(super) fn speak_for<T: Send + 'static, F: Future<Output = Result<T, HostError>> + Send + 'static>(
    at: &Place,
    daemon: &'static Daemon,
    limit: Duration,
    talk: impl FnOnce(Line) -> F + Send + 'static,
) -> Result<T, HostError> {
    let shared = at.shared.myself()?;
    at.running.ask(&at.shared.network, limit, async move { talk(Line::open(&shared, daemon).await?).await })
}

/// Reads what daemons say until the connection is lost.
async fn listen(mut stream: MessageStream, shared: Weak<Shared>) {
    while let Some(message) = std::future::poll_fn(|context| Pin::new(&mut stream).poll_next(context)).await {
        let Some(shared) = shared.upgrade() else { return };
        match message {
            Ok(message) if message.message_type() == MessageType::Signal => hear(&shared, &message),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    if let Some(shared) = shared.upgrade() {
        tell(&shared, |_, _| true);
        come_back(&shared);
    }
}

fn hear(shared: &Shared, message: &Message) {
    let header = message.header();
    if header.member().is_some_and(|member| member.as_str() == "NameOwnerChanged") {
        let Ok((service, _, owner)) = bus::read::<(String, String, String)>(message, "") else { return };
        let is_news = |daemon: &Daemon| !owner.is_empty() || !daemon.comes_when_asked;
        return tell(shared, |daemon, _| daemon.service == service && is_news(daemon));
    }
    let Some(interface) = header.interface() else { return };
    tell(shared, |daemon, topic| {
        let said = || (daemon.topic)(message).is_some_and(|about| [topic, &about].contains(&"") || about == *topic);
        interface.as_str().starts_with(daemon.service) && said()
    });
}

/// Everybody looks whom this concerns.
fn tell(shared: &Shared, concerns: impl Fn(&'static Daemon, &str) -> bool) {
    let told: Vec<(Ticket, &str)> = {
        let interests = shared.bus.interests();
        let of = |(ticket, all): (&Ticket, &Vec<Interest>)| {
            all.iter().find(|(daemon, topic)| concerns(daemon, topic)).map(|(daemon, _)| (*ticket, daemon.service))
        };
        interests.iter().filter_map(of).collect()
    };
    for (ticket, service) in told {
        subscribe::changed(shared, ticket, Some(service.to_owned()));
    }
}

/// Connects again as soon as it can be done, for those who watch. A socket that is not there is watched itself.
fn come_back(shared: &Arc<Shared>) {
    if std::mem::replace(&mut *shared.bus.comes_back.lock(), true) {
        return;
    }
    let shared = Arc::downgrade(shared);
    tokio::spawn(async move {
        let mut pause = PAUSES.0;
        loop {
            tokio::time::sleep(pause).await;
            pause = PAUSES.1.min(pause * 2);
            let Some(shared) = shared.upgrade() else { return };
            let is_over = shared.bus.interests().is_empty() || !Path::new(DOOR).exists();
            if is_over || shared.bus.connection(&shared).await.is_ok() {
                *shared.bus.comes_back.lock() = false;
                return;
            }
        }
    });
}
