//! The packet filter: what firewalld allows, zone by zone, in its runtime configuration.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Write};

never! { Fact }

/// → `Zone`. An empty name is the default zone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    /// The zone.
    pub zone: String,
    /// Services of interest; the answer says which are unknown.
    pub services: Vec<String>,
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The zone.
    Zone(Zone),
}

/// What a zone allows.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Zone {
    /// Its name.
    pub name: String,
    /// Allowed services.
    pub services: Vec<String>,
    /// Allowed ports.
    pub ports: Vec<Ports>,
    /// The queried services that firewalld does not know.
    pub unknown: Vec<String>,
}

/// A range of ports of one protocol, both ends included.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Ports {
    /// The first port.
    pub first: u16,
    /// The last port.
    pub last: u16,
    /// `tcp`, `udp`, `sctp` or `dccp`.
    pub protocol: String,
}

/// An entry of a zone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Rule {
    /// A service, by name.
    Service(String),
    /// Ports.
    Ports(Ports),
}

/// Adds or removes a rule in the runtime configuration of a zone.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The zone.
    pub zone: String,
    /// The rule.
    pub entry: Rule,
    /// Whether to add it.
    pub open: bool,
}

/// Changes of a zone and of the default zone, and firewalld starting or stopping.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    /// The zone.
    pub zone: String,
}

impl Ports {
    /// Parses `443` or `8000-8010`, in firewalld's notation.
    pub fn parse(numbers: &str, protocol: &str) -> Option<Ports> {
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then(|| Ports { first, last, protocol: protocol.to_ascii_lowercase() })
    }

    /// The numbers in the same notation.
    pub fn numbers(&self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}-{}", self.first, self.last) }
    }

    /// Whether it contains all of the other ports.
    pub fn covers(&self, other: &Ports) -> bool {
        self.protocol == other.protocol && self.first <= other.first && other.last <= self.last
    }
}

/// `443/tcp`.
impl Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.numbers(), self.protocol)
    }
}

/// `https`, `443/tcp`.
impl Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Service(name) => f.write_str(name),
            Rule::Ports(ports) => ports.fmt(f),
        }
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        let what = match self.entry {
            Rule::Service(_) => "service",
            Rule::Ports(_) => "port",
        };
        let (verb, now) = if self.open { ("open", "closed") } else { ("close", "open") };
        write!(f, "{verb} {what} {} in zone {} (is {now})", self.entry, self.zone)
    }

    fn powers(&self) -> Vec<Power<'_>> {
        vec![Power::Firewall(format!("{}:{}", self.zone, self.entry))]
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self.zone.as_str() {
            "" => f.write_str("the default zone of the firewall"),
            zone => write!(f, "zone {zone} of the firewall"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_read_and_written() {
        for (numbers, text) in [("443", "443/tcp"), ("8000-8010", "8000-8010/tcp")] {
            let ports = Ports::parse(numbers, "TCP").unwrap();
            assert_eq!((ports.to_string().as_str(), ports.numbers().as_str()), (text, numbers));
        }
        let wide = Ports::parse("80-90", "tcp").unwrap();
        assert!(wide.covers(&Ports::parse("90", "tcp").unwrap()) && !wide.covers(&Ports::parse("90", "udp").unwrap()));
        assert!(Ports::parse("90-80", "tcp").is_none() && Ports::parse("65536", "tcp").is_none());
    }

    #[test]
    fn steps_say_what_was_before() {
        let step = |entry, open| Step { zone: "public".into(), entry, open };
        let (ssh, dns) = (Rule::Service("ssh".into()), Rule::Ports(Ports::parse("53", "udp").unwrap()));
        assert_eq!(
            super::super::Step::from(step(ssh, false)).to_string(),
            "close service ssh in zone public (is open)"
        );
        let step = step(dns, true);
        assert_eq!(super::super::Step::from(step.clone()).to_string(), "open port 53/udp in zone public (is closed)");
        assert_eq!(step.powers(), [Power::Firewall("public:53/udp".into())]);
    }
}
