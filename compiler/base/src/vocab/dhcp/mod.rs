//! DHCP servers for IPv4 run by a program. Resource spec, 7 and 9.9 to 9.11.

mod pool;

pub use pool::{Client, Grant, Leased, Pool, Proposal, Verdict};

use super::subject::never;
use super::{Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::net::Ipv4Addr;

never! { Step, Fact }

/// A server that is open while it is watched. It answers after the first successful [`Probe`]. Requests of clients do
/// not count as changes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// `host:port`. The host is only the server's identifier: requests come by broadcast.
    pub address: String,
    /// The network interface.
    pub interface: String,
    /// The server identifier in answers.
    pub identifier: Identifier,
    /// The lease time in seconds; `None`: answers have none.
    pub lease_s: Option<u32>,
    /// DNS servers to announce.
    pub dns: Vec<Ipv4Addr>,
    /// Routers to announce.
    pub routers: Vec<Ipv4Addr>,
    /// Reserved addresses.
    pub hosts: Vec<Reserved>,
    /// Dynamic addresses.
    pub ranges: Vec<Range>,
}

/// How a server identifies itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Identifier {
    /// By this address.
    Is(Ipv4Addr),
    /// By the interface's current address.
    OfInterface,
    /// Not at all.
    Omitted,
}

/// An address reserved for one machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reserved {
    /// The machine's MAC address, in lower case with colons.
    pub mac: String,
    /// The address.
    pub ip: Ipv4Addr,
    /// Prefix length of its network.
    pub length: u8,
    /// What to boot.
    pub boot: Option<Boot>,
}

/// A range of addresses for any client.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Range {
    /// The first address.
    pub first: Ipv4Addr,
    /// The last address.
    pub last: Ipv4Addr,
    /// Prefix length of the network.
    pub length: u8,
    /// Addresses to leave out.
    pub skip: Vec<Ipv4Addr>,
    /// What to boot.
    pub boot: Option<Boot>,
}

/// Network boot information.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Boot {
    /// The TFTP server.
    pub server: String,
    /// The boot file.
    pub file: String,
}

/// → `Ready`, or an error: whether the interface has an address and the server, if watched, is open.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The server.
    pub server: Watch,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// Everything is in place.
    Ready,
}

/// The netmask of a prefix length.
pub fn mask(length: u8) -> u32 {
    u32::MAX.checked_shl(32 - u32::from(length.min(32))).unwrap_or(0)
}

fn powers(server: &Watch) -> Vec<Power<'_>> {
    vec![Power::Listen("dhcp:server", (&*server.address).into())]
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        powers(&self.server)
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        write!(f, "the DHCP server on {} ({})", self.interface, self.address)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        powers(self)
    }
}
