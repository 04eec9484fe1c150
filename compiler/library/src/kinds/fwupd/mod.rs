//! The `fwupd` family.

pub(crate) mod device;
pub(crate) mod remote;
pub(crate) mod system;

use crate::kinds::Decision;
use crate::kinds::walk::{Walk, cannot_tell};
use crate::vocab::Finding;
use crate::vocab::firmware::{self, Device, Install, Origin, Probe, Release, Remote};

fn devices<'a>(walk: &mut Walk<'a>) -> Result<&'a [Device], Decision> {
    match &walk.look(vec![Probe::Devices.into()])?[0] {
        Finding::Firmware(firmware::Finding::Devices(devices)) => Ok(devices),
        other => Err(cannot_tell(other)),
    }
}

fn remotes<'a>(walk: &mut Walk<'a>) -> Result<&'a [Remote], Decision> {
    match &walk.look(vec![Probe::Remotes.into()])?[0] {
        Finding::Firmware(firmware::Finding::Remotes(remotes)) => Ok(remotes),
        other => Err(cannot_tell(other)),
    }
}

/// The releases of each of these devices.
fn releases<'a>(walk: &mut Walk<'a>, devices: &[&Device]) -> Result<Vec<&'a [Release]>, Decision> {
    let probes = devices.iter().map(|device| Probe::Releases { device: device.id.clone() }.into()).collect();
    let found = walk.look(probes)?.iter().map(|finding| match finding {
        Finding::Firmware(firmware::Finding::Releases(releases)) => Ok(&**releases),
        other => Err(cannot_tell(other)),
    });
    found.collect()
}

/// Installs a release. A downloaded archive must match its remote's metadata.
fn install(device: &Device, release: &Release, remotes: &[Remote]) -> Result<Install, Decision> {
    let named = || format!("{} {}", device.name, release.version);
    if let Some(why) = &release.blocked {
        return Err(Decision::CannotTell(format!("{}: {why}", named())));
    }
    let Some(remote) = remotes.iter().find(|remote| remote.id == release.remote) else {
        return Err(Decision::CannotTell(format!("{}: fwupd has no remote `{}`", named(), release.remote)));
    };
    let source = remote.source(&release.location).map_err(Decision::CannotTell)?;
    let sha256 = release.sha256().cloned();
    if sha256.is_none() && matches!(source, Origin::Url(_)) {
        let why = format!("{}: the metadata has no SHA-256 checksum for the download", named());
        return Err(Decision::CannotTell(why));
    }
    Ok(Install {
        device: device.id.clone(),
        name: device.name.clone(),
        now: device.version.clone(),
        version: release.version.clone(),
        source,
        sha256,
        allow_older: release.is_downgrade,
    })
}
