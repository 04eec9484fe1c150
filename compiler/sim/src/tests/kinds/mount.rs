//! `mount`.

use super::{NOTHING, Run};
use crate::World;

const TABLE: &str = "# mine\n/dev/vda / ext4 defaults 0 1\n";

pub(super) fn disk(world: &mut World) {
    world.make_dir("/dev").unwrap();
    world.write("/dev/vdb", "").unwrap();
    world.make_dir("/srv/data").unwrap();
    world.make_dir("/srv/old").unwrap();
    world.write("/etc/fstab", TABLE).unwrap();
}

const PROGRAM: &str = r#"
    mount "/srv/data" {
        state => "exists",
        device => "/dev/vdb",
        type => "ext4",
        options => {"noatime" => "", "size" => "1m"},
    }
    mount "/srv/old" { state => "absent", }
"#;

#[test]
fn a_mount_is_in_the_table_and_active() {
    let mut run = Run::after(disk, PROGRAM);
    assert_eq!(
        run.steps(),
        ["put the entry of /srv/data into /etc/fstab", "mount /dev/vdb on /srv/data (noatime,size=1m)"]
    );
    assert_eq!(run.read("/etc/fstab"), format!("{TABLE}/dev/vdb /srv/data ext4 noatime,size=1m 0 0\n"));
    assert_eq!(run.change(|world| world.subjects.mount.clear()), ["mount /dev/vdb on /srv/data (noatime,size=1m)"]);
    let options =
        run.change(|world| world.subjects.mount[0].options = ["ro", "noatime", "size=1024k"].map(String::from).into());
    assert_eq!(options, NOTHING, "a size is a size, and nobody asked for rw");
    let options = run.change(|world| world.subjects.mount[0].options = ["rw", "relatime"].map(String::from).into());
    assert_eq!(options, ["remount /srv/data: options rw,relatime → noatime,size=1m"]);
    let other = run.change(|world| world.subjects.mount[0].source = "/dev/vdc".into());
    assert_eq!(other, ["unmount /srv/data", "mount /dev/vdb on /srv/data (noatime,size=1m)"]);
    assert_eq!(
        run.change(|world| world.write("/etc/fstab", TABLE).unwrap()),
        ["put the entry of /srv/data into /etc/fstab"]
    );
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_is_to_be_gone_is_unmounted_and_leaves_the_table() {
    let (_, mut run) = Run::after(disk, PROGRAM).again();
    let mounted = run.world().subjects.mount[0].clone();
    let old = run.change(|world| {
        world.subjects.mount.push(crate::vocab::mount::Mounted { target: "/srv/old".into(), ..mounted });
        world
            .write("/etc/fstab", format!("{TABLE}/dev/vdb /srv/data ext4 noatime,size=1m\n/dev/x /srv/old xfs\n"))
            .unwrap();
    });
    assert_eq!(old, ["remove the entry of /srv/old from /etc/fstab", "unmount /srv/old"]);
    let twice = run.change(|world| {
        let mut mounted = world.subjects.mount[0].clone();
        mounted.target = "/srv/old".into();
        world.subjects.mount.extend([mounted.clone(), mounted]);
    });
    assert_eq!(twice, ["unmount /srv/old", "unmount /srv/old"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_lies_over_the_wanted_mount_goes() {
    let program = r#"
        mount "/srv/data" { state => "exists", device => "/dev/vdb", type => "ext4", }
        mount "/srv/seen" { state => "exists", device => "/srv", options => {"bind" => ""}, }
        file "/srv/seen/" { state => "exists", }
    "#;
    let mut run = Run::after(disk, program);
    let other = |target: &str| crate::vocab::mount::Mounted {
        target: target.into(),
        source: "tmpfs".into(),
        kind: "tmpfs".into(),
        options: vec!["rw".into()],
    };
    let count =
        |run: &mut Run, target: &str| run.world().subjects.mount.iter().filter(|it| it.target == target).count();
    let over = run.change(|world| world.subjects.mount.push(other("/srv/data")));
    assert_eq!(over, ["unmount /srv/data"]);
    let two = run.change(|world| world.subjects.mount.extend([other("/srv/data"), other("/srv/data")]));
    assert_eq!(two, ["unmount /srv/data", "unmount /srv/data"]);
    assert_eq!(count(&mut run, "/srv/data"), 1);
    let over = run.change(|world| world.subjects.mount.push(other("/srv/seen")));
    assert_eq!(over, ["unmount /srv/seen"]);
    assert_eq!(count(&mut run, "/srv/seen"), 1);
    // Where none of them is the wanted one, the topmost makes room for it.
    let none = run.change(|world| {
        world.subjects.mount.retain(|it| it.target != "/srv/data");
        world.subjects.mount.extend([other("/srv/data"), other("/srv/data")]);
    });
    assert_eq!(none, ["unmount /srv/data", "mount /dev/vdb on /srv/data (defaults)"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn without_a_mount_point_nothing_is_done() {
    let mut run = Run::after(disk, r#"mount "/srv/none" { state => "exists", type => "tmpfs", }"#);
    assert_eq!(run.steps(), NOTHING);
    assert_eq!(run.read("/etc/fstab"), TABLE);
    let comes = run.minute(|world| world.make_dir("/srv/none").unwrap());
    assert_eq!(comes, ["put the entry of /srv/none into /etc/fstab", "mount tmpfs on /srv/none (defaults)"]);
    assert_eq!(run.again().0, NOTHING);
}

/// File systems whose source is not a path, and a bind mount.
#[test]
fn what_has_no_device_is_named_by_a_word() {
    let program = r#"
        mount "/srv/data" { state => "exists", device => "server:/export", type => "nfs", }
        mount "/srv/old" { state => "exists", device => "tmpfs", type => "tmpfs", }
        mount "/srv/proc" { state => "exists", device => "proc", type => "proc", }
        mount "/srv/seen" { state => "exists", device => "/srv", options => {"bind" => ""}, }
        file ["/srv/proc/", "/srv/seen/"] { state => "exists", }
    "#;
    let mut run = Run::after(disk, program);
    let table = [
        "server:/export /srv/data nfs defaults 0 0",
        "tmpfs /srv/old tmpfs defaults 0 0",
        "proc /srv/proc proc defaults 0 0",
        "/srv /srv/seen none bind 0 0",
    ];
    let text = run.read("/etc/fstab");
    assert!(table.iter().all(|line| text.lines().any(|it| it == *line)), "{text}");
    // The kernel adds the version.
    let kind =
        run.change(|world| world.subjects.mount.iter_mut().find(|it| it.kind == "nfs").unwrap().kind = "nfs4".into());
    assert_eq!(kind, NOTHING);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_device_that_may_be_missing_is_mounted_when_it_comes() {
    let program = r#"
        mount "/srv/data" {
            state => "exists",
            device => "LABEL=data",
            type => "ext4",
            options => {"nofail" => ""},
        }
    "#;
    let mut run = Run::after(disk, program);
    assert_eq!(run.steps(), ["put the entry of /srv/data into /etc/fstab"]);
    let comes = run.change(|world| {
        world.make_dir("/dev/disk/by-label").unwrap();
        world.write("/dev/disk/by-label/data", "").unwrap();
    });
    assert_eq!(comes, ["mount LABEL=data on /srv/data (nofail)"]);
    assert_eq!(run.again().0, NOTHING);
}

/// The sources of an overlay come before it, though no field names them.
#[test]
fn the_layers_of_an_overlay_come_first() {
    let program = r#"
        mount "/srv/data" {
            state => "exists",
            device => "overlay",
            type => "overlay",
            options => {"lowerdir" => "/srv/one:/srv/two", "upperdir" => "/srv/up", "workdir" => "/srv/spare"},
        }
        file ["/srv/one/", "/srv/two/", "/srv/up/", "/srv/spare/"] { state => "exists", }
    "#;
    let mut run = Run::after(disk, program);
    let steps = run.steps();
    assert_eq!(steps.len(), 6, "{steps:?}");
    assert!(steps[..4].iter().all(|step| step.starts_with("make directory /srv/")), "{steps:?}");
    assert!(steps[5].starts_with("mount overlay on /srv/data"), "{steps:?}");
}

#[test]
fn a_tag_is_looked_up_for_a_file_system_without_a_device_too() {
    let labelled = |world: &mut World| {
        disk(world);
        world.make_dir("/dev/disk/by-label").unwrap();
        world.symlink("/dev/disk/by-label/scratch", "/dev/vdb").unwrap();
    };
    let program = r#"mount "/srv/data" { state => "exists", device => "LABEL=scratch", type => "tmpfs", }"#;
    let mut run = Run::after(labelled, program);
    assert_eq!(run.steps().len(), 2);
    assert_eq!(run.world().subjects.mount[0].source, "/dev/vdb");
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_mounts_it_on_demand_stays() {
    let program = r#"mount "/srv/data" {
        state => "exists",
        device => "/dev/vdb",
        type => "ext4",
        options => {"x-systemd.automount" => ""},
    }"#;
    let mut run = Run::after(disk, program);
    assert_eq!(run.steps().len(), 2);
    let waits = |world: &mut World| {
        let (target, source, kind) = ("/srv/data".into(), "systemd-1".into(), "autofs".into());
        world.subjects.mount = vec![crate::vocab::mount::Mounted { target, source, kind, options: Vec::new() }];
    };
    assert_eq!(run.change(waits), NOTHING);
    let (steps, mut run) = run.again();
    assert_eq!(steps, NOTHING);
    let gone = run.change(|world| world.subjects.mount.clear());
    assert_eq!(gone, ["mount /dev/vdb on /srv/data (x-systemd.automount)"]);
}

/// The kernel reports the place that the links lead to.
#[test]
fn a_mount_point_behind_links_is_mounted_once() {
    let linked = |world: &mut World| {
        disk(world);
        world.make_dir("/srv/data/below").unwrap();
        world.symlink("/srv/link", "data").unwrap();
        world.symlink("/far", "/srv/link").unwrap();
    };
    let program = |state: &str| format!(r#"mount "/far/below" {{ state => "{state}", type => "tmpfs", }}"#);
    let mut run = Run::after(linked, &program("exists"));
    let expect = ["put the entry of /far/below into /etc/fstab", "mount tmpfs on /far/below (defaults)"];
    assert_eq!(run.steps(), expect);
    let targets = |run: &Run| -> Vec<String> {
        run.world().subjects.mount.iter().map(|mounted| mounted.target.clone()).collect()
    };
    assert_eq!(targets(&run), ["/srv/data/below"]);
    let (steps, mut run) = run.again();
    assert_eq!(steps, NOTHING);
    let locked = run.change(|world| world.subjects.mount[0].options = ["ro", "relatime"].map(String::from).into());
    assert_eq!(locked, ["remount /far/below: options ro,relatime → defaults,rw"]);
    assert_eq!(run.change(|world| world.subjects.mount.clear()), [expect[1]]);
    let gone = run.switches(&program("absent"));
    assert_eq!(gone, ["remove the entry of /far/below from /etc/fstab", "unmount /far/below"]);
    assert_eq!(targets(&run), [""; 0]);
}

/// Above a link is the folder of the place that it leads to.
#[test]
fn a_mount_point_above_a_link_is_that_of_the_kernel() {
    let linked = |world: &mut World| {
        disk(world);
        world.make_dir("/srv/data/below").unwrap();
        world.symlink("/link", "/srv/data/below").unwrap();
        world.symlink("/srv/odd", "../link/../below").unwrap();
    };
    for point in ["/link/../below", "/srv/odd"] {
        let program = |state: &str| format!(r#"mount "{point}" {{ state => "{state}", type => "tmpfs", }}"#);
        let run = Run::after(linked, &program("exists"));
        let targets: Vec<String> = run.world().subjects.mount.iter().map(|mounted| mounted.target.clone()).collect();
        assert_eq!(targets, ["/srv/data/below"], "{point}");
        let (steps, mut run) = run.again();
        assert_eq!(steps, NOTHING, "{point}");
        let expect = [format!("remove the entry of {point} from /etc/fstab"), format!("unmount {point}")];
        assert_eq!(run.switches(&program("absent")), expect);
    }
}
