//! Network interfaces: state, addresses and routes.

use super::{Change, Changes, Learn, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Write};
use std::net::IpAddr;

/// A query to the kernel, or about systemd-networkd.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `State`.
    State { link: String },
    /// → `Manager`: whether systemd-networkd runs.
    Manager,
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The interface; `None` if it does not exist.
    State(Option<LinkState>),
    /// Whether systemd-networkd runs.
    Manager(bool),
}

/// One interface, as the kernel reports it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct LinkState {
    /// Whether it is up.
    pub is_up: bool,
    /// Its addresses, without those of IPv6 that expire.
    pub addresses: Vec<Address>,
    /// Those of `addresses` that another host on the network also uses.
    pub duplicates: Vec<Address>,
    /// Its routes in the main table, without those from router advertisements, and without default routes after one
    /// that refuses everything.
    pub routes: Vec<Route>,
}

/// An address with its prefix length; for a network, the bits after the prefix are zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Address {
    /// The address.
    pub ip: IpAddr,
    /// The prefix length.
    pub length: u8,
}

/// A route to a network; an empty prefix means the default route.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Route {
    /// The destination.
    pub to: Address,
    /// The gateway, if there is exactly one.
    pub gateway: Option<IpAddr>,
    /// The metric; lower is preferred.
    pub metric: u32,
}

/// A change of an interface.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Step {
    /// Sets it up or down.
    Set {
        /// The interface.
        link: String,
        /// Whether it should be up.
        up: bool,
    },
    /// Adds an address; an existing one stays.
    Add {
        /// The interface.
        link: String,
        /// The address.
        address: Address,
    },
    /// Removes exactly this address. A missing one is not an error.
    Remove {
        /// The interface.
        link: String,
        /// The address.
        address: Address,
    },
    /// Adds the route to an address's network that the kernel would add with the address.
    Reach {
        /// The interface.
        link: String,
        /// The address.
        address: Address,
    },
    /// Sets the default route over this interface, replacing `now`. Routes over other interfaces stay, but none that refuses
    /// everything in front of it.
    Gateway {
        /// The interface.
        link: String,
        /// The gateway.
        gateway: IpAddr,
        /// The current default route over it.
        now: Option<Route>,
    },
    /// Removes a route. A missing one is not an error.
    Unroute {
        /// The interface.
        link: String,
        /// The route.
        route: Route,
    },
    /// Makes systemd-networkd reload its files and reconfigure the interface.
    Reconfigure {
        /// The interface.
        link: String,
    },
}

/// A watch of interfaces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Watch {
    /// Any interface, or any address.
    All,
    /// One interface by name, even if it appears later: state, addresses, routes.
    One { link: String },
}

/// A property of the network.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `List` of `Struct { name Bytes, loopback Bool, up Bool, wireless Bool, mac Bytes, addresses List of Bytes }`:
    /// network interfaces in the system's order. `mac` holds raw bytes (none: empty), an address reads `192.0.2.1/24`.
    /// Reported again on each link or address change.
    Interfaces,
}

impl Address {
    /// Its network.
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

    /// Whether it is an IPv6 link-local address.
    pub fn is_link_local(self) -> bool {
        matches!(self.ip, IpAddr::V6(ip) if ip.segments()[0] & 0xffc0 == 0xfe80)
    }

    /// Whether the kernel adds a route to this address's network to the main table.
    pub fn has_route(self) -> bool {
        let IpAddr::V4(ip) = self.ip else { return false };
        self.length < 32 && !ip.is_loopback() && ip.octets()[0] != 0
    }
}

impl Route {
    /// Whether it is the default route.
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

    /// systemd-networkd is queried over a bus.
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
            Step::Reconfigure { link } => write!(f, "reconfigure {link} in systemd-networkd"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Link(self.link())]
    }

    /// systemd-networkd is queried over a bus.
    fn waits(&self) -> bool {
        matches!(self, Step::Reconfigure { .. })
    }
}

impl Step {
    /// The interface it changes.
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
