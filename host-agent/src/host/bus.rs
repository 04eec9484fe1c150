//! [`Bus`]: the single connection to the system bus, for all daemons that resources use: opened at first use,
//! reopened when lost, and read by one task that notifies the interested tickets.
//!
//! After each reconnection everything is checked again, since signals in between were lost. The managers of systemd
//! have separate connections (`subject/unit/line.rs`).

use super::errno::no_network;
use super::subject::Context;
use super::watch::Listener;
use super::{Host, Shared, subscribe};
use crate::lock::Mutex;
use crate::network::bus::{self, Connection, Message, Object, Signals};
use mclive_base::protocol::Ticket;
use mclive_base::vocab::{HostError, HostErrorKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::path::Path;
use std::sync::{Arc, MutexGuard, Weak};
use std::time::Duration;

const DOOR: &str = "/run/dbus/system_bus_socket";
/// The first and the longest pause between reconnections.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));
/// The limit for an answer. A check asks a few questions, and a connection may have to be opened first.
const LIMIT: Duration = Duration::from_secs(25);
const WHOLE: Duration = Duration::from_secs(100);

/// A daemon on the bus.
pub(super) struct Daemon {
    pub(super) service: &'static str,
    /// Why it is unavailable, and what to do.
    pub(super) absent: &'static str,
    /// The bus starts it on demand, and it exits when idle: its exit is not an event.
    pub(super) comes_when_asked: bool,
    /// The subject of a signal. `None`: not an event; an empty text: it concerns every topic.
    pub(super) topic: fn(&Message) -> Option<String>,
}

/// A topic of a daemon that a ticket watches; an empty topic means all.
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
    /// The services whose signals are subscribed.
    heard: BTreeSet<&'static str>,
}

impl Host {
    /// Subscribes a ticket to a topic of a daemon. It is in place when the bus has confirmed it; while there is no bus,
    /// its socket is watched.
    pub(super) fn hear_daemon(
        &mut self,
        ticket: Ticket,
        daemon: &'static Daemon,
        topic: &str,
    ) -> Result<(), HostError> {
        let shared = self.shared.clone();
        shared.watcher.add(Listener(ticket.0), DOOR, false);
        shared.bus.interests().entry(ticket).or_default().push((daemon, topic.to_owned()));
        let runtime = shared.network.handle().map_err(no_network)?;
        self.awaits(ticket);
        runtime.spawn(async move {
            // The check reports why it is unavailable.
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

    /// Connects, and subscribes to everything that is watched.
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
                let (connection, signals) = bus::connect(Path::new(DOOR)).await?;
                tokio::spawn(listen(signals, Arc::downgrade(shared)));
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
    /// Opens one. A daemon that is not started on demand must be running, or the call fails.
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

    /// Calls a method and waits for the answer.
    pub(super) async fn ask<B: Serialize + bus::DynamicType>(
        &self,
        at: (&str, &str),
        method: &str,
        body: &B,
        what: &str,
    ) -> Result<Message, HostError> {
        self.ask_within(LIMIT, at, method, body, what).await
    }

    /// The same for long operations.
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
            // The name has no owner and cannot be activated.
            let is_absent = error.kind == HostErrorKind::NotFound && error.message.contains(self.daemon.service);
            if is_absent { HostError::new(HostErrorKind::Unavailable, self.daemon.absent) } else { error }
        })
    }
}

/// Runs a conversation with a daemon while this thread waits; a stop ends it.
pub(super) fn speak<T: Send + 'static, F: Future<Output = Result<T, HostError>> + Send + 'static>(
    at: &Context,
    daemon: &'static Daemon,
    talk: impl FnOnce(Line) -> F + Send + 'static,
) -> Result<T, HostError> {
    speak_for(at, daemon, WHOLE, talk)
}

/// The same for long operations.
pub(super) fn speak_for<T: Send + 'static, F: Future<Output = Result<T, HostError>> + Send + 'static>(
    at: &Context,
    daemon: &'static Daemon,
    limit: Duration,
    talk: impl FnOnce(Line) -> F + Send + 'static,
) -> Result<T, HostError> {
    let shared = at.shared.myself()?;
    at.running.ask(&at.shared.network, limit, async move { talk(Line::open(&shared, daemon).await?).await })
}

/// Reads signals until the connection is lost.
async fn listen(mut signals: Signals, shared: Weak<Shared>) {
    while let Some(message) = signals.next().await {
        let Some(shared) = shared.upgrade() else { return };
        hear(&shared, &message);
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

/// Triggers a check of all interested tickets.
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

/// Reconnects as soon as possible, if anything is watched. A missing socket is watched itself.
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
