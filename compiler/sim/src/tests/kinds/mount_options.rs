//! `mount`: options that are changed, by a remount or by another mount.

use super::mount::disk;
use super::{NOTHING, Run};
use crate::World;

/// A remount does not change the mode of a file system in memory, so none is made.
#[test]
fn what_a_remount_leaves_is_mounted_anew_if_it_is_empty() {
    let program = |mode: &str| {
        format!(r#"mount "/srv/data" {{ state => "exists", type => "tmpfs", options => {{"mode" => "{mode}"}}, }}"#)
    };
    let mut run = Run::after(disk, &program("0700")).becomes(&program("0750"));
    let expect =
        ["put the entry of /srv/data into /etc/fstab", "unmount /srv/data", "mount tmpfs on /srv/data (mode=0750)"];
    assert_eq!(run.steps(), expect);
    let (steps, mut run) = run.again();
    assert_eq!(steps, NOTHING);
    run.change(|world| world.write("/srv/data/file", "x").unwrap());
    let run = run.becomes(&program("0770"));
    let why = "/srv/data can only get mode=0770 by being unmounted and mounted again, which would delete its files; if \
               they are not needed, run `umount /srv/data`";
    assert_eq!(run.failures(), [why]);
}

fn bare(world: &mut World) {
    world.subjects.mount[0].options = ["rw", "relatime"].map(String::from).into();
}

/// Files of FAT have the owner that its options name, which a remount does not change.
#[test]
fn a_disk_without_owners_is_mounted_anew_for_another_owner() {
    let program = r#"
        mount "/srv/data" { state => "exists", device => "/dev/vdb", type => "vfat", options => {"uid" => "7"}, }
    "#;
    let mut run = Run::after(disk, program);
    run.steps();
    assert_eq!(run.change(bare), ["unmount /srv/data", "mount /dev/vdb on /srv/data (uid=7)"]);
    let (steps, mut run) = run.again();
    assert_eq!(steps, NOTHING);
    let shared = run.change(|world| {
        let mut other = world.subjects.mount[0].clone();
        other.target = "/srv/old".into();
        bare(world);
        world.subjects.mount.insert(0, other);
    });
    assert_eq!(shared, NOTHING);
    let why = "/srv/data can only get uid=7 if /dev/vdb is not mounted anywhere else: run `umount /srv/old`";
    assert_eq!(run.becomes(program).failures(), [why]);
}

/// What is unmounted for its options must not stay away.
#[test]
fn a_disk_that_could_not_be_mounted_again_stays() {
    let program = |options: &str| {
        format!(
            r#"mount "/srv/data" {{ state => "exists", device => "/dev/vdb", type => "vfat", options => {{{options}}}, }}"#
        )
    };
    let mut run = Run::after(disk, &program(r#""uid" => "7""#));
    run.steps();
    let run = run.becomes(&program(r#""uid" => "nobody-here""#));
    let failures = run.failures();
    assert!(failures.iter().any(|why| why == "cannot find user nobody-here"), "{failures:?}");
    assert_eq!(run.world().subjects.mount.len(), 1);
    // The device of someone else, in the place of one that is not there.
    let mut run = run.becomes(&program(r#""nofail" => "", "uid" => "7""#));
    run.steps();
    let other = run.change(|world| {
        world.remove("/dev/vdb").unwrap();
        world.subjects.mount[0].source = "/dev/vdc".into();
        bare(world);
    });
    assert_eq!(other, NOTHING);
}

/// The lower of two mounts of one disk keeps the options.
#[test]
fn a_disk_that_is_mounted_twice_in_one_place_stays() {
    let program = r#"
        mount "/srv/data" { state => "exists", device => "/dev/vdb", type => "vfat", options => {"uid" => "7"}, }
    "#;
    let mut run = Run::after(disk, program);
    let twice = run.change(|world| {
        bare(world);
        let lower = world.subjects.mount[0].clone();
        world.subjects.mount.push(lower);
    });
    assert_eq!(twice, NOTHING);
    let why = "/srv/data can only get uid=7 if /dev/vdb is not mounted anywhere else: run `umount /srv/data`";
    assert_eq!(run.becomes(program).failures(), [why]);
}

#[test]
fn what_an_option_sets_is_looked_at_too() {
    let program = |options: &str| {
        format!(r#"mount "/srv/data" {{ state => "exists", type => "tmpfs", options => {{{options}}}, }}"#)
    };
    let mut run = Run::after(disk, &program(r#""user" => "", "exec" => """#));
    run.steps();
    let bare = run.change(|world| world.subjects.mount[0].options = ["rw", "relatime"].map(String::from).into());
    assert_eq!(bare, ["remount /srv/data: options rw,relatime → user,exec"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn times_of_access_are_given_back_in_words_that_count() {
    let program = r#"mount "/srv/data" { state => "exists", type => "tmpfs", options => {"atime" => ""}, }"#;
    let mut run = Run::after(disk, program);
    run.steps();
    let never = run.change(|world| world.subjects.mount[0].options = ["rw", "noatime"].map(String::from).into());
    assert_eq!(never, ["remount /srv/data: options rw,noatime → atime,relatime"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn defaults_are_kept_in_memory() {
    let mut run = Run::after(disk, r#"mount "/srv/data" { state => "exists", type => "tmpfs", }"#);
    run.steps();
    let locked =
        run.change(|world| world.subjects.mount[0].options = ["ro", "noexec", "relatime"].map(String::from).into());
    assert_eq!(locked, ["remount /srv/data: options ro,noexec,relatime → defaults,rw,exec"]);
    assert_eq!(run.again().0, NOTHING);
}

/// A kernel does not show a size or a number of files that is the usual one.
#[test]
fn usual_limits_are_not_the_wanted_ones() {
    let program = r#"
        mount "/srv/data" { state => "exists", type => "tmpfs", options => {"nr_inodes" => "1k", "size" => "1m"}, }
    "#;
    let mut run = Run::after(disk, program);
    run.steps();
    assert_eq!(run.change(bare), ["remount /srv/data: options rw,relatime → nr_inodes=1k,size=1m"]);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn what_covers_it_under_its_name_goes() {
    let program = r#"mount "/srv/data" { state => "exists", type => "tmpfs", options => {"size" => "1m"}, }"#;
    let mut run = Run::after(disk, program);
    run.steps();
    let over = run.change(|world| {
        let mut cover = world.subjects.mount[0].clone();
        cover.options = ["rw", "relatime"].map(String::from).into();
        world.subjects.mount.push(cover);
    });
    assert_eq!(over, ["unmount /srv/data"]);
    assert_eq!(run.world().subjects.mount.len(), 1);
    assert_eq!(run.again().0, NOTHING);
}

#[test]
fn a_share_of_the_memory_is_looked_at_where_it_is_known() {
    let known = |world: &mut World| {
        disk(world);
        world.make_dir("/proc").unwrap();
        world.write("/proc/meminfo", "MemTotal:        1024000 kB\n").unwrap();
    };
    let program = r#"mount "/srv/data" { state => "exists", type => "tmpfs", options => {"size" => "10%"}, }"#;
    let mut run = Run::after(known, program);
    run.steps();
    let size = |run: &mut Run, size: &str| {
        let options: Vec<String> = ["rw", "relatime", size].map(String::from).into();
        run.change(|world| world.subjects.mount[0].options = options)
    };
    assert_eq!(size(&mut run, "size=102400k"), NOTHING);
    let less = size(&mut run, "size=51200k");
    assert_eq!(less, ["remount /srv/data: options rw,relatime,size=51200k → size=10%"]);
    // The usual size, which is half of it, is the wanted one.
    let half = program.replace("10%", "512000k");
    let mut run = run.becomes(&half);
    run.steps();
    assert_eq!(run.change(bare), NOTHING);
    let mut run = run.becomes(program);
    run.steps();
    // In a container, that file may be about the container.
    let covered = run.change(|world| {
        let mounted = world.subjects.mount[0].clone();
        world.subjects.mount.push(crate::vocab::mount::Mounted { target: "/proc/meminfo".into(), ..mounted });
        world.subjects.mount[0].options = ["rw", "relatime", "size=51200k"].map(String::from).into();
    });
    assert_eq!(covered, NOTHING);
}
