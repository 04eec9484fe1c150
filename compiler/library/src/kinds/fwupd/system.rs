//! `fwupd:system`: updates the firmware of every updatable device through fwupd. Resource spec, 9.

use crate::kinds::required::{PolicyList, Required};
use crate::kinds::rules::ensure;
use crate::kinds::walk::Walk;
use crate::kinds::{Claim, Decision, Direction, Field, Kind, KindDecl, Seen, Traits, Want, WantBatch};
use crate::vocab::Watch;
use crate::vocab::firmware::{self, Device, Step};

/// The kind `fwupd:system`.
pub(crate) struct FwupdSystem;

static DECL: KindDecl = KindDecl {
    name: "fwupd:system",
    doc: "Updates the firmware of every updatable device through fwupd.",
    fields: &[
        Field::str("state", "State", "Must be `newest`.").required(),
        Field::strs("exclude", "Exclude", "Ids or GUIDs of devices that are not updated."),
    ],
    traits: Traits { edgeable: true, ..Traits::NONE },
    constants: &[],
    policy: &[
        Required::list(PolicyList::Firmware),
        Required::list(PolicyList::Hosts).case("downloads"),
        Required::list(PolicyList::Reads).case("local archives"),
    ],
};

impl Kind for FwupdSystem {
    fn decl(&self) -> &'static KindDecl {
        &DECL
    }

    fn validate(&self, want: &Want) -> Result<(), String> {
        ensure(want.text("state") == "newest", "`state` must be `newest`")?;
        ensure(want.texts("exclude").iter().all(|device| !device.is_empty()), "an entry of `exclude` is empty")
    }

    fn claims(&self, _want: &Want) -> Vec<Claim> {
        vec![Claim::FwupdSystem]
    }

    fn wants(&self, _want: &Want) -> Vec<WantBatch> {
        // The remotes are unknown here; the empty name matches any.
        let any = (Claim::FwupdRemote(String::new()), Direction::Before);
        vec![WantBatch { claims: vec![any], first_only: false }]
    }

    fn backend(&self) -> &'static str {
        "fwupd (package `fwupd`) over D-Bus, as for `fwupd:device`. Devices are updated one at a time; updates that \
         are pending a reboot count as done."
    }

    fn decide(&self, want: &Want, seen: &Seen) -> Decision {
        walk(want, &mut Walk::new(seen)).unwrap_or_else(|decision| decision)
    }

    fn watches(&self, _want: &Want) -> Vec<Watch> {
        vec![firmware::Watch::Device { id: String::new() }.into(), firmware::Watch::Remotes.into()]
    }
}

fn walk(want: &Want, walk: &mut Walk) -> Result<Decision, Decision> {
    let excluded = want.texts("exclude");
    let is_meant = |device: &&Device| {
        device.is_updatable && !device.awaits_reboot && !excluded.iter().any(|named| device.is(named))
    };
    let devices: Vec<&Device> = super::devices(walk)?.iter().filter(is_meant).collect();
    if devices.is_empty() {
        return Ok(Decision::InState(Vec::new()));
    }
    let remotes = super::remotes(walk)?;
    let (mut steps, mut failed) = (Vec::new(), Vec::new());
    for (device, releases) in devices.iter().zip(super::releases(walk, &devices)?) {
        let newest = releases.iter().find(|release| release.is_upgrade && release.blocked.is_none());
        match newest.map(|newest| super::install(device, newest, remotes)) {
            Some(Ok(install)) => steps.push(Step::Install(Box::new(install)).into()),
            Some(Err(Decision::CannotTell(why))) => failed.push(why),
            Some(Err(other)) => return Err(other),
            None => {}
        }
    }
    // The other devices are updated anyway.
    let mended = walk.mend(steps)?;
    if failed.is_empty() { Ok(mended) } else { Err(Decision::CannotTell(failed.join("; "))) }
}
