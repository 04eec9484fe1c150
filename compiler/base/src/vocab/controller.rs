//! Management controllers (BMC): the power state of their machines, and their own firmware.

use super::password::Secret;
use super::subject::never;
use super::{Change, Look, Power};
use serde::{Deserialize, Serialize};
use std::fmt::{self, Write};

never! { Watch, Fact }

/// A controller and how to reach it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Controller {
    /// The protocol.
    pub language: Language,
    /// `https://10.0.0.9:443`.
    pub address: String,
    /// The user.
    pub user: String,
    /// The password.
    pub password: Secret,
}

/// A management protocol.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Language {
    /// Redfish over HTTPS.
    Redfish,
    /// JSON-RPC to a gateway that talks to the controller. The password signs the requests.
    Rpc,
}

/// A query to a controller.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Probe {
    /// → `Power`.
    Power(Controller),
    /// → `Firmware`.
    Firmware(Controller),
}

/// The answers to [`Probe`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Finding {
    /// In lower case: `on`, `off`, `poweringon`.
    Power(String),
    /// The version of the controller's own firmware.
    Firmware(String),
}

/// A change. It is complete when the controller reports the new state.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each variant describes its fields")]
pub enum Step {
    /// Turns the machine on or off.
    Power { controller: Controller, on: bool, now: String },
    /// Installs an image on the controller. Meanwhile a resource named `block` holds back power changes.
    Install { controller: Controller, file: String, hash: [u8; 32], version: String, now: String, block: String },
}

impl Controller {
    fn asks(&self) -> Power<'_> {
        Power::Ask((&*self.address).into())
    }
}

impl Look for Probe {
    type Finding = Finding;

    fn powers(&self) -> Vec<Power<'_>> {
        let (Probe::Power(controller) | Probe::Firmware(controller)) = self;
        vec![controller.asks()]
    }

    fn waits(&self) -> bool {
        true
    }
}

impl Change for Step {
    fn words(&self, f: &mut dyn Write) -> fmt::Result {
        match self {
            Step::Power { controller, on, now } => {
                let word = if *on { "on" } else { "off" };
                write!(f, "turn {word} the machine managed by {}: {now} → {word}", controller.address)
            }
            Step::Install { controller, file, version, now, .. } => {
                write!(f, "install {file} on the controller {}: {now} → {version}", controller.address)
            }
        }
    }

    fn powers(&self) -> Vec<Power<'_>> {
        match self {
            Step::Power { controller, .. } => vec![controller.asks()],
            Step::Install { controller, file, .. } => vec![controller.asks(), Power::Read(file)],
        }
    }

    fn waits(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_say_old_and_new_and_no_password() {
        let (address, user, password) = ("https://10.0.0.9:443".into(), "root".into(), Secret("hush".into()));
        let controller = Controller { language: Language::Redfish, address, user, password };
        let step = Step::Power { controller, on: true, now: "off".into() };
        assert!(!format!("{step:?}").contains("hush"));
        assert_eq!(step.powers(), [Power::Ask("https://10.0.0.9:443".into())]);
        let words = super::super::Step::from(step).to_string();
        assert_eq!(words, "turn on the machine managed by https://10.0.0.9:443: off → on");
    }
}
