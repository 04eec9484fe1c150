//! [`Controllers`]: simulated management controllers.

use crate::vocab::controller::{Controller, Step};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::BTreeMap;

/// The state of each controller by address. An unknown one is off, with firmware 1.0.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Controllers {
    /// The power state in lower case, as controllers report it.
    pub power: BTreeMap<String, String>,
    /// The firmware version.
    pub firmware: BTreeMap<String, String>,
    /// Whether all controllers are unreachable.
    pub is_down: bool,
}

impl Controllers {
    pub(crate) fn power(&self, controller: &Controller) -> Result<String, HostError> {
        self.answers(controller)?;
        Ok(self.power.get(&controller.address).cloned().unwrap_or("off".into()))
    }

    pub(crate) fn firmware(&self, controller: &Controller) -> Result<String, HostError> {
        self.answers(controller)?;
        Ok(self.firmware.get(&controller.address).cloned().unwrap_or("1.0".into()))
    }

    pub(crate) fn act(&mut self, step: &Step) -> Result<(), HostError> {
        match step {
            Step::Power { controller, on, .. } => {
                self.answers(controller)?;
                self.power.insert(controller.address.clone(), if *on { "on" } else { "off" }.into());
            }
            Step::Install { controller, version, .. } => {
                self.answers(controller)?;
                self.firmware.insert(controller.address.clone(), version.clone());
            }
        }
        Ok(())
    }

    fn answers(&self, Controller { address, .. }: &Controller) -> Result<(), HostError> {
        let down = || HostError::new(HostErrorKind::Unavailable, format!("{address}: connection refused"));
        if self.is_down { Err(down()) } else { Ok(()) }
    }
}
