//! DHCP servers: the world's [`Leases`](crate::Leases).

pub(super) mod state;

use super::{Answer, Context, Play, Simulated, absent, listed, no_such};
use crate::protocol::Ticket;
use crate::vocab::dhcp::{Finding, Leased, Probe, Watch};
use crate::vocab::subjects::Dhcp;
use crate::vocab::{Datum, HostError, HostErrorKind, Outcome};
use crate::{SimHost, World};
use mclive_base::shapes::host::{Alteration, Thing};
use std::net::Ipv4Addr;

/// Another machine on the network of a server asks it for an address.
const ASK: &str = "let a new machine ask";
const UNTIL: &str = "until (Unix time in seconds)";

impl Simulated for Dhcp {
    type State = state::Leases;
}

impl Play for Dhcp {
    const TITLE: &'static str = "DHCP";

    /// The servers, and the leases of machines on their networks.
    fn holds(world: &World) -> Vec<Thing> {
        let (dhcp, now_s) = (&world.subjects.dhcp, now_s(world));
        let lease = |(interface, Leased { ip, mac, until_s }): (&str, Leased)| {
            let thing = Thing::new(lease_name(interface, ip)).fixed("machine", mac);
            thing.fixed(UNTIL, until_s.to_string()).verbs(&["renew", "release"])
        };
        dhcp.servers
            .all()
            .map(|(server, answers)| shown(server, answers))
            .chain(dhcp.leases(now_s).map(lease))
            .collect()
    }

    fn alter(world: &mut World, thing: &str, how: &Alteration) -> Result<(), HostError> {
        let Alteration::Do { verb } = how else { return Err(no_such(thing, how)) };
        let (dhcp, now_s) = (&world.subjects.dhcp, now_s(world));
        if verb == ASK {
            let server = dhcp.servers.answering().find(|server| server_name(server) == thing);
            let interface = server.map(|server| server.interface.clone()).ok_or_else(|| no_such(thing, how))?;
            let mac = new_machine(world, now_s);
            return ask(world, &interface, &mac);
        }
        let lease = dhcp.leases(now_s).find(|(interface, leased)| lease_name(interface, leased.ip) == thing);
        let lease = lease.map(|(interface, leased)| (interface.to_owned(), leased.mac.to_owned()));
        let (interface, mac) = lease.ok_or_else(|| no_such(thing, how))?;
        match verb.as_str() {
            "renew" => ask(world, &interface, &mac),
            "release" => {
                world.subjects.dhcp.release(&interface, &mac);
                Ok(())
            }
            _ => Err(no_such(thing, how)),
        }
    }

    absent! { step fact }

    fn probe(at: &mut Context, Probe { server }: &Probe) -> Answer<Finding> {
        at.world.subjects.dhcp.servers.ready(server);
        Answer::Now(Ok(Finding::Ready))
    }

    fn watch(host: &mut SimHost, ticket: Ticket, watch: &Watch) -> Result<(), HostError> {
        host.world.subjects.dhcp.open(ticket, watch.clone())
    }

    fn leave(host: &mut SimHost, ticket: Ticket, _: &Watch) {
        host.world.subjects.dhcp.servers.remove(ticket);
    }
}

/// A server, with what it gives out.
fn shown(server: &Watch, answers: bool) -> Thing {
    let state = if answers { "running" } else { "not ready" };
    let ranges: Vec<String> = server.ranges.iter().map(|range| format!("{} to {}", range.first, range.last)).collect();
    let hosts: Vec<String> = server.hosts.iter().map(|host| format!("{} for {}", host.ip, host.mac)).collect();
    let thing = Thing::new(server_name(server)).fixed("state", state);
    let thing = if ranges.is_empty() { thing } else { thing.fixed("ranges", listed(&ranges)) };
    let thing = if hosts.is_empty() { thing } else { thing.fixed("reserved", listed(&hosts)) };
    if answers { thing.verbs(&[ASK]) } else { thing }
}

/// The name of the thing for a server.
fn server_name(server: &Watch) -> String {
    format!("server {} on {}", server.address, server.interface)
}

/// The name of the thing for a lease.
fn lease_name(interface: &str, ip: Ipv4Addr) -> String {
    format!("{ip} on {interface}")
}

/// The MAC address of a machine that has no lease: one of those that are assigned locally.
fn new_machine(world: &World, now_s: u64) -> String {
    let taken: Vec<&str> = world.subjects.dhcp.leases(now_s).map(|(_, leased)| leased.mac).collect();
    let mut all = (1..=u16::MAX).map(|number| {
        let [high, low] = number.to_be_bytes();
        format!("02:00:00:01:{high:02x}:{low:02x}")
    });
    all.find(|mac| !taken.contains(&mac.as_str())).unwrap_or_default()
}

/// A machine asks for an address, or renews its own. Errors: it gets none.
fn ask(world: &mut World, interface: &str, mac: &str) -> Result<(), HostError> {
    let why = || HostError::new(HostErrorKind::Other, format!("no server has an address for {mac} on {interface}"));
    world.lease(interface, mac).map(drop).ok_or_else(why)
}

/// The present, as leases count it.
fn now_s(world: &World) -> u64 {
    world.tree.now_ns as u64 / 1_000_000_000
}
