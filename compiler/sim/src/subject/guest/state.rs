//! [`Guests`]: `systemd-nspawn` machines on a simulated host.

use crate::subject::SubjectState;
use crate::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, BTreeSet};

/// The machines.
#[derive(Clone, Default)]
pub struct Guests {
    /// Whether systemd-machined is missing.
    pub are_gone: bool,
    /// Names of machines with an image.
    pub images: BTreeSet<String>,
    /// Running machines with their state: `running`. They were started by a unit, unless listed in `strays`.
    pub up: BTreeMap<String, String>,
    /// Running machines that no unit started.
    pub strays: BTreeSet<String>,
}

impl SubjectState for Guests {
    fn of_new_host(_: &str) -> Guests {
        Guests::default()
    }

    fn n_entries(&self) -> usize {
        self.images.len() + self.up.len()
    }
}

impl Guests {
    /// Errors: systemd-machined is missing.
    pub(super) fn known(&mut self) -> Result<&mut Guests, HostError> {
        let why = "systemd-machined is not available: install the package `systemd-container`";
        if self.are_gone { Err(HostError::new(HostErrorKind::Unavailable, why)) } else { Ok(self) }
    }
}
