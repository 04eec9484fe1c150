//! `fwupd:device`: installs an exact firmware version on one device through fwupd. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::walk::Walk;
use crate::kinds::{Claim, Decision, Direction, Field, Kind, KindDecl, Seen, Traits, Want, WantBatch};
use crate::vocab::Watch;
use crate::vocab::firmware::{self, Step};

/// The kind `fwupd:device`.
pub(crate) struct FwupdDevice;

static DECL: KindDecl = KindDecl {
    name: "fwupd:device",
    doc: "Updates the firmware of a device to an exact version through fwupd.",
    fields: &[
        Field::str("device", "Device", "GUID or device id; defaults to the resource name."),
        Field::str("version", "Version", "Exact version.").required(),
        Field::bool("allow_downgrade", "AllowDowngrade", "Allow an older version."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Firmware),
        Required::list(PolicyList::Hosts).case("downloads"),
        Required::list(PolicyList::Reads).case("local archives"),
    ],
};

impl Kind for FwupdDevice {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(!want.text("version").is_empty(), "`version` is empty")
    }

    fn claims(&self, want: &Want) -> Vec<Claim> {
        vec![Claim::FwupdDevice(want.effective("device").into_owned())]
    }

    fn wants(&self, _want: &Want) -> Vec<WantBatch> {
        // The remotes are unknown here; the empty name matches any.
        let any = (Claim::FwupdRemote(String::new()), Direction::Before);
        vec![WantBatch { claims: vec![any], first_only: false }]
    }

    fn backend(&self) -> &'static str {
        "fwupd (package `fwupd`) over D-Bus. Changes are detected through its signals. Archives are downloaded and \
         verified against the checksum in the metadata of the remote; fwupd verifies their signatures. An update that \
         is pending a reboot counts as done."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, want: &Want) -> Vec<Watch> {
        vec![firmware::Watch::Device { id: want.effective("device").into_owned() }.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let (named, version) = (want.effective("device"), want.text("version"));
    let missing = |why: String| Err(Decision::CannotTell(why));
    let mut found = super::devices(walk)?.iter().filter(|device| device.is(&named));
    let device = match (found.next(), found.next()) {
        (None, _) => {
            return missing(format!("fwupd has no device `{named}`: `fwupdmgr get-devices` lists the devices"));
        }
        (Some(one), None) => one,
        (Some(one), Some(other)) => {
            return missing(format!(
                "several devices have the GUID {named}: use the id of one of them, such as {} or {}",
                one.id, other.id
            ));
        }
    };
    if device.version == version || device.awaits_reboot {
        return Ok(Decision::InState(Vec::new()));
    }
    if !device.is_updatable {
        return missing(format!("the firmware of {} ({}) cannot be updated", device.name, device.id));
    }
    let remotes = super::remotes(walk)?;
    let release = super::releases(walk, &[device])?[0].iter().find(|release| release.version == version);
    let Some(release) = release else {
        return missing(format!("no enabled remote has version {version} for {} ({})", device.name, device.id));
    };
    if release.is_downgrade && !want.bool("allow_downgrade") {
        let now = &device.version;
        return missing(format!("{version} is older than {now} on {}: set `allow_downgrade => true`", device.name));
    }
    let install = super::install(device, release, remotes)?;
    walk.mend(vec![Step::Install(Box::new(install)).into()])
}
