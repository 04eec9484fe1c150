//! [`Controllers`]: simulated management controllers.

use crate::subject::SubjectState;
use crate::vocab::controller::{Controller, Step};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::BTreeMap;

/// The power state of a machine that is not known.
pub(super) const OFF: &str = "off";
/// The firmware version of a controller that is not known.
pub(super) const FIRMWARE: &str = "1.0";

/// The state of each controller by address.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Controllers {
    /// The power state in lower case, as controllers report it.
    pub power: BTreeMap<String, String>,
    /// The firmware version.
    pub firmware: BTreeMap<String, String>,
    /// The SHA-256 of certificates that no authority has signed. Others are trusted by every host.
    pub certificates: BTreeMap<String, [u8; 32]>,
    /// Whether all controllers are unreachable.
    pub is_down: bool,
}

impl SubjectState for Controllers {
    fn of_new_host(_: &str) -> Controllers {
        Controllers::default()
    }
}

impl Controllers {
    pub(crate) fn power(&self, controller: &Controller) -> Result<String, HostError> {
        self.answers(controller)?;
        Ok(self.power.get(controller.place()).cloned().unwrap_or(OFF.into()))
    }

    pub(crate) fn firmware(&self, controller: &Controller) -> Result<String, HostError> {
        self.answers(controller)?;
        Ok(self.firmware.get(controller.place()).cloned().unwrap_or(FIRMWARE.into()))
    }

    pub(crate) fn act(&mut self, step: &Step) -> Result<(), HostError> {
        match step {
            Step::Power { controller, on, .. } => {
                self.answers(controller)?;
                self.power.insert(controller.place().to_owned(), if *on { "on" } else { "off" }.into());
            }
            Step::Install { controller, version, .. } => {
                self.answers(controller)?;
                self.firmware.insert(controller.place().to_owned(), version.clone());
            }
        }
        Ok(())
    }

    fn answers(&self, controller: &Controller) -> Result<(), HostError> {
        let place = controller.place();
        let failed = |why: &str| HostError::new(HostErrorKind::Unavailable, format!("{place}: {why}"));
        if self.is_down {
            return Err(failed("connection refused"));
        }
        match (self.certificates.get(place), controller.pinned().map_err(|why| failed(&why))?) {
            (Some(_), None) => Err(failed("the server's certificate is not signed by a trusted authority")),
            (Some(own), Some(pinned)) if *own != pinned => {
                Err(failed("the server's certificate has a different fingerprint"))
            }
            _ => Ok(()),
        }
    }
}
