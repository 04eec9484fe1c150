//! DHCP servers for IPv4 that a program opens. Resource spec, 7 and 9.9 to 9.11.

mod pool;

pub use pool::{Client, Grant, Pool, Verdict};

use super::subject::never;
use super::{Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::net::Ipv4Addr;

never! { Step, Fact }

/// A server that is open as long as it is watched. It answers from the first good [`Probe`] on. No client is a change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// `host:port`. The host is no more than the server's identifier: requests come by broadcast.
    pub address: String,
    pub interface: String,
    pub identifier: Identifier,
    /// `None`: an answer has no lease time. Units: seconds.
    pub lease_s: Option<u32>,
    pub dns: Vec<Ipv4Addr>,
    pub routers: Vec<Ipv4Addr>,
    pub hosts: Vec<Reserved>,
    pub ranges: Vec<Range>,
}

/// How a server names itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Identifier {
    Is(Ipv4Addr),
    /// By the interface's address, as it is at the time.
    OfInterface,
    Omitted,
}

/// An address for one machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reserved {
    pub mac: String,
    pub ip: Ipv4Addr,
    pub length: u8,
    pub boot: Option<Boot>,
}

/// Addresses for whoever asks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Range {
    pub first: Ipv4Addr,
    pub last: Ipv4Addr,
    pub length: u8,
    pub skip: Vec<Ipv4Addr>,
    pub boot: Option<Boot>,
}

/// What a machine boots.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Boot {
    pub server: String,
    pub file: String,
}

/// Whether the interface is there with an address, and the server is open if it is watched. → `Ready`, or why not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub server: Watch,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Ready,
}

/// The bits of a network.
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
