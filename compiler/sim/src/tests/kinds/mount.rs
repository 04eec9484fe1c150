//! `mount`.

use super::{NOTHING, Run};
use crate::World;

const TABLE: &str = "# mine\n/dev/vda / ext4 defaults 0 1\n";

fn disk(world: &mut World) {
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
    assert_eq!(run.change(|world| world.mounts.clear()), ["mount /dev/vdb on /srv/data (noatime,size=1m)"]);
    let options =
        run.change(|world| world.mounts[0].options = ["ro", "noatime", "size=1024k"].map(String::from).into());
    assert_eq!(options, NOTHING, "a size is a size, and nobody asked for rw");
    let options = run.change(|world| world.mounts[0].options = ["rw", "relatime"].map(String::from).into());
    assert_eq!(options, ["mount /srv/data with other options: rw,relatime → noatime,size=1m"]);
    let other = run.change(|world| world.mounts[0].source = "/dev/vdc".into());
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
    let mounted = run.world().mounts[0].clone();
    let old = run.change(|world| {
        world.mounts.push(crate::vocab::mount::Mounted { target: "/srv/old".into(), ..mounted });
        world
            .write("/etc/fstab", format!("{TABLE}/dev/vdb /srv/data ext4 noatime,size=1m\n/dev/x /srv/old xfs\n"))
            .unwrap();
    });
    assert_eq!(old, ["remove the entry of /srv/old from /etc/fstab", "unmount /srv/old"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn the_folder_comes_before_what_is_mounted_there() {
    let mut run = Run::after(
        |world| world.make_dir("/srv").unwrap(),
        r#"
        mount "/srv/m" { state => "exists", device => "tmpfs", type => "tmpfs", }
        file "/srv/m/" { state => "exists", }
        "#,
    );
    assert_eq!(
        run.steps(),
        ["make the directory /srv/m/", "put the entry of /srv/m into /etc/fstab", "mount tmpfs on /srv/m (defaults)"]
    );
}

#[test]
fn a_device_that_may_be_missing_is_waited_for() {
    let mut run = Run::after(
        disk,
        r#"
        mount "/srv/data" {
            state => "exists",
            device => "LABEL=data",
            type => "ext4",
            options => {"nofail" => ""},
        }
        "#,
    );
    assert_eq!(run.steps(), ["put the entry of /srv/data into /etc/fstab"]);
    assert_eq!(run.again().0, NOTHING);
}
