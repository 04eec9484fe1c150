//! Cloud machines: servers of Hetzner Cloud, instances of Amazon EC2.

use super::password::Secret;
use super::subject::never;
use super::{Change, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Watch, Fact }

/// A machine, by name, and the account it belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The cloud and its credentials.
    pub cloud: Cloud,
    /// The name.
    pub name: String,
}

/// A cloud, with credentials.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Cloud {
    /// Hetzner Cloud, in the project of this token.
    Hetzner { token: Secret },
    /// Amazon EC2, with the credentials of the host. The name is the value of the tag `Name`.
    Ec2 { region: String },
}

/// A query to a cloud.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Probe {
    /// → `Machine`. One that is being deleted counts until it is gone.
    Machine(Machine),
    /// → `Image`.
    Image { cloud: Cloud, image: String },
    /// → `Offered`: a server type of Hetzner Cloud, at this place unless it is empty.
    ServerType { token: Secret, name: String, place: String },
    /// → `Offered`: a location or datacenter of Hetzner Cloud.
    Place { token: Secret, name: String },
}

/// The answer to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// The machine; `None` if it does not exist.
    Machine(Option<Found>),
    /// Whether the image exists and is usable.
    Image(bool),
    /// Whether the cloud has it.
    Offered(bool),
}

/// A machine as its cloud describes it. Each property lists all its aliases; empty if the cloud does not report it.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Found {
    /// The cloud's id.
    pub id: String,
    /// Whether it is on.
    pub state: Stand,
    /// The state in the cloud's own word.
    pub word: String,
    /// The machine type.
    pub model: Vec<String>,
    /// The location or region.
    pub place: Vec<String>,
    /// The image it was made from.
    pub image: Vec<String>,
    /// Whether the next boot enters the rescue system.
    pub rescue: bool,
}

/// The state of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub enum Stand {
    /// It is running.
    On,
    /// It is stopped.
    Off,
    /// It is changing between states.
    #[default]
    Passing,
}

/// A change of one machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// The machine.
    pub machine: Machine,
    /// The current state; `None`: it does not exist.
    pub now: Option<Found>,
    /// What to do.
    pub action: Action,
    /// How to wait for completion.
    pub wait: Wait,
}

/// A change of a machine. It is complete when the cloud reports the new state, not when the request was accepted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Action {
    /// Create it.
    Create(Order),
    /// Start it.
    Start,
    /// Stop it.
    Stop,
    /// Delete it.
    Delete,
    /// Boot into this rescue system next time, with these keys, by name.
    Rescue {
        /// The rescue system.
        system: String,
        /// Names of the SSH keys.
        keys: Vec<String>,
    },
    /// Wait until it is no longer changing.
    Settle,
}

/// The properties of a new machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order {
    /// The machine type.
    pub model: String,
    /// The image.
    pub image: String,
    /// The location; empty: the cloud chooses.
    pub place: String,
    /// User data for cloud-init.
    pub user_data: Secret,
    /// Whether to start it.
    pub start: bool,
}

/// How often to poll for completion, and for how long. Units: milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wait {
    /// Time between polls.
    pub interval_ms: u64,
    /// The time limit.
    pub limit_ms: u64,
}

impl Cloud {
    /// The URL of its API, unless the host is configured otherwise.
    pub fn address(&self) -> String {
        match self {
            Cloud::Hetzner { .. } => "https://api.hetzner.cloud/v1".into(),
            Cloud::Ec2 { region } => format!("https://ec2.{region}.amazonaws.com"),
        }
    }

    fn noun(&self) -> &'static str {
        match self {
            Cloud::Hetzner { .. } => "server",
            Cloud::Ec2 { .. } => "instance",
        }
    }
}

/// The permission to contact this address. The policy judges only hosts, so the text is made up here.
fn asks(cloud: &Cloud) -> Vec<Power<'static>> {
    vec![Power::Ask(cloud.address().into())]
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Probe::Machine(Machine { cloud, .. }) | Probe::Image { cloud, .. } => asks(cloud),
            Probe::ServerType { token, .. } | Probe::Place { token, .. } => {
                asks(&Cloud::Hetzner { token: token.clone() })
            }
        }
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        let (name, noun) = (&self.machine.name, self.machine.cloud.noun());
        let (id, now) = self.now.as_ref().map_or(("none", "none"), |now| (&now.id, &now.word));
        match &self.action {
            Action::Create(Order { model, image, place, start, .. }) => {
                write!(f, "create the {noun} {name}: none → {model} with {image}")?;
                if !place.is_empty() {
                    write!(f, " in {place}")?;
                }
                f.write_str(if *start { "" } else { ", off" })
            }
            Action::Start => write!(f, "start the {noun} {name} ({id}): {now} → running"),
            Action::Stop => write!(f, "shut down the {noun} {name} ({id}): {now} → off"),
            Action::Delete => write!(f, "delete the {noun} {name} ({id}): {now} → none"),
            Action::Rescue { system, .. } => {
                write!(f, "boot the {noun} {name} ({id}) into the rescue system: none → {system}")
            }
            Action::Settle => write!(f, "wait for the {noun} {name} ({id}), which is {now}"),
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        asks(&self.machine.cloud)
    }

    fn waits(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(now: Option<Found>, action: Action) -> Step {
        let machine = Machine { cloud: Cloud::Hetzner { token: Secret("hush".into()) }, name: "web".into() };
        Step { machine, now, action, wait: Wait { interval_ms: 1, limit_ms: 1 } }
    }

    #[test]
    fn what_a_cloud_offers_is_asked_with_its_permission() {
        let token = Secret("hush".into());
        let place = Probe::Place { token: token.clone(), name: "fsn1".into() };
        let model = Probe::ServerType { token, name: "cx22".into(), place: String::new() };
        for probe in [place, model] {
            assert_eq!(probe.powers(), [Power::Ask("https://api.hetzner.cloud/v1".into())]);
            assert!(!format!("{probe:?}").contains("hush"));
        }
    }

    #[test]
    fn steps_say_old_and_new_and_no_secret() {
        let user_data = Secret("hush".into());
        let order =
            Order { model: "cx22".into(), image: "debian-12".into(), place: "fsn1".into(), user_data, start: false };
        let create = step(None, Action::Create(order));
        let words = super::super::Step::from(create.clone()).to_string();
        assert_eq!(words, "create the server web: none → cx22 with debian-12 in fsn1, off");
        assert!(!format!("{create:?}").contains("hush"));
        let now = Found { id: "42".into(), state: Stand::Off, word: "off".into(), ..Found::default() };
        let start = super::super::Step::from(step(Some(now), Action::Start));
        assert_eq!(start.to_string(), "start the server web (42): off → running");
        assert_eq!(start.powers(), [Power::Ask("https://api.hetzner.cloud/v1".into())]);
    }
}
