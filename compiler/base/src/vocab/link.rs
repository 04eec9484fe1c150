//! Network interfaces.

use super::subject::never;
use super::{Changes, Learn, Listen};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

never! { Probe, Finding, Step }

/// Any interface, or an address of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch;

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Fact {
    /// `List` of `Struct { name Bytes, loopback Bool, up Bool, wireless Bool, mac Bytes, addresses List of Bytes }`:
    /// network interfaces in the system's order. `mac` holds raw bytes (none: empty), an address reads
    /// `192.0.2.1/24`. Again on each link or address change.
    Interfaces,
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        f.write_str("the network interfaces")
    }
}

impl Learn for Fact {
    fn words(&self, f: &mut dyn Write) -> std::fmt::Result {
        let Fact::Interfaces = self;
        f.write_str("the network interfaces")
    }

    fn changes(&self) -> Changes {
        Changes::With(vec![Watch.into()])
    }
}
