//! systemd-networkd: whether it runs, and a reload of its files. Interface: org.freedesktop.network1(5).

use super::super::Context;
use super::net::Link;
use crate::network::bus::{self, Connection, Message, Object, OwnedObjectPath, OwnedVariant};
use mclive_base::vocab::{HostError, HostErrorKind};
use std::path::Path;
use std::time::Duration;

const BUS: &str = "/run/dbus/system_bus_socket";
const SERVICE: &str = "org.freedesktop.network1";
const MANAGER: Object =
    Object { service: SERVICE, path: "/org/freedesktop/network1", interface: "org.freedesktop.network1.Manager" };
const CHANGES: &str = "type='signal',sender='org.freedesktop.network1',interface='org.freedesktop.DBus.Properties',\
                       member='PropertiesChanged',path_namespace='/org/freedesktop/network1/link'";
const LIMIT: Duration = Duration::from_secs(25);
/// The limit of several requests, each of which has its own limit.
const WHOLE: Duration = Duration::from_secs(90);

/// Whether it runs. The request does not start it.
pub(super) fn runs(at: &Context) -> Result<bool, HostError> {
    if !Path::new(BUS).exists() {
        return Ok(false);
    }
    at.running.ask(&at.shared.network, WHOLE, async {
        let (connection, _signals) = bus::connect(Path::new(BUS)).await?;
        let what = "look for systemd-networkd";
        let bus = Object {
            service: "org.freedesktop.DBus",
            path: "/org/freedesktop/DBus",
            interface: "org.freedesktop.DBus",
        };
        let answer = bus::call(&connection, bus, "NameHasOwner", &SERVICE, LIMIT, what).await?;
        bus::read(&answer, what)
    })
}

/// Makes it read its files and configure the interface accordingly. Returns when that is done.
pub(super) fn reconfigure(at: &Context, link: Link) -> Result<(), HostError> {
    at.running.ask(&at.shared.network, WHOLE, async move {
        let (connection, mut signals) = bus::connect(Path::new(BUS)).await?;
        // In place before the first request, so that no change is missed.
        bus::listen(&connection, CHANGES).await?;
        ask(&connection, MANAGER, "Reload", &(), "reload systemd-networkd").await?;
        let what = "reconfigure the interface in systemd-networkd";
        let index = i32::try_from(link.index()).unwrap_or(i32::MAX);
        ask(&connection, MANAGER, "ReconfigureLink", &index, what).await?;
        let answer = ask(&connection, MANAGER, "GetLinkByIndex", &index, what).await?;
        let (_, path): (String, OwnedObjectPath) = bus::read(&answer, what)?;
        let object = Object { service: SERVICE, path: path.as_str(), interface: "org.freedesktop.DBus.Properties" };
        let property = ("org.freedesktop.network1.Link", "AdministrativeState");
        loop {
            let answer = ask(&connection, object, "Get", &property, what).await?;
            let state: OwnedVariant = bus::read(&answer, what)?;
            if !matches!(state.downcast_ref::<&str>(), Ok("pending" | "initialized" | "configuring")) {
                return Ok(());
            }
            // The next signal, or the end of the connection, which the next request reports.
            if tokio::time::timeout(LIMIT, signals.next()).await.is_err() {
                return Err(HostError::new(HostErrorKind::TimedOut, format!("{what}: timed out after 25 s")));
            }
        }
    })
}

async fn ask<B: serde::Serialize + zbus::DynamicType>(
    connection: &Connection,
    object: Object<'_>,
    method: &str,
    body: &B,
    what: &str,
) -> Result<Message, HostError> {
    bus::call(connection, object, method, body, LIMIT, what).await
}
