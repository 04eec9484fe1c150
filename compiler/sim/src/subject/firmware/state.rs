//! [`Firmwares`]: fwupd on a simulated host.

use crate::subject::SubjectState;
use crate::vocab::firmware::{Device, Release, Remote, Step};
use crate::vocab::{HostError, HostErrorKind};
use std::collections::{BTreeMap, BTreeSet};

/// The state of fwupd.
#[derive(Clone, Default)]
pub struct Firmwares {
    /// All devices.
    pub devices: Vec<Device>,
    /// Releases by device id, newest first.
    pub releases: BTreeMap<String, Vec<Release>>,
    /// By id, each with the time its metadata was fetched, in seconds since 1970.
    pub remotes: BTreeMap<String, (Remote, Option<i64>)>,
    /// Whether fwupd is missing.
    pub are_gone: bool,
    /// Whether all remotes are unreachable.
    pub is_offline: bool,
    /// Ids of devices whose updates need a reboot.
    pub slow: BTreeSet<String>,
}

impl SubjectState for Firmwares {
    fn of_new_host(_: &str) -> Firmwares {
        Firmwares::default()
    }
}

impl Firmwares {
    /// Errors: fwupd is missing.
    pub(super) fn asked(&mut self) -> Result<&mut Firmwares, HostError> {
        let why = "fwupd is not available: install the package `fwupd`";
        if self.are_gone { Err(HostError::new(HostErrorKind::Unavailable, why)) } else { Ok(self) }
    }

    /// Releases from enabled remotes.
    pub(super) fn releases_of(&self, device: &str) -> Vec<Release> {
        let enabled = |release: &&Release| self.remotes.get(&release.remote).is_some_and(|(it, _)| it.is_enabled);
        self.releases.get(device).into_iter().flatten().filter(enabled).cloned().collect()
    }

    pub(super) fn act(&mut self, step: &Step, now_s: i64) -> Result<(), HostError> {
        let other = |why: String| Err(HostError::new(HostErrorKind::Other, why));
        match step {
            Step::Install(install) => {
                if self.is_offline && matches!(install.source, crate::vocab::firmware::Origin::Url(_)) {
                    return other(format!("{}: connection refused", install.device));
                }
                let Some(device) = self.devices.iter_mut().find(|device| device.id == install.device) else {
                    return other(format!("cannot find device {}", install.device));
                };
                if self.slow.contains(&device.id) {
                    device.awaits_reboot = true;
                    return Ok(());
                }
                device.version.clone_from(&install.version);
                let (id, version) = (device.id.clone(), device.version.clone());
                let releases = self.releases.get_mut(&id).into_iter().flatten();
                // The newest come first.
                let mut is_newer = true;
                for release in releases {
                    is_newer &= release.version != version;
                    release.is_upgrade = is_newer;
                    release.is_downgrade = !is_newer && release.version != version;
                }
            }
            Step::Enable { remote, on } => {
                if let Some((known, _)) = self.remotes.get_mut(remote) {
                    known.is_enabled = *on;
                }
            }
            Step::Refresh { url, .. } if self.is_offline => return other(format!("{url}: connection refused")),
            Step::Refresh { remote, .. } => {
                if let Some((_, fetched_s)) = self.remotes.get_mut(remote) {
                    *fetched_s = Some(now_s);
                }
            }
        }
        Ok(())
    }
}
