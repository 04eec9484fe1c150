//! Network interfaces as in a kernel: adding an address adds the route to its network, and setting an interface down
//! removes its routes.

use crate::subject::SubjectState;
use crate::vocab::link::{Address, LinkState, Route};
use crate::vocab::{Datum, HostError, HostErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The network interfaces of a host.
#[derive(Clone)]
pub struct Links {
    /// In the system's order.
    pub interfaces: Vec<Interface>,
}

/// A network interface.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Interface {
    /// Its name.
    pub name: String,
    /// Whether it is the loopback interface.
    pub is_loopback: bool,
    /// Whether it is wireless.
    pub is_wireless: bool,
    /// Hardware address; may be empty.
    pub mac: Vec<u8>,
    /// Its state.
    pub state: LinkState,
}

impl Interface {
    /// An interface that is up.
    pub fn new(name: &str, mac: &[u8], address: Address) -> Interface {
        let state = LinkState { is_up: true, ..LinkState::default() };
        let mut new =
            Interface { name: name.into(), is_loopback: name == "lo", is_wireless: false, mac: mac.to_vec(), state };
        new.add(address);
        new
    }

    /// Sets it up or down.
    pub fn set(&mut self, up: bool) {
        let state = &mut self.state;
        state.is_up = up;
        state.routes.clear();
        if up {
            let addresses = state.addresses.clone();
            addresses.into_iter().for_each(|address| self.reach(address));
        }
    }

    /// Adds an address with its route.
    pub fn add(&mut self, address: Address) {
        if !self.state.addresses.contains(&address) {
            self.state.addresses.push(address);
            self.reach(address);
        }
    }

    /// Removes an address with its route.
    pub fn remove(&mut self, address: Address) {
        let state = &mut self.state;
        state.addresses.retain(|held| *held != address);
        let is_reached = state.addresses.iter().any(|held| held.network() == address.network());
        state.routes.retain(|route| is_reached || route.to != address.network());
        if state.addresses.is_empty() {
            state.routes.clear();
        }
    }

    /// Adds the route to an address's network, if the kernel keeps one.
    pub fn reach(&mut self, address: Address) {
        let route = Route { to: address.network(), gateway: None, metric: 0 };
        if self.state.is_up && address.has_route() && !self.state.routes.contains(&route) {
            self.state.routes.push(route);
        }
    }

    /// Sets the default route. Errors: the gateway is in no network of the interface's addresses.
    pub fn set_gateway(&mut self, gateway: IpAddr, now: Option<&Route>) -> Result<(), HostError> {
        let state = &mut self.state;
        let is_near = |held: &Address| held.network() == Address { ip: gateway, ..*held }.network();
        if !state.is_up || !state.addresses.iter().any(is_near) {
            let message = format!("set the default gateway of {}: network is unreachable", self.name);
            return Err(HostError::new(HostErrorKind::Other, message));
        }
        let metric = now.map_or(0, |now| now.metric);
        state.routes.retain(|route| Some(route) != now);
        let ip = if gateway.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
        state.routes.push(Route { to: Address { ip, length: 0 }, gateway: Some(gateway), metric });
        Ok(())
    }

    /// The interface in the form of the fact.
    pub(super) fn datum(&self) -> Datum {
        let addresses = self.state.addresses.iter().map(|address| Datum::text(address.to_string()));
        Datum::Struct(vec![
            ("name".into(), Datum::text(self.name.as_str())),
            ("loopback".into(), Datum::Bool(self.is_loopback)),
            ("up".into(), Datum::Bool(self.state.is_up)),
            ("wireless".into(), Datum::Bool(self.is_wireless)),
            ("mac".into(), Datum::Bytes(self.mac.clone())),
            ("addresses".into(), Datum::List(addresses.collect())),
        ])
    }
}

impl Links {
    /// The interfaces of one of several hosts on the same network: a loopback and a wired one.
    pub(crate) fn numbered(host: u8) -> Links {
        let address = |ip: [u8; 4], length| Address { ip: Ipv4Addr::from(ip).into(), length };
        let interfaces = vec![
            Interface::new("lo", &[], address([127, 0, 0, 1], 8)),
            Interface::new("eth0", &[0x52, 0x54, 0, 0x12, 0x34, 0x56 + host], address([192, 0, 2, 10 + host], 24)),
        ];
        Links { interfaces }
    }
}

impl SubjectState for Links {
    fn of_new_host(_: &str) -> Links {
        Links::numbered(0)
    }

    fn n_entries(&self) -> usize {
        self.interfaces.len()
    }
}
