//! [`Network`]: a virtual network, its active and its stored configuration.

use super::{Part, startup};
use crate::vocab::Power;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use std::net::Ipv4Addr;

/// A virtual network.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Network {
    /// Whether it starts with its host.
    pub autostart: bool,
    /// The active configuration; `None`: it is down.
    pub live: Option<Lan>,
    /// The stored configuration; `None`: it is transient.
    pub stored: Option<Lan>,
}

/// A configuration.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Lan {
    /// The UUID; if the program leaves it empty, libvirt chooses one.
    pub uuid: String,
    /// Forwarding mode, such as `nat`; empty: isolated.
    pub mode: String,
    /// Name of the bridge, such as `virbr0`.
    pub bridge: String,
    /// MAC address of the bridge.
    pub mac: String,
    /// Address blocks, IPv4 only.
    pub blocks: Vec<Block>,
}

/// A router address with its DHCP settings.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Address of the router.
    pub ip: Ipv4Addr,
    /// Prefix length.
    pub length: u8,
    /// Reserved addresses.
    pub hosts: Vec<Host>,
    /// Dynamic ranges.
    pub ranges: Vec<Range>,
}

/// An address reserved for one machine.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Host {
    /// MAC address.
    pub mac: String,
    /// Host name.
    pub name: String,
    /// The address.
    pub ip: Ipv4Addr,
}

/// A range of addresses, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Range {
    /// The first address.
    pub start: Ipv4Addr,
    /// The last address.
    pub end: Ipv4Addr,
}

/// A change of a network.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// Define one that is down.
    Define(Box<Lan>),
    /// Create a transient one, which is gone when it goes down.
    Create(Box<Lan>),
    /// Store the active configuration.
    Persist,
    /// Delete the stored configuration; an active network continues.
    Undefine,
    /// Start it with its host, or not.
    Autostart(bool),
    /// Change the basic settings; an active network is restarted from the stored configuration. DHCP settings follow
    /// the wanted address block, or stay if its address is the same.
    Rebase {
        /// The wanted configuration.
        lan: Box<Lan>,
        /// Whether it is active.
        is_up: bool,
        /// The differences in words.
        differences: Vec<String>,
    },
    /// Change a reserved address.
    Host {
        /// Which configuration.
        part: Part,
        /// Index of the block, from 0.
        block: u64,
        /// The current reservation; `None` adds one.
        now: Option<Host>,
        /// The new reservation; `None` removes it.
        to: Option<Host>,
    },
    /// Add or remove a dynamic range.
    Range {
        /// Which configuration.
        part: Part,
        /// Index of the block, from 0.
        block: u64,
        /// The range.
        range: Range,
        /// Whether to add it.
        is_wanted: bool,
    },
    /// Start it.
    Start,
    /// Stop it.
    Stop,
}

impl Lan {
    /// The differences of the current configuration from this one, without hosts and ranges, in words.
    pub fn differences(&self, now: &Lan) -> Vec<String> {
        let mut found = Vec::new();
        let mut text = |what: &str, wanted: &str, now: &str| {
            let now = if now.is_empty() { "none" } else { now };
            if wanted != now {
                found.push(format!("{what} {now} → {wanted}"));
            }
        };
        if !self.uuid.is_empty() {
            text("UUID", &self.uuid, &now.uuid);
        }
        text("mode", &self.mode, &now.mode);
        text("bridge", &self.bridge, &now.bridge);
        text("MAC", &self.mac, &now.mac);
        if let Some(block) = self.blocks.first().filter(|block| now.block(block).is_none()) {
            let all: Vec<String> = now.blocks.iter().map(Block::address).collect();
            text("address", &block.address(), &all.join(", "));
        }
        found
    }

    /// The index of the block with the same address.
    pub fn block(&self, of: &Block) -> Option<usize> {
        self.blocks.iter().position(|block| (block.ip, block.length) == (of.ip, of.length))
    }
}

impl Block {
    /// The address with its prefix length: `10.0.0.1/24`.
    pub fn address(&self) -> String {
        format!("{}/{}", self.ip, self.length)
    }
}

impl Network {
    /// The word in messages.
    pub fn word(&self) -> &'static str {
        if self.live.is_some() { "up" } else { "down" }
    }
}

/// The kernel parameter that libvirt sets when a network starts: the host forwards packets from then on.
const FORWARDING: &str = "net.ipv4.ip_forward";

impl Move {
    /// What the host needs to permit for it.
    pub(super) fn uses(&self) -> Vec<Power<'_>> {
        match self {
            Move::Define(lan) | Move::Create(lan) | Move::Rebase { lan, .. } if lan.mode.is_empty() => Vec::new(),
            Move::Define(_) | Move::Create(_) | Move::Rebase { .. } | Move::Start | Move::Autostart(true) => {
                vec![Power::Sysctl(FORWARDING)]
            }
            Move::Persist
            | Move::Undefine
            | Move::Autostart(false)
            | Move::Host { .. }
            | Move::Range { .. }
            | Move::Stop => Vec::new(),
        }
    }

    pub(super) fn words(&self, name: &str, f: &mut dyn Write) -> fmt::Result {
        let network = format!("the virtual network {name}");
        let base = |lan: &Lan| {
            let address = lan.blocks.first().map(Block::address).unwrap_or_default();
            format!("is absent; {} on {}", address, lan.bridge)
        };
        match self {
            Move::Define(lan) => write!(f, "define {network} ({})", base(lan)),
            Move::Create(lan) => write!(f, "create {network}, which is transient ({})", base(lan)),
            Move::Persist => write!(f, "make {network} persistent (is transient)"),
            Move::Undefine => write!(f, "undefine {network} (is persistent)"),
            Move::Autostart(on) => write!(f, "set autostart of {network}: {} → {}", startup(!on), startup(*on)),
            Move::Rebase { is_up, differences, .. } => {
                let restart = if *is_up { ", and restart it" } else { "" };
                write!(f, "change {network}: {}{restart}", differences.join("; "))
            }
            Move::Host { part, now, to, .. } => {
                let shown = |host: &Host| format!("{} {}", host.ip, host.name);
                let mac = now.as_ref().or(to.as_ref()).map(|host| &*host.mac).unwrap_or_default();
                let (now, to) = (now.as_ref().map(shown), to.as_ref().map(shown));
                let none = || "none".to_owned();
                write!(
                    f,
                    "host {mac} of {network} ({part}): {} → {}",
                    now.unwrap_or_else(none),
                    to.unwrap_or_else(none)
                )
            }
            Move::Range { part, range: Range { start, end }, is_wanted, .. } => {
                let verb = if *is_wanted { "add" } else { "remove" };
                write!(f, "{verb} the range {start} to {end} of {network} ({part})")
            }
            Move::Start => write!(f, "start {network} (is down)"),
            Move::Stop => write!(f, "stop {network} (is up)"),
        }
    }
}
