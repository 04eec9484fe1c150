//! [`Guests`]: machines of `systemd-nspawn` on a simulated host.

use crate::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Default)]
pub struct Guests {
    /// systemd-machined is not installed.
    pub are_gone: bool,
    pub images: BTreeSet<String>,
    /// Those that are up, and how: `running`. A unit has started them unless they are in `strays`.
    pub up: BTreeMap<String, String>,
    pub strays: BTreeSet<String>,
}

impl Guests {
    /// Errors: nobody can be asked.
    pub(super) fn known(&mut self) -> Result<&mut Guests, HostError> {
        let why = "systemd-machined is not available: install the package `systemd-container`";
        if self.are_gone { Err(HostError::new(HostErrorKind::Unavailable, why)) } else { Ok(self) }
    }
}
