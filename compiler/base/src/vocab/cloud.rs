//! Machines that a cloud lends: servers of Hetzner Cloud, instances of Amazon EC2.

use super::password::Secret;
use super::subject::never;
use super::{Change, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Watch, Fact }

/// A machine by its name, and whom to ask for it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Machine {
    pub cloud: Cloud,
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Cloud {
    /// The project of this token.
    Hetzner { token: Secret },
    /// With the credentials of the host. Names are values of the tag `Name`.
    Ec2 { region: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Machine`. One that is going for good counts as long as its cloud still has it.
    Machine(Machine),
    /// → `Image`.
    Image { cloud: Cloud, image: String },
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    Machine(Option<Found>),
    /// Machines can be made of it.
    Image(bool),
}

/// A machine as its cloud describes it. Each property has all names that it goes by; none: the cloud does not say.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub struct Found {
    pub id: String,
    pub state: Stand,
    /// In the cloud's own word.
    pub word: String,
    pub model: Vec<String>,
    pub place: Vec<String>,
    pub image: Vec<String>,
    /// The next start is one into the rescue system.
    pub rescue: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub enum Stand {
    On,
    Off,
    /// On its way to another state.
    #[default]
    Passing,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    pub machine: Machine,
    /// What was found; `None`: there is no such machine.
    pub now: Option<Found>,
    pub action: Action,
    pub wait: Wait,
}

/// What is done with a machine. It is over when the cloud says so, not when the cloud has agreed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Action {
    Create(Order),
    Start,
    Stop,
    Delete,
    /// The next start is one into this rescue system, which lets these keys in, by their names.
    Rescue {
        system: String,
        keys: Vec<String>,
    },
    /// Waits until it is on its way no more.
    Settle,
}

/// What a new machine is like.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Order {
    pub model: String,
    pub image: String,
    /// Empty: the cloud chooses.
    pub place: String,
    pub user_data: Secret,
    pub start: bool,
}

/// How often is asked whether something is over, and for how long. Units: milliseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Wait {
    pub interval_ms: u64,
    pub limit_ms: u64,
}

impl Cloud {
    /// Where its interface is, unless the host is told otherwise.
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

/// Asks for an address, whose text is made here. The policy judges hosts alone.
fn asks(cloud: &Cloud) -> Vec<Power<'static>> {
    vec![Power::Ask(cloud.address().into())]
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Probe::Machine(Machine { cloud, .. }) | Probe::Image { cloud, .. } => asks(cloud),
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
