//! [`Network`]: a virtual network, as it is and as it is stored.

use super::{Part, startup};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};
use std::net::Ipv4Addr;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Network {
    /// It starts with its host.
    pub autostart: bool,
    /// As it is up; `None`: it is down.
    pub live: Option<Lan>,
    /// As it is started next; `None`: it is transient.
    pub stored: Option<Lan>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Lan {
    /// Wanted: empty lets libvirt choose.
    pub uuid: String,
    /// `nat`; empty is an isolated one.
    pub mode: String,
    /// `virbr0`.
    pub bridge: String,
    pub mac: String,
    /// IPv4 alone.
    pub blocks: Vec<Block>,
}

/// The addresses of the router, with what it gives by DHCP.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Block {
    pub ip: Ipv4Addr,
    /// Of the prefix.
    pub length: u8,
    pub hosts: Vec<Host>,
    pub ranges: Vec<Range>,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Host {
    pub mac: String,
    pub name: String,
    pub ip: Ipv4Addr,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Range {
    pub start: Ipv4Addr,
    pub end: Ipv4Addr,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// Makes one that is down.
    Define(Box<Lan>),
    /// Makes one that is gone when it goes down.
    Create(Box<Lan>),
    /// Stores what is up.
    Persist,
    /// Forgets what is stored; what is up stays.
    Undefine,
    Autostart(bool),
    /// Changes its base, and starts it anew from what is stored where it is up. At another address it gives by DHCP what
    /// that has, else what it gave before.
    Rebase {
        lan: Box<Lan>,
        is_up: bool,
        /// In words.
        differences: Vec<String>,
    },
    Host {
        part: Part,
        /// The block, counted from zero.
        block: u64,
        now: Option<Host>,
        to: Option<Host>,
    },
    Range {
        part: Part,
        block: u64,
        range: Range,
        is_wanted: bool,
    },
    Start,
    Stop,
}

impl Lan {
    /// What another one has otherwise than this one wants it, hosts and ranges aside, in words.
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

    /// The block with the address of another one.
    pub fn block(&self, of: &Block) -> Option<usize> {
        self.blocks.iter().position(|block| (block.ip, block.length) == (of.ip, of.length))
    }
}

impl Block {
    /// `10.0.0.1/24`.
    pub fn address(&self) -> String {
        format!("{}/{}", self.ip, self.length)
    }
}

impl Network {
    pub fn word(&self) -> &'static str {
        if self.live.is_some() { "up" } else { "down" }
    }
}

impl Move {
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
            Move::Autostart(on) => write!(f, "autostart of {network}: {} → {}", startup(!on), startup(*on)),
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
