//! Virtual machines and networks of libvirt.

pub mod domain;
pub mod network;
mod uri;

use super::password::Secret;
use super::request::shown;
use super::subject::never;
use super::{Change, HostError, HostErrorKind, Listen, Look, Power};
use domain::Domain;
use network::Network;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Write};

never! { Fact }

/// A libvirt connection.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Connection {
    /// The URI, such as `qemu:///system`; empty: the default for the agent's user.
    pub uri: String,
    /// Credentials, if needed.
    pub login: Option<Login>,
}

/// Credentials.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Login {
    /// The user.
    pub username: String,
    /// The password.
    pub password: Secret,
}

/// A machine or a network, by name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Place {
    /// The connection.
    pub connection: Connection,
    /// The name.
    pub name: String,
}

/// A query to libvirt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Domain`.
    Domain(Place),
    /// → `Network`.
    Network(Place),
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The machine; `None` if it does not exist.
    Domain(Option<Box<Domain>>),
    /// The network; `None` if it does not exist.
    Network(Option<Box<Network>>),
}

/// A change through libvirt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The machine or network.
    pub place: Place,
    /// What to do.
    pub change: Move,
}

/// A change of a machine or a network.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Move {
    /// A machine.
    Domain(domain::Move),
    /// A network.
    Network(network::Move),
}

/// Changes of its state, its definition and its autostart, and libvirt starting or stopping.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Watch {
    /// A machine.
    Domain(Place),
    /// A network.
    Network(Place),
}

/// Which configuration a change applies to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Part {
    /// The running one.
    Live,
    /// The stored one, used at the next start.
    Stored,
}

impl Connection {
    /// Whether it is served by another host. A URI with this host's own address is not remote: it uses the files that a
    /// policy protects.
    pub fn is_remote(&self) -> bool {
        uri::is_remote(&self.uri)
    }

    /// Errors: it would do more than reach libvirt.
    pub fn checked(&self) -> Result<(), HostError> {
        uri::checked(&self.uri).map_err(|why| {
            let message = format!("the libvirt URI `{}` was not used: {why}", shown(&self.uri));
            HostError::new(HostErrorKind::Refused, message)
        })
    }

    fn powers(&self) -> Vec<Power<'_>> {
        let host = uri::has_host(&self.uri).then(|| Power::Ask(self.uri.as_str().into()));
        host.into_iter().chain(uri::files(&self.uri).map(Power::Read)).collect()
    }
}

impl Probe {
    /// The machine or network.
    pub fn place(&self) -> &Place {
        match self {
            Probe::Domain(place) | Probe::Network(place) => place,
        }
    }
}

impl Watch {
    /// The machine or network.
    pub fn place(&self) -> &Place {
        match self {
            Watch::Domain(place) | Watch::Network(place) => place,
        }
    }
}

/// `stored`, `running`.
impl Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Live => "running",
            Part::Stored => "stored",
        })
    }
}

/// The word for whether something starts with its host.
pub fn startup(is_enabled: bool) -> &'static str {
    if is_enabled { "enabled" } else { "disabled" }
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        self.place().connection.powers()
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match &self.change {
            Move::Domain(change) => change.words(&self.place.name, f),
            Move::Network(change) => change.words(&self.place.name, f),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        let (what, uses) = match &self.change {
            Move::Domain(change) => ("domain", change.uses()),
            Move::Network(change) => ("network", change.uses()),
        };
        let mut powers = self.place.connection.powers();
        // The files and the kernel of another host are its own.
        if !self.place.connection.is_remote() {
            powers.extend(uses);
        }
        powers.push(Power::Virtual(format!("{what}:{}", self.place.name)));
        powers
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Listen for Watch {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Watch::Domain(place) => write!(f, "the virtual machine {}", place.name),
            Watch::Network(place) => write!(f, "the virtual network {}", place.name),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        self.place().connection.powers()
    }
}

#[cfg(test)]
mod tests {
    use super::domain::{Layout, Spec, Volume};
    use super::*;
    use crate::vocab::PolicyList;

    fn step(uri: &str, change: domain::Move) -> Step {
        let connection = Connection { uri: uri.into(), login: None };
        Step { place: Place { connection, name: "web".into() }, change: Move::Domain(change) }
    }

    #[test]
    fn what_a_machine_is_given_must_be_allowed() {
        let disks = Some(vec![Volume { source: "/srv/a.img".into(), format: "raw".into() }]);
        let cdroms = Some(vec![Volume { source: "/srv/a.iso".into(), format: String::new() }]);
        let layout = Layout { disks, cdroms, ..Layout::default() };
        let spec = Spec { cpus: 1, max_cpus: 2, hot: true, memory_kib: 1024, layout };
        let define = domain::Move::Define(Box::new(spec));
        let own = Power::Virtual("domain:web".into());
        let powers = [Power::Write("/srv/a.img"), Power::Read("/srv/a.iso"), own.clone()];
        assert_eq!(step("", define.clone()).powers(), powers);
        let url = "qemu+ssh://far/system";
        assert_eq!(step(url, define.clone()).powers(), [Power::Ask(url.into()), own.clone()]);
        // So are the keys by which it is reached.
        let url = "qemu+ssh://far/system?no_tty=1&keyfile=/srv/id";
        let powers = [Power::Ask(url.into()), Power::Read("/srv/id"), own.clone()];
        assert_eq!(step(url, define.clone()).powers(), powers);
        // By its own address this host is reached as well.
        let url = "qemu+tcp://127.0.0.1/system";
        let powers = [Power::Ask(url.into()), Power::Write("/srv/a.img"), Power::Read("/srv/a.iso"), own];
        assert_eq!(step(url, define).powers(), powers);
    }

    #[test]
    fn a_network_makes_its_host_a_router() {
        let powers = |uri: &str, change| {
            let connection = Connection { uri: uri.into(), login: None };
            let place = Place { connection, name: "lan".into() };
            let step = Step { place, change: Move::Network(change) };
            step.powers().into_iter().map(|power| power.list()).collect::<Vec<_>>()
        };
        let lan = |mode: &str| Box::new(network::Lan { mode: mode.into(), ..network::Lan::default() });
        let forwards = [PolicyList::Sysctl, PolicyList::Virtual];
        assert_eq!(powers("", network::Move::Define(lan("nat"))), forwards);
        assert_eq!(powers("", network::Move::Start), forwards);
        assert_eq!(powers("", network::Move::Autostart(true)), forwards);
        for change in [network::Move::Define(lan("")), network::Move::Stop, network::Move::Autostart(false)] {
            assert_eq!(powers("", change), [PolicyList::Virtual]);
        }
        let far = powers("qemu+ssh://far/system", network::Move::Create(lan("nat")));
        assert_eq!(far, [PolicyList::Hosts, PolicyList::Virtual]);
    }

    #[test]
    fn steps_say_what_was_before() {
        let words = |change| super::super::Step::from(step("", change)).to_string();
        assert_eq!(words(domain::Move::Start { paused: false }), "start the virtual machine web (is shut off)");
        let cpus = domain::Move::Cpus { part: Part::Live, now: 1, to: 2 };
        assert_eq!(words(cpus), "set CPUs of the virtual machine web (running): 1 → 2");
    }
}
