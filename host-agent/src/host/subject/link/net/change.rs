//! Changes of an interface: state, addresses, routes.

use super::refusal::Refusal;
use super::state::{self, Held};
use super::wire;
use crate::host::errno::{kind, words};
use mclive_base::vocab::link::{Address, Route};
use mclive_base::vocab::{HostError, HostErrorKind};
use netlink_packet_core::{NLM_F_APPEND, NLM_F_CREATE, NLM_F_REPLACE};
use netlink_packet_route::address::{AddressAttribute, AddressMessage, AddressScope};
use netlink_packet_route::link::{LinkFlags, LinkMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use rustix::io::Errno;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An existing interface, by its index.
#[derive(Clone, Copy)]
pub(crate) struct Link(u32);

impl Link {
    /// With the name by which the kernel knows it: a link may have others.
    pub(crate) fn find(name: &str) -> Result<(Link, String), HostError> {
        match state::find(name) {
            Ok(Some(found)) => Ok((Link(found.index), found.name)),
            Ok(None) => Err(HostError::new(HostErrorKind::NotFound, format!("cannot find network interface {name}"))),
            Err(errno) => Err(HostError::new(kind(errno), format!("read the state of {name}: {}", words(errno)))),
        }
    }

    pub(crate) fn index(self) -> u32 {
        self.0
    }

    pub(crate) fn set(self, up: bool) -> rustix::io::Result<()> {
        let mut message = LinkMessage::default();
        message.header.index = self.0;
        message.header.flags = if up { LinkFlags::Up } else { LinkFlags::empty() };
        message.header.change_mask = LinkFlags::Up;
        tell(RouteNetlinkMessage::SetLink(message), 0)
    }

    pub(crate) fn add(self, address: Address) -> rustix::io::Result<()> {
        let mut message = self.address(address);
        message.attributes.push(AddressAttribute::Address(address.ip));
        if let IpAddr::V4(ip) = address.ip {
            if ip.is_loopback() {
                message.header.scope = AddressScope::Host;
            } else if address.length < 31 {
                let hosts = u32::MAX.checked_shr(address.length.into()).unwrap_or(0);
                message.attributes.push(AddressAttribute::Broadcast((u32::from(ip) | hosts).into()));
            }
        }
        tell(RouteNetlinkMessage::NewAddress(message), NLM_F_CREATE | NLM_F_REPLACE)
    }

    /// When the first address of a network is removed, the kernel removes its other addresses as well: they are added
    /// again.
    pub(crate) fn remove(self, address: Address) -> rustix::io::Result<()> {
        let before = self.addresses()?;
        match tell(RouteNetlinkMessage::DelAddress(self.address(address)), 0) {
            Ok(()) | Err(Errno::ADDRNOTAVAIL) => {}
            Err(errno) => return Err(errno),
        }
        let after = self.addresses()?;
        let gone = before.into_iter().filter(|other| *other != address && !after.contains(other));
        gone.into_iter().try_for_each(|other| self.add(other))
    }

    /// Adds the route to the network of an address.
    pub(crate) fn reach(self, address: Address) -> rustix::io::Result<()> {
        let mut message = self.route(address.network());
        message.header.protocol = RouteProtocol::Kernel;
        message.header.scope = RouteScope::Link;
        message.attributes.push(RouteAttribute::PrefSource(address.ip.into()));
        tell(RouteNetlinkMessage::NewRoute(message), NLM_F_CREATE | NLM_F_APPEND)
    }

    /// The new default route is added before the old one is removed, so that the host stays reachable. A route
    /// that rejects all traffic and takes precedence is removed, too.
    pub(crate) fn set_gateway(self, gateway: IpAddr, now: Option<&Route>) -> rustix::io::Result<()> {
        let mut message = self.route(everywhere(gateway));
        message.header.protocol = RouteProtocol::Static;
        message.attributes.push(RouteAttribute::Gateway(gateway.into()));
        if let Some(now) = now.filter(|now| now.metric > 0) {
            message.attributes.push(RouteAttribute::Priority(now.metric));
        }
        match tell(RouteNetlinkMessage::NewRoute(message), NLM_F_CREATE | NLM_F_APPEND) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
        }
        state::refusals(self.0, gateway)?.iter().try_for_each(|refusal| lift(refusal, gateway))?;
        now.map_or(Ok(()), |now| self.unroute(now))
    }

    pub(crate) fn unroute(self, route: &Route) -> rustix::io::Result<()> {
        let mut message = self.route(route.to);
        message.header.scope = RouteScope::NoWhere;
        message.header.kind = RouteType::Unspec;
        message.attributes.push(RouteAttribute::Priority(route.metric));
        message.attributes.extend(route.gateway.map(|gateway| RouteAttribute::Gateway(gateway.into())));
        remove(message)
    }

    fn addresses(self) -> rustix::io::Result<Vec<Address>> {
        let all: Vec<Held> = state::addresses()?;
        Ok(all.into_iter().filter(|held| held.link == self.0).map(|held| held.address).collect())
    }

    fn address(self, address: Address) -> AddressMessage {
        let mut message = AddressMessage::default();
        message.header.family = family(address.ip);
        message.header.prefix_len = address.length;
        message.header.index = self.0;
        message.attributes.push(AddressAttribute::Local(address.ip));
        message
    }

    fn route(self, to: Address) -> RouteMessage {
        let mut message = RouteMessage::default();
        message.header.address_family = family(to.ip);
        message.header.destination_prefix_length = to.length;
        message.header.table = RouteHeader::RT_TABLE_MAIN;
        message.header.kind = RouteType::Unicast;
        message.attributes.push(RouteAttribute::Oif(self.0));
        if to.length > 0 {
            message.attributes.push(RouteAttribute::Destination(RouteAddress::from(to.ip)));
        }
        message
    }
}

/// Removes a refusal of a gateway's family.
fn lift(refusal: &Refusal, gateway: IpAddr) -> rustix::io::Result<()> {
    let mut message = RouteMessage::default();
    message.header.address_family = family(gateway);
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.scope = RouteScope::NoWhere;
    message.header.kind = refusal.kind;
    message.attributes.push(RouteAttribute::Priority(refusal.metric));
    message.attributes.extend(refusal.over.map(RouteAttribute::Oif));
    remove(message)
}

/// Removes a route. A missing one is not an error.
fn remove(route: RouteMessage) -> rustix::io::Result<()> {
    match tell(RouteNetlinkMessage::DelRoute(route), 0) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(errno),
    }
}

fn tell(message: RouteNetlinkMessage, flags: u16) -> rustix::io::Result<()> {
    wire::ask(message, flags, |_, _| Ok(()))
}

fn family(ip: IpAddr) -> AddressFamily {
    if ip.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}

/// The whole address space of this family.
fn everywhere(family: IpAddr) -> Address {
    let ip = match family {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    Address { ip, length: 0 }
}
