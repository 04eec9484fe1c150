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
    /// `https://10.0.0.9:443`. If only one certificate is trusted, its [`fingerprint`] follows: `#sha256=…`.
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
    /// Installs an image on the controller. In the meantime a resource named `block` holds back power changes.
    Install { controller: Controller, file: String, hash: [u8; 32], version: String, now: String, block: String },
}

impl Controller {
    fn asks(&self) -> Power<'_> {
        Power::Ask(self.place().into())
    }

    /// The address without a fingerprint.
    pub fn place(&self) -> &str {
        self.address.split('#').next().unwrap_or_default()
    }

    /// The SHA-256 of the certificate that the controller must have; `None`: one that the host trusts.
    ///
    /// Errors: it cannot be read.
    pub fn pinned(&self) -> Result<Option<[u8; 32]>, String> {
        self.address.split_once('#').map(|(_, text)| fingerprint(text)).transpose()
    }
}

/// Reads the fingerprint of a certificate: `sha256=` and 64 hexadecimal digits, which may have colons between them.
pub fn fingerprint(text: &str) -> Result<[u8; 32], String> {
    let wrong = || format!("invalid fingerprint `{text}`: expected `sha256=` and 64 hexadecimal digits");
    let digits = text.strip_prefix("sha256=").ok_or_else(wrong)?.replace(':', "");
    if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).map_err(|_| wrong())?;
    }
    Ok(bytes)
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
                write!(f, "turn {word} the machine managed by {}: {now} → {word}", controller.place())
            }
            Step::Install { controller, file, version, now, .. } => {
                write!(f, "install {file} on the controller {}: {now} → {version}", controller.place())
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

    #[test]
    fn a_fingerprint_is_not_a_part_of_the_place() {
        let of = |address: &str| {
            let address = address.to_owned();
            Controller { language: Language::Redfish, address, user: String::new(), password: Secret(String::new()) }
        };
        let (plain, colons) = ("0a".repeat(32), ["0A"; 32].join(":"));
        for digits in [plain, colons] {
            let pinned = of(&format!("https://h:443#sha256={digits}"));
            assert_eq!((pinned.place(), pinned.pinned()), ("https://h:443", Ok(Some([10; 32]))));
            assert_eq!(pinned.asks(), Power::Ask("https://h:443".into()));
        }
        assert_eq!(of("https://h:443").pinned(), Ok(None));
        let long = "0".repeat(66);
        for bad in ["", "sha256=", "sha1=00", "sha256=zz", &format!("sha256={long}")] {
            assert!(of(&format!("https://h:443#{bad}")).pinned().is_err(), "{bad}");
        }
    }
}
