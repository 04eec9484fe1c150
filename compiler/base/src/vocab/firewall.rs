//! The packet filter: what firewalld lets in, zone by zone, as it runs.

use super::subject::never;
use super::{Change, Listen, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Write};

never! { Fact }

/// → `Zone`. An empty zone is the default one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Probe {
    pub zone: String,
    /// Of these it is told which are unknown.
    pub services: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Zone(Zone),
}

/// What a zone lets in.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Zone {
    pub name: String,
    pub services: Vec<String>,
    pub ports: Vec<Ports>,
    /// Services that were asked about and that nobody has described.
    pub unknown: Vec<String>,
}

/// Ports from the first to the last, of one protocol.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Ports {
    pub first: u16,
    pub last: u16,
    pub protocol: String,
}

/// What is let in.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Rule {
    Service(String),
    Ports(Ports),
}

/// Opens or closes something in a zone, until the filter is loaded anew.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub zone: String,
    pub entry: Rule,
    pub open: bool,
}

/// What a zone lets in, which zone is the default one, and the coming and going of firewalld.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Watch {
    pub zone: String,
}

impl Ports {
    /// `443` or `8000-8010`, as firewalld writes them.
    pub fn parse(numbers: &str, protocol: &str) -> Option<Ports> {
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let (first, last) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then(|| Ports { first, last, protocol: protocol.to_ascii_lowercase() })
    }

    pub fn numbers(&self) -> String {
        if self.first == self.last { self.first.to_string() } else { format!("{}-{}", self.first, self.last) }
    }

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
