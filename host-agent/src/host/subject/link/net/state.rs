//! The state of one interface: its flags, addresses and routes.

use super::refusal::Refusal;
use super::wire::{self, RTM_NEWADDR, RTM_NEWLINK, RTM_NEWROUTE};
use mclive_base::vocab::link::{Address, LinkState, Route};
use netlink_packet_core::{DecodeError, NlasIterator, Parseable};
use netlink_packet_route::address::{AddressAttribute, AddressFlags, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkHeader, LinkMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteNextHop, RouteProtocol, RouteType,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use rustix::io::Errno;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The longest name that the kernel allows.
const LONGEST_NAME: usize = 15;
/// Attributes of a link: its hardware address and its name.
const IFLA_ADDRESS: u16 = 1;
const IFLA_IFNAME: u16 = 3;
/// Header of a link message.
const LINK_HEADER: usize = 16;

/// The identity of an interface.
pub(super) struct Brief {
    pub(super) index: u32,
    pub(super) name: String,
    pub(super) flags: LinkFlags,
    pub(super) mac: Vec<u8>,
}

/// An address and the interface that has it.
pub(super) struct Held {
    pub(super) link: u32,
    pub(super) address: Address,
    is_duplicate: bool,
    /// It expires: a router or a server has lent it, and lends it again if it is removed.
    is_lent: bool,
}

/// `None`: the interface does not exist. As with routes, addresses that IPv6 assigns automatically are left out: they
/// would soon be assigned again.
pub(super) fn read(link: &str) -> rustix::io::Result<Option<LinkState>> {
    let Some(Brief { index, flags, .. }) = find(link)? else { return Ok(None) };
    let is_own = |held: &Held| held.link == index && !(held.is_lent && held.address.ip.is_ipv6());
    let held: Vec<Held> = addresses()?.into_iter().filter(is_own).collect();
    let duplicates = held.iter().filter(|held| held.is_duplicate).map(|held| held.address).collect();
    let addresses = held.into_iter().map(|held| held.address).collect();
    Ok(Some(LinkState { is_up: flags.contains(LinkFlags::Up), addresses, duplicates, routes: routes(index)? }))
}

/// An interface by its name, or by another one that it has.
pub(super) fn find(name: &str) -> rustix::io::Result<Option<Brief>> {
    if name.is_empty() || name.len() > LONGEST_NAME || name.contains('\0') {
        return Ok(None);
    }
    let mut message = LinkMessage::default();
    message.attributes.push(LinkAttribute::IfName(name.to_owned()));
    let mut found = None;
    let asked = wire::ask(RouteNetlinkMessage::GetLink(message), 0, |kind, body| {
        if kind == RTM_NEWLINK {
            found = Some(brief(body)?);
        }
        Ok(())
    });
    match asked {
        Ok(()) => Ok(found),
        Err(Errno::NODEV) => Ok(None),
        Err(errno) => Err(errno),
    }
}

/// Every interface.
pub(super) fn links() -> rustix::io::Result<Vec<Brief>> {
    wire::list(&RouteNetlinkMessage::GetLink(LinkMessage::default()), |kind, body| {
        if kind == RTM_NEWLINK { brief(body).map(Some) } else { Ok(None) }
    })
}

/// Parses the interface of a message.
pub(super) fn brief(body: &[u8]) -> Result<Brief, DecodeError> {
    let header = LinkHeader::parse(body)?;
    let (mut name, mut mac) = (None, Vec::new());
    for attribute in NlasIterator::new(body.get(LINK_HEADER..).unwrap_or_default()) {
        let attribute = attribute?;
        match attribute.kind() {
            IFLA_ADDRESS => mac = attribute.value().to_vec(),
            IFLA_IFNAME => name = Some(String::from_utf8_lossy(attribute.value()).trim_end_matches('\0').to_owned()),
            _ => {}
        }
    }
    let name = name.ok_or_else(|| DecodeError::from("a network interface without a name"))?;
    Ok(Brief { index: header.index, name, flags: header.flags, mac })
}

/// All addresses of this host.
pub(super) fn addresses() -> rustix::io::Result<Vec<Held>> {
    wire::list(&RouteNetlinkMessage::GetAddress(AddressMessage::default()), |kind, body| {
        if kind == RTM_NEWADDR { held(body) } else { Ok(None) }
    })
}

/// Parses the address of a message; `None` for other protocols.
pub(super) fn held(body: &[u8]) -> Result<Option<Held>, DecodeError> {
    let message = AddressMessage::parse(body)?;
    let (mut local, mut of_peer) = (None, None);
    let mut all_flags = u32::from(message.header.flags.bits());
    for attribute in &message.attributes {
        match attribute {
            AddressAttribute::Local(ip) => local = Some(*ip),
            AddressAttribute::Address(ip) => of_peer = Some(*ip),
            AddressAttribute::Flags(flags) => all_flags |= flags.bits(),
            _ => {}
        }
    }
    // On a point-to-point link the message contains the peer as well.
    let ip = local.or(of_peer);
    let length = message.header.prefix_len;
    let has = |flag: AddressFlags| all_flags & flag.bits() != 0;
    let (is_duplicate, is_lent) = (has(AddressFlags::Dadfailed), !has(AddressFlags::Permanent));
    Ok(ip.map(|ip| Held { link: message.header.index, address: Address { ip, length }, is_duplicate, is_lent }))
}

/// Routes of the main table over an interface, without those from router advertisements, and without default routes
/// after one that refuses everything: they are never used.
fn routes(link: u32) -> rustix::io::Result<Vec<Route>> {
    let mut all = Vec::new();
    for family in [AddressFamily::Inet, AddressFamily::Inet6] {
        let mut is_refused = false;
        for entry in entries(family, link)? {
            match entry {
                Answer::Refusal(_) => is_refused = true,
                Answer::Routes(routes) => {
                    all.extend(routes.into_iter().filter(|route| !is_refused || !route.is_default()));
                }
            }
        }
    }
    Ok(all)
}

/// The refusals in front of the default route over an interface and a gateway, if there is that route.
pub(super) fn refusals(link: u32, gateway: IpAddr) -> rustix::io::Result<Vec<Refusal>> {
    let family = if gateway.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let mut before = Vec::new();
    for entry in entries(family, link)? {
        match entry {
            Answer::Refusal(refusal) => before.push(refusal),
            Answer::Routes(routes) => {
                if routes.iter().any(|route| route.is_default() && route.gateway == Some(gateway)) {
                    return Ok(before);
                }
            }
        }
    }
    Ok(Vec::new())
}

/// An entry of the main table, as far as it matters for an interface.
enum Answer {
    Refusal(Refusal),
    Routes(Vec<Route>),
}

/// In the kernel's order: of those to one destination, the first is used.
fn entries(family: AddressFamily, link: u32) -> rustix::io::Result<Vec<Answer>> {
    let mut message = RouteMessage::default();
    message.header.address_family = family;
    wire::list(&RouteNetlinkMessage::GetRoute(message), |kind, body| {
        if kind != RTM_NEWROUTE {
            return Ok(None);
        }
        let refusal = Refusal::of(body)?.map(Answer::Refusal);
        refusal.map_or_else(|| routes_of(body, link).map(Answer::Routes), Ok).map(Some)
    })
}

/// The routes over an interface in a message: one may lead over several gateways.
fn routes_of(body: &[u8], link: u32) -> Result<Vec<Route>, DecodeError> {
    let header = RouteHeader::parse(body)?;
    let is_ours = header.table == RouteHeader::RT_TABLE_MAIN
        && header.kind == RouteType::Unicast
        && header.protocol != RouteProtocol::Ra;
    if !is_ours {
        return Ok(Vec::new());
    }
    let nowhere: IpAddr = match header.address_family {
        AddressFamily::Inet => Ipv4Addr::UNSPECIFIED.into(),
        _ => Ipv6Addr::UNSPECIFIED.into(),
    };
    let to = Address { ip: nowhere, length: header.destination_prefix_length };
    let mut route = Route { to, gateway: None, metric: 0 };
    let (mut over, mut hops, mut is_shared) = (None, Vec::new(), false);
    for attribute in RouteMessage::parse(body)?.attributes {
        match attribute {
            RouteAttribute::Destination(to) => route.to.ip = ip(&to).unwrap_or(nowhere),
            RouteAttribute::Gateway(gateway) => route.gateway = ip(&gateway),
            RouteAttribute::Priority(metric) => route.metric = metric,
            RouteAttribute::Oif(link) => over = Some(link),
            RouteAttribute::MultiPath(several) => hops = several,
            RouteAttribute::NhId(_) => is_shared = true,
            _ => {}
        }
    }
    let is_over = |hop: &RouteNextHop| hop.interface_index == link;
    Ok(match header.address_family {
        _ if over == Some(link) => vec![route],
        // A request that names a gateway cannot remove these.
        _ if is_shared => Vec::new(),
        // It is one route, which the kernel finds by its first gateway.
        AddressFamily::Inet => hops.first().filter(|hop| is_over(hop)).map(|_| route).into_iter().collect(),
        // Each is a separate route, and only reported together with the others.
        _ => {
            hops.iter().filter(|hop| is_over(hop)).map(|hop| Route { gateway: gateway(hop), ..route.clone() }).collect()
        }
    })
}

fn gateway(hop: &RouteNextHop) -> Option<IpAddr> {
    hop.attributes.iter().find_map(|attribute| match attribute {
        RouteAttribute::Gateway(gateway) => ip(gateway),
        _ => None,
    })
}

/// The interface of a route; `None` if it has several, or concerns all.
pub(super) fn route_link(body: &[u8]) -> Result<Option<u32>, DecodeError> {
    if Refusal::of(body)?.is_some() {
        return Ok(None);
    }
    let over = |attribute: &RouteAttribute| match attribute {
        RouteAttribute::Oif(link) => Some(*link),
        _ => None,
    };
    Ok(RouteMessage::parse(body)?.attributes.iter().find_map(over))
}

fn ip(address: &RouteAddress) -> Option<IpAddr> {
    match address {
        RouteAddress::Inet(ip) => Some((*ip).into()),
        RouteAddress::Inet6(ip) => Some((*ip).into()),
        _ => None,
    }
}
