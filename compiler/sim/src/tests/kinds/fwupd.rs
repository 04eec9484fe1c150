//! `fwupd:device`, `fwupd:remote` and `fwupd:system`.

use super::{NOTHING, Run};
use crate::World;
use crate::vocab::firmware::{Device, Release, Remote};

const GUID: &str = "b585990a-003e-5270-89d5-3705a17f9a43";

fn release(version: &str, is_upgrade: bool) -> Release {
    Release {
        version: version.into(),
        remote: "lvfs".into(),
        location: format!("https://h/{version}.cab"),
        checksums: vec!["0".repeat(64)],
        is_upgrade,
        is_downgrade: !is_upgrade,
        blocked: None,
    }
}

/// Two devices, one with releases.
pub(super) fn devices(world: &mut World) {
    let device = |id: &str, guid: &str| Device {
        id: id.into(),
        guids: vec![guid.into()],
        name: format!("Webcam {id}"),
        version: "1.2.2".into(),
        is_updatable: true,
        awaits_reboot: false,
    };
    let known = &mut world.subjects.firmware;
    known.devices = vec![device("a1", GUID), device("b2", "x")];
    known.releases.insert("a1".into(), vec![release("1.2.4", true), release("1.2.3", true), release("1.2.1", false)]);
    let remote = Remote { id: "lvfs".into(), is_enabled: true, url: "https://h/f.xml.zst".into(), ..Remote::default() };
    known.remotes.insert("lvfs".into(), (remote, None));
}

fn device(version: &str, more: &str) -> String {
    format!("fwupd:device \"{GUID}\" {{ version => \"{version}\", {more} }}")
}

#[test]
fn a_device_gets_its_version_and_keeps_it() {
    let mut run = Run::after(devices, &device("1.2.3", ""));
    let install = "install the firmware 1.2.3 on Webcam a1 (has 1.2.2)";
    assert_eq!(run.steps(), [install]);
    assert_eq!(run.change(|world| world.subjects.firmware.devices[0].version = "1.2.2".into()), [install]);
    let run = run.becomes(&device("1.2.1", ""));
    assert!(run.failures()[0].contains("set `allow_downgrade => true`"), "{:?}", run.failures());
    let mut run = run.becomes(&device("1.2.1", "allow_downgrade => true,"));
    assert_eq!(run.steps(), ["install the firmware 1.2.1 on Webcam a1 (has 1.2.3)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_cannot_be_installed_is_reported() {
    let failure = |before: fn(&mut World), program: &str| {
        let world = |world: &mut World| {
            devices(world);
            before(world);
        };
        Run::after(world, program).failures().first().cloned().unwrap_or_default()
    };
    let newest = device("1.2.4", "");
    for (before, program, why) in [
        ((|_| {}) as fn(&mut World), &*device("9", ""), "no enabled remote has version 9"),
        (|_| {}, "fwupd:device \"zz\" { version => \"1\", }", "fwupd has no device `zz`"),
        (|world| world.subjects.firmware.devices[0].is_updatable = false, &newest, "cannot be updated"),
        (
            |world| world.subjects.firmware.remotes.get_mut("lvfs").unwrap().0.is_enabled = false,
            &newest,
            "no enabled remote",
        ),
        (|world| world.subjects.firmware.devices[1].guids = vec![GUID.into()], &newest, "several devices have"),
        (|world| world.subjects.firmware.is_offline = true, &newest, "connection refused"),
        (|world| world.subjects.firmware.are_gone = true, &newest, "install the package `fwupd`"),
        (
            |world| world.subjects.firmware.releases.get_mut("a1").unwrap()[0].checksums.clear(),
            &newest,
            "has no SHA-256 checksum",
        ),
        (
            |world| {
                world.subjects.firmware.releases.get_mut("a1").unwrap()[0].blocked = Some("it is not approved".into())
            },
            &newest,
            "it is not approved",
        ),
    ] {
        let failed = failure(before, program);
        assert!(failed.contains(why), "{why}: {failed}");
    }
    let mut run = Run::after(|world| world.subjects.firmware.are_gone = true, &newest);
    let alive = run.change(|world| {
        devices(world);
        world.subjects.firmware.are_gone = false;
    });
    assert_eq!(alive.len(), 1);
}

#[test]
fn an_update_that_waits_for_a_boot_is_done() {
    let slow = |world: &mut World| {
        devices(world);
        world.subjects.firmware.slow.insert("a1".into());
    };
    let mut run = Run::after(slow, &device("1.2.4", ""));
    assert_eq!(run.steps().len(), 1);
    assert_eq!(run.again().0, NOTHING);
    let mut run = Run::after(slow, r#"fwupd:system "all" { state => "newest", }"#);
    assert_eq!(run.steps().len(), 1);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_device_without_a_good_release_keeps_no_other_from_its_update() {
    let odd = |world: &mut World| {
        devices(world);
        let odd = Release { checksums: Vec::new(), ..release("1.2.4", true) };
        world.subjects.firmware.releases.insert("b2".into(), vec![odd]);
    };
    let mut run = Run::after(odd, r#"fwupd:system "all" { state => "newest", }"#);
    let why = "Webcam b2 1.2.4: the metadata has no SHA-256 checksum for the download";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
    assert_eq!(run.steps(), ["install the firmware 1.2.4 on Webcam a1 (has 1.2.2)"]);
}

#[test]
fn a_system_has_the_newest_of_everything() {
    let mut run = Run::after(devices, r#"fwupd:system "all" { state => "newest", }"#);
    assert_eq!(run.steps(), ["install the firmware 1.2.4 on Webcam a1 (has 1.2.2)"]);
    let newer = run.change(|world| {
        let mut newest = release("1.2.2", true);
        newest.checksums = vec!["1".repeat(64)];
        world.subjects.firmware.releases.insert("b2".into(), vec![Release { version: "2.0".into(), ..newest }]);
    });
    assert_eq!(newer, ["install the firmware 2.0 on Webcam b2 (has 1.2.2)"]);
    let mut run = run.again().1;
    assert_eq!(run.steps(), NOTHING);
    let without = format!(r#"fwupd:system "all" {{ state => "newest", exclude => ["{GUID}"], }}"#);
    assert_eq!(Run::after(devices, &without).steps(), NOTHING);
}

#[test]
fn a_remote_is_enabled_and_fresh() {
    let off = |world: &mut World| {
        devices(world);
        world.subjects.firmware.remotes.get_mut("lvfs").unwrap().0.is_enabled = false;
    };
    let mut run = Run::after(off, r#"fwupd:remote "lvfs" { enabled => true, refresh_age => "40s", }"#);
    let enable = "enable the firmware remote lvfs (is disabled)";
    let steps = run.steps();
    assert_eq!(steps[..2], [enable, "fetch the metadata of the firmware remote lvfs (never fetched)"]);
    let disabled = run.change(|world| world.subjects.firmware.remotes.get_mut("lvfs").unwrap().0.is_enabled = false);
    assert_eq!(disabled, [enable]);
    let fetched = run.minute(|_| {});
    assert_eq!(fetched[0], "fetch the metadata of the firmware remote lvfs (1 min old)");
    let mut run = run.becomes(r#"fwupd:remote "lvfs" { enabled => false, }"#);
    assert_eq!(run.steps(), ["disable the firmware remote lvfs (is enabled)"]);
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    let run = run.becomes(r#"fwupd:remote "lvfs" { refresh_age => "1h", }"#);
    assert!(run.failures()[0].contains("set `enabled => true`"), "{:?}", run.failures());
    let run = run.becomes(r#"fwupd:remote "other" { enabled => true, }"#);
    assert!(run.failures()[0].contains("fwupd has no remote `other`"), "{:?}", run.failures());
}
