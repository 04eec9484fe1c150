//! Network interfaces: whether they are up, their addresses and routes.

use super::{Change, Changes, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Write};
use std::net::IpAddr;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `State`.
    State { link: String },
    /// → `Manager`: whether systemd-networkd runs.
    Manager,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// `None`: there is no such interface.
    State(Option<LinkState>),
    Manager(bool),
}

/// One interface, as the kernel tells it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct LinkState {
    pub is_up: bool,
    pub addresses: Vec<Address>,
    /// Those of `addresses` that another host of the network has as well.
    pub duplicates: Vec<Address>,
    /// Of the main table, without what routers advertise.
    pub routes: Vec<Route>,
}

/// An address with the length of its network's prefix; of a network, with zeros behind the prefix.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Address {
    pub ip: IpAddr,
    pub length: u8,
}

/// Where packets for a network go; a network without a prefix is all of the world.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Route {
    pub to: Address,
    pub gateway: Option<IpAddr>,
    pub metric: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    Set {
        link: String,
        up: bool,
    },
    /// One that is there stays.
    Add {
        link: String,
        address: Address,
    },
    /// No other address goes with it. One that is not there is no error.
    Remove {
        link: String,
        address: Address,
    },
    /// The way to the network that an address is in, as the kernel makes it with the address.
    Reach {
        link: String,
        address: Address,
    },
    /// Makes a default route over this interface, in the place of `now`. Those over others stay.
    Gateway {
        link: String,
        gateway: IpAddr,
        now: Option<Route>,
    },
    /// One that is not there is no error.
    Unroute {
        link: String,
        route: Route,
    },
    /// systemd-networkd reads its files, and configures the interface by them.
    Reconfigure {
        link: String,
    },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// Any interface, or an address of one.
    All,
    /// An interface by its name, also one that appears later: its state, its addresses, its routes.
    One { link: String },
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `List` of `Struct { name Bytes, loopback Bool, up Bool, wireless Bool, mac Bytes, addresses List of Bytes }`:
    /// network interfaces in the system's order. `mac` holds raw bytes (none: empty), an address reads
    /// `192.0.2.1/24`. Again on each link or address change.
    Interfaces,
}

impl Address {
    /// The network that it is in.
    pub fn network(self) -> Address {
        let ip = match self.ip {
            IpAddr::V4(ip) => {
                let host = u32::MAX.checked_shr(self.length.into()).unwrap_or(0);
                IpAddr::V4((u32::from(ip) & !host).into())
            }
            IpAddr::V6(ip) => {
                let host = u128::MAX.checked_shr(self.length.into()).unwrap_or(0);
                IpAddr::V6((u128::from(ip) & !host).into())
            }
        };
        Address { ip, ..self }
    }

    /// An IPv6 address that holds on its link alone.
    pub fn is_link_local(self) -> bool {
        matches!(self.ip, IpAddr::V6(ip) if ip.segments()[0] & 0xffc0 == 0xfe80)
    }

    /// The kernel keeps a route to the network of this address, in the table of routes that people see.
    pub fn has_route(self) -> bool {
        let IpAddr::V4(ip) = self.ip else { return false };
        self.length < 32 && !ip.is_loopback() && ip.octets()[0] != 0
    }
}

impl Route {
    pub fn is_default(&self) -> bool {
        self.to.length == 0
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.ip, self.length)
    }
}

impl Look for Probe {
    type Finding = Finding;

    /// The manager is asked over a bus.
    fn waits(&self) -> bool {
        match self {
            Probe::State { .. } => false,
            Probe::Manager => true,
        }
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Step::Set { link, up: true } => write!(f, "set {link} up (is down)"),
            Step::Set { link, up: false } => write!(f, "set {link} down (is up)"),
            Step::Add { link, address } => write!(f, "add {address} to {link}"),
            Step::Remove { link, address } => write!(f, "remove {address} from {link}"),
            Step::Reach { link, address } => write!(f, "add the route to {} over {link}", address.network()),
            Step::Gateway { link, gateway, now } => {
                write!(f, "set the default gateway of {link}: ")?;
                match now.as_ref().and_then(|now| now.gateway) {
                    Some(now) => write!(f, "{now} → {gateway}"),
                    None => write!(f, "none → {gateway}"),
                }
            }
            Step::Unroute { link, route: Route { gateway: Some(gateway), metric, .. } } => {
                write!(f, "remove the default route of {link} over {gateway} (metric {metric})")
            }
            Step::Unroute { link, route: Route { gateway: None, metric, .. } } => {
                write!(f, "remove the default route of {link} (metric {metric})")
            }
            Step::Reconfigure { link } => write!(f, "tell systemd-networkd to reconfigure {link}"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Link(self.link())]
    }

    /// The manager is asked over a bus.
    fn waits(&self) -> bool {
        matches!(self, Step::Reconfigure { .. })
    }
}

impl Step {
    /// The interface that it changes.
    pub fn link(&self) -> &str {
        match self {
            Step::Set { link, .. }
            | Step::Add { link, .. }
            | Step::Remove { link, .. }
            | Step::Reach { link, .. }
            | Step::Gateway { link, .. }
            | Step::Unroute { link, .. }
            | Step::Reconfigure { link } => link,
        }
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        match self {
            Watch::All => f.write_str("the network interfaces"),
            Watch::One { link } => write!(f, "the network interface {link}"),
        }
    }

    fn overlaps(&self, other: &Watch) -> bool {
        match (self, other) {
            (Watch::All, _) | (_, Watch::All) => true,
            (Watch::One { link }, Watch::One { link: other }) => link == other,
        }
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Fact::Interfaces = self;
        f.write_str("the network interfaces")
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch::All.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn a_network_has_zeros_behind_its_prefix() {
        for (ip, length, expect) in [
            ("10.1.2.3", 24, "10.1.2.0/24"),
            ("10.1.2.3", 32, "10.1.2.3/32"),
            ("10.1.2.3", 0, "0.0.0.0/0"),
            ("fd00::1:2", 64, "fd00::/64"),
            ("fd00::1:2", 128, "fd00::1:2/128"),
        ] {
            let address = Address { ip: ip.parse().unwrap(), length };
            assert_eq!(address.network().to_string(), expect);
        }
    }

    #[test]
    fn the_kernel_keeps_a_route_to_most_networks_of_version_4() {
        let has = |ip: &str, length| Address { ip: ip.parse().unwrap(), length }.has_route();
        assert!(has("10.0.0.1", 24) && has("10.0.0.1", 31));
        assert!(!has("10.0.0.1", 32) && !has("127.0.0.2", 8) && !has("fd00::1", 64));
    }
}
