//! `bmc:power` and `bmc:firmware`.

use super::{NOTHING, Run};

const ADDRESS: &str = "https://10.0.0.9:443";

fn power(state: &str) -> String {
    format!(r#"bmc:power "gofishs://root@10.0.0.9" {{ password => "hush", state => "{state}", Meta:poll => 1, }}"#)
}

#[test]
fn a_machine_is_turned_on_and_kept_on() {
    let mut run = Run::new(&power("on"));
    assert_eq!(run.steps(), [format!("turn on the machine managed by {ADDRESS}: off → on")]);
    let off =
        |world: &mut crate::World| drop(world.subjects.controller.power.insert(ADDRESS.into(), "poweringoff".into()));
    assert_eq!(run.change(off), [format!("turn on the machine managed by {ADDRESS}: poweringoff → on")]);
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    let mut run = run.becomes(&power("off"));
    assert_eq!(run.steps(), [format!("turn off the machine managed by {ADDRESS}: on → off")]);
    assert_eq!(run.becomes(&power("")).steps(), NOTHING);
    assert!(Run::new(&power("cycle")).failures()[0].contains("must be `on` or `off`, not `cycle`"));
}

#[test]
fn the_fields_say_where() {
    let fields = r#"hostname => "bmc", port => 8443, driver => "rpc", state => "on", Meta:poll => 1,"#;
    let mut run = Run::new(&format!(r#"bmc:power "db" {{ {fields} }}"#));
    assert_eq!(run.steps(), ["turn on the machine managed by http://bmc:8443: off → on"]);
    for host in ["fd00::9", "[fd00::9]"] {
        let mut run = Run::new(&format!(r#"bmc:power "db" {{ {} }}"#, fields.replace("bmc", host)));
        assert_eq!(run.steps(), ["turn on the machine managed by http://[fd00::9]:8443: off → on"]);
    }
}

#[test]
fn a_password_in_the_name_must_be_allowed() {
    let named = |fields: &str| {
        Run::new(&format!(r#"bmc:power "gofish://root:p%40w@h:80" {{ state => "on", {fields} Meta:poll => 1, }}"#))
    };
    let run = named("");
    assert!(run.failures()[0].contains("`insecure_password => true`"), "{:?}", run.failures());
    assert_eq!(named("insecure_password => true,").steps().len(), 1);
}

#[test]
fn a_controller_that_is_down_is_no_machine_that_is_off() {
    let mut run = Run::after(|world| world.subjects.controller.is_down = true, &power("off"));
    assert!(run.failures()[0].contains("connection refused"), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.controller.is_down = false), NOTHING);
}

#[test]
fn a_certificate_of_its_own_is_trusted_by_its_fingerprint() {
    let pinned = |digits: &str| power("on").replace("10.0.0.9\"", &format!("10.0.0.9#sha256={digits}\""));
    let own = |world: &mut crate::World| {
        world.subjects.controller.certificates.insert(ADDRESS.into(), [10; 32]);
    };
    let (right, wrong) = ("0a".repeat(32), "0b".repeat(32));
    let turned = [format!("turn on the machine managed by {ADDRESS}: off → on")];
    assert_eq!(Run::after(own, &pinned(&right)).steps(), turned);
    for (program, why) in [
        (pinned(&wrong), "the server's certificate has a different fingerprint"),
        (power("on"), "the server's certificate is not signed by a trusted authority"),
    ] {
        let mut run = Run::after(own, &program);
        assert!(run.failures()[0].contains(why), "{:?}", run.failures());
        assert_eq!(run.steps(), NOTHING);
    }
}

fn firmware(fields: &str) -> String {
    let image = r#"provider => "supermicro", file => "/image", version => "2.0", password => "hush","#;
    format!(r#"bmc:firmware "https://root@10.0.0.9" {{ {image} {fields} Meta:poll => 1, }}"#)
}

#[test]
fn firmware_is_installed_once() {
    let mut run = Run::after(|world| world.write("/image", b"x").unwrap(), &firmware(""));
    assert_eq!(run.steps(), [format!("install /image on the controller {ADDRESS}: 1.0 → 2.0")]);
    let older =
        |world: &mut crate::World| drop(world.subjects.controller.firmware.insert(ADDRESS.into(), "0.9".into()));
    assert_eq!(run.change(older), [format!("install /image on the controller {ADDRESS}: 0.9 → 2.0")]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn an_image_that_is_another_one_is_not_installed() {
    let mut run = Run::after(|world| world.write("/image", b"x").unwrap(), &firmware(r#"hash => "00","#));
    assert!(run.failures()[0].contains("/image has the SHA-256 2d7116"), "{:?}", run.failures());
    assert_eq!(run.steps(), NOTHING);
    let missing = Run::new(&firmware(""));
    assert!(missing.failures()[0].contains("/image"), "{:?}", missing.failures());
}
