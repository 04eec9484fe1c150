//! `hetzner:vm` and `aws:ec2`.

use super::{NOTHING, Run};
use crate::vocab::cloud::{Found, Stand};
use crate::{Clouds, World};

const HETZNER: &str = "https://api.hetzner.cloud/v1";

fn vm(fields: &str) -> String {
    format!(r#"hetzner:vm "web" {{ apitoken => "hush", {fields} Meta:poll => 1, }}"#)
}

fn found(world: &World) -> &Found {
    world.subjects.cloud.machines.values().next().expect("there is one")
}

fn turn(world: &mut World, state: Stand, word: &str) {
    let found = world.subjects.cloud.machines.values_mut().next().expect("there is one");
    (found.state, found.word) = (state, word.to_owned());
}

const MADE: &str = r#"state => "running", servertype => "cx22", image => "debian-12", userdata => "hush","#;

#[test]
fn a_server_is_made_and_kept_running() {
    let mut run = Run::new(&vm(MADE));
    assert_eq!(run.steps(), ["create the server web: none → cx22 with debian-12"]);
    let started = run.change(|world| turn(world, Stand::Off, "off"));
    assert_eq!(started, ["start the server web (1): off → running"]);
    let settled = run.change(|world| turn(world, Stand::Passing, "starting"));
    assert_eq!(settled, ["wait for the server web (1), which is starting"]);
    assert_eq!(run.change(|world| world.subjects.cloud.machines.clear()).len(), 1);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_server_is_shut_down_and_deleted() {
    let mut run = Run::new(&vm(MADE)).becomes(&vm(r#"state => "off", serverrescuemode => "linux64","#));
    let rescue = "boot the server web (1) into the rescue system: none → linux64";
    assert_eq!(run.steps(), ["shut down the server web (1): running → off", rescue]);
    assert!(found(run.world()).rescue);
    let mut run = run.becomes(&vm(r#"state => "absent","#));
    assert_eq!(run.steps(), ["delete the server web (1): off → none"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_no_server_can_change_is_made_anew_where_that_is_allowed() {
    let larger = r#"servertype => "cx32", image => "debian-12","#;
    let missing = |world: &mut World| world.subjects.cloud.missing.extend(["debian-99".into()]);
    let run = Run::after(missing, &vm(MADE)).becomes(&vm(larger));
    assert!(run.failures()[0].contains("servertype cx22 → cx32"), "{:?}", run.failures());
    let mut run = run.becomes(&vm(&format!(r#"{larger} allowrebuild => "ignore","#)));
    assert_eq!(run.steps(), NOTHING);
    let run = run.becomes(&vm(r#"image => "debian-99", servertype => "cx32", allowrebuild => "ifneeded","#));
    let why = "cannot find image `debian-99`, so the server web is not rebuilt";
    assert!(run.failures()[0].contains(why), "{:?}", run.failures());
    let mut run = run.becomes(&vm(&format!(r#"{larger} allowrebuild => "ifneeded","#)));
    let delete = "delete the server web (1): running → none";
    assert_eq!(run.steps(), [delete, "create the server web: none → cx32 with debian-12 in fsn1"]);
    assert_eq!(found(run.world()).id, "2");
    let (steps, run) = run.again();
    assert_eq!(steps, NOTHING);
    // Unset fields are not compared.
    assert_eq!(run.becomes(&vm(r#"state => "running","#)).steps(), NOTHING);
}

#[test]
fn a_server_that_is_made_anew_keeps_what_is_unset() {
    let run = Run::new(&vm(&MADE.replace("state =>", r#"datacenter => "hel1", state =>"#)));
    let mut run = run.becomes(&vm(r#"servertype => "cx32", allowrebuild => "ifneeded","#));
    let delete = "delete the server web (1): running → none";
    assert_eq!(run.steps(), [delete, "create the server web: none → cx32 with debian-12 in hel1"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn nothing_is_made_of_half_a_description() {
    let run = Run::new(&vm(r#"state => "running", servertype => "cx22","#));
    assert!(run.failures()[0].contains("cannot be created without `image`"), "{:?}", run.failures());
    assert_eq!(Run::new(&vm("")).steps(), NOTHING);
}

#[test]
fn nothing_is_made_of_parts_that_are_not_there() {
    let missing = |world: &mut World| {
        world.subjects.cloud.missing.extend(["debian-99", "cx99", "nbg9"].map(String::from));
    };
    for (from, to, what) in [
        ("debian-12", "debian-99", "image `debian-99`"),
        ("cx22", "cx99", "server type `cx99`"),
        ("state =>", r#"datacenter => "nbg9", state =>"#, "location `nbg9`"),
        (r#"servertype => "cx22""#, r#"servertype => "cx99", datacenter => "fsn1""#, "server type `cx99` in `fsn1`"),
    ] {
        let other = vm(&MADE.replace(from, to));
        let mut run = Run::after(missing, &other);
        let why = format!("cannot find {what}, so the server web is not created");
        assert!(run.failures()[0].contains(&why), "{:?}", run.failures());
        assert_eq!(run.steps(), NOTHING);
        let rebuilt = other.replace("state =>", r#"allowrebuild => "ifneeded", state =>"#);
        let mut run = Run::after(missing, &vm(MADE)).becomes(&rebuilt);
        let why = &run.failures()[0];
        assert!(why.contains(&format!("cannot find {what}")) && why.contains("the server web is not rebuilt"), "{why}");
        assert_eq!(run.steps(), NOTHING);
        assert_eq!(found(run.world()).id, "1");
    }
}

fn ec2(state: &str) -> String {
    let fields = r#"region => "eu-west-1", type => "t3.nano", imageid => "ami-1", userdata => "hush","#;
    format!(r#"aws:ec2 "web" {{ state => "{state}", {fields} }}"#)
}

#[test]
fn an_instance_is_made_and_kept_running() {
    let mut run = Run::new(&ec2("running"));
    assert_eq!(run.steps(), ["create the instance web: none → t3.nano with ami-1"]);
    let started = run.minute(|world| turn(world, Stand::Off, "stopped"));
    assert_eq!(started, ["start the instance web (i-00000001): stopped → running"]);
    let again = run.minute(|world| turn(world, Stand::Passing, "shutting-down"));
    let wait = "wait for the instance web (i-00000001), which is shutting-down";
    assert_eq!(again, [wait, "create the instance web: none → t3.nano with ami-1"]);
    assert_eq!(run.minute(|world| turn(world, Stand::Passing, "pending")).len(), 1);
    assert_eq!(run.minute(|_| {}), NOTHING);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn nothing_is_made_of_an_image_that_is_not_there() {
    let missing = |world: &mut World| world.subjects.cloud.missing.extend(["ami-1".into()]);
    let run = Run::after(missing, &ec2("running"));
    assert!(run.failures()[0].contains("cannot find image `ami-1` in eu-west-1"), "{:?}", run.failures());
}

#[test]
fn an_instance_is_stopped_and_terminated() {
    assert_eq!(Run::new(&ec2("stopped")).steps(), NOTHING);
    let mut run = Run::new(&ec2("running")).becomes(&ec2("stopped"));
    assert_eq!(run.steps(), ["shut down the instance web (i-00000001): running → off"]);
    let mut run = run.becomes(&ec2("terminated"));
    assert_eq!(run.steps(), ["delete the instance web (i-00000001): stopped → none"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_cloud_that_is_down_is_no_empty_one() {
    let mut run = Run::after(|world| world.subjects.cloud.is_down = true, &vm(r#"state => "absent","#));
    assert!(run.failures()[0].contains(&format!("{HETZNER}: connection refused")), "{:?}", run.failures());
    assert_eq!(run.change(|world| world.subjects.cloud = Clouds::default()), NOTHING);
}
