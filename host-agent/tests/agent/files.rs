//! The kind `file` on a real file system: kept files, refusals, streams.

use crate::case::{Case, cannot_look, until};
use rustix::fs::{Mode, OFlags};
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::time::Duration;

fn mode(case: &Case, below: &str) -> u32 {
    fs::metadata(case.path(below)).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_replaced_file_keeps_owner_mode_and_attributes() {
    let case = Case::new("keeps", "file \"@OUT@/a\" {\n\tcontent => \"new\",\n}\n");
    let path = case.path("out/a");
    case.write("out/a", "old");
    fs::set_permissions(&path, Permissions::from_mode(0o4751)).unwrap();
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        std::os::unix::fs::chown(&path, Some(12345), Some(23456)).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o4751)).unwrap();
    }
    let has_attributes = rustix::fs::setxattr(&path, "user.mclive", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    assert!(case.once().status.success());
    assert_eq!(case.read("out/a").unwrap(), "new");
    assert_eq!(mode(&case, "out/a"), 0o4751);
    if is_root {
        let meta = fs::metadata(&path).unwrap();
        assert_eq!((meta.uid(), meta.gid()), (12345, 23456));
    }
    if has_attributes {
        let mut value = [0; 16];
        let n = rustix::fs::getxattr(&path, "user.mclive", &mut value).unwrap();
        assert_eq!(&value[..n], b"kept");
    }
}

#[test]
fn a_pipe_in_the_way_gives_way_by_force_alone() {
    let program = |force: bool| {
        format!("file \"@OUT@/a\" {{\n\tstate => \"exists\",\n\tcontent => \"new\",\n\tforce => {force},\n}}\n")
    };
    let case = Case::new("pipe-in-the-way", &program(false));
    let path = case.path("out/a");
    rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let refused = case.once();
    assert!(String::from_utf8_lossy(&refused.stdout).contains("is not a regular file"), "{refused:?}");
    case.program(&program(true));
    assert!(case.once().status.success());
    assert!(fs::symlink_metadata(&path).unwrap().is_file());
    assert_eq!(case.read("out/a").as_deref(), Some("new"));
}

#[test]
fn every_notation_of_a_mode_and_owners_by_number_and_name() {
    let file = |name: &str, mode: &str| {
        format!("file \"@OUT@/{name}\" {{\n\tstate => \"exists\",\n\tmode => \"{mode}\",\n}}\n")
    };
    let modes = [("a", "0640", 0o640), ("b", "u=rwx,g=rx,o=", 0o750), ("c", "a=r", 0o444), ("d", "1777", 0o1777)];
    let mut program: String = modes.iter().map(|(name, text, _)| file(name, text)).collect();
    program += "file \"@OUT@/e/\" {\n\tstate => \"exists\",\n\tmode => \"2755\",\n}\n";
    let is_root = rustix::process::geteuid().is_root();
    if is_root {
        program += "file \"@OUT@/f\" {\n\tstate => \"exists\",\n\towner => \"nobody\",\n\tgroup => \"0\",\n\tmode => \"4755\",\n}\n";
    }
    let case = Case::new("modes", &program);
    assert!(case.once().status.success());
    for (name, _, bits) in modes {
        assert_eq!(mode(&case, &format!("out/{name}")), bits, "{name}");
    }
    assert_eq!(mode(&case, "out/e"), 0o2755);
    if is_root {
        let meta = fs::metadata(case.path("out/f")).unwrap();
        assert_eq!((meta.uid(), meta.gid(), meta.mode() & 0o7777), (65534, 0, 0o4755));
    }
    let second = case.once();
    assert!(!String::from_utf8_lossy(&second.stdout).contains("\"steps\""), "a second run does nothing");
}

#[test]
fn a_parent_that_is_swapped_for_a_link_leads_nobody_astray() {
    if !rustix::process::geteuid().is_root() {
        return cannot_look("only root can create links owned by other users");
    }
    let case = Case::new(
        "swap",
        "file \"@OUT@/way/a\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n\tMeta:retry => -1,\n\tMeta:delay => 10,\n}\n",
    );
    fs::create_dir(case.path("elsewhere")).unwrap();
    fs::create_dir(case.path("out/way")).unwrap();
    let _agent = case.start();
    case.holds("out/way/a", "x");
    for _ in 0..30 {
        // It belongs to another user from the moment it exists.
        symlink(case.path("elsewhere"), case.path("link")).unwrap();
        std::os::unix::fs::lchown(case.path("link"), Some(12345), None).unwrap();
        until("the link stands there", || {
            let _ = fs::remove_dir_all(case.path("out/way"));
            fs::rename(case.path("link"), case.path("out/way")).is_ok()
        });
        std::thread::sleep(Duration::from_millis(7));
        assert_eq!(fs::read_dir(case.path("elsewhere")).unwrap().count(), 0, "written through a foreign link");
        let _ = fs::remove_file(case.path("out/way"));
        let _ = fs::create_dir(case.path("out/way"));
        std::thread::sleep(Duration::from_millis(3));
    }
    case.holds("out/way/a", "x");
}

#[test]
fn a_huge_source_is_streamed() {
    let case = Case::new("huge", "file \"@OUT@/copy\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/huge\",\n}\n");
    let size = crate::chance::times("MCLIVE_HUGE_MIB", 64) << 20;
    fs::File::create(case.path("out/huge")).unwrap().set_len(size).unwrap();
    let agent = case.start();
    until("it is copied", || fs::metadata(case.path("out/copy")).is_ok_and(|meta| meta.len() == size));
    let status = fs::read_to_string(format!("/proc/{}/status", agent.pid())).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    let peak: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    println!("{} MiB copied with {} MiB", size >> 20, peak >> 10);
    assert!(peak < 60_000, "a copy of {size} bytes took {peak} kB");
}

#[test]
fn a_purged_directory_holds_what_is_managed_and_nothing_else() {
    let program = "file \"@OUT@/d/\" {\n\tstate => \"exists\",\n\trecurse => true,\n\tpurge => true,\n}\n\
        file \"@OUT@/d/mine\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n\
        file \"@OUT@/d/sub/deep\" {\n\tstate => \"exists\",\n\tcontent => \"x\",\n}\n\
        file \"@OUT@/d/sub/\" {\n\tstate => \"exists\",\n}\n";
    let case = Case::new("purge", program);
    fs::create_dir_all(case.path("out/d/other/deep")).unwrap();
    case.write("out/d/other/deep/x", "x");
    let _agent = case.start();
    case.holds("out/d/mine", "x");
    case.holds("out/d/sub/deep", "x");
    until("what is not managed goes", || !case.path("out/d/other").exists());
    // Unmanaged entries in a managed directory are left alone.
    case.write("out/d/sub/new", "x");
    fs::create_dir(case.path("out/d/later")).unwrap();
    case.write("out/d/file", "x");
    until("what comes later goes as well", || !case.path("out/d/file").exists() && !case.path("out/d/later").exists());
    assert!(case.path("out/d/sub/new").exists());
    case.holds("out/d/mine", "x");
    case.holds("out/d/sub/deep", "x");
}

#[test]
fn links_in_directories_that_are_read_are_followed() {
    let program = "file \"@OUT@/whole\" {\n\tstate => \"exists\",\n\tfragments => [\"@OUT@/enabled/\"],\n}\n\
        file \"@OUT@/to/\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/from/\",\n\trecurse => true,\n}\n";
    let case = Case::new("followed-links", program);
    ["available", "enabled", "from/sub"]
        .iter()
        .for_each(|name| fs::create_dir_all(case.path("out").join(name)).unwrap());
    let link = |name: &str, link: &str| symlink(case.path("out/available").join(name), case.path(link)).unwrap();
    case.write("out/available/one", "1");
    case.write("out/available/two", "2");
    link("one", "out/enabled/10");
    link("two", "out/from/sub/x");
    let _agent = case.start();
    case.holds("out/whole", "1");
    case.holds("out/to/sub/x", "2");
    case.write("out/available/one", "3");
    case.holds("out/whole", "3");
    case.write("out/available/new", "4");
    fs::rename(case.path("out/available/new"), case.path("out/available/two")).unwrap();
    case.holds("out/to/sub/x", "4");
    link("two", "out/enabled/20");
    case.holds("out/whole", "34");
    case.write("out/available/two", "5");
    case.holds("out/whole", "35");
    case.holds("out/to/sub/x", "5");
}

#[test]
fn a_copied_tree_follows_its_source_also_in_directories_that_come_later() {
    let program = "file \"@OUT@/to/\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/from/\",\n\trecurse => true,\n}\n";
    let case = Case::new("copy", program);
    fs::create_dir_all(case.path("out/from/a")).unwrap();
    case.write("out/from/a/x", "1");
    let _agent = case.start();
    case.holds("out/to/a/x", "1");
    fs::create_dir_all(case.path("out/from/b/c")).unwrap();
    case.write("out/from/b/c/y", "2");
    case.holds("out/to/b/c/y", "2");
    case.write("out/from/b/c/y", "3");
    case.holds("out/to/b/c/y", "3");
    case.write("out/to/b/c/y", "spoilt");
    case.holds("out/to/b/c/y", "3");
    fs::rename(case.path("out/from/b"), case.path("out/from/moved")).unwrap();
    case.holds("out/to/moved/c/y", "3");
    until("the old name goes", || !case.path("out/to/b").exists());
}

#[test]
fn fragments_are_put_together_and_followed() {
    let program =
        "file \"@OUT@/whole\" {\n\tstate => \"exists\",\n\tfragments => [\"@OUT@/one\", \"@OUT@/parts/\"],\n}\n";
    let case = Case::new("fragments", program);
    fs::create_dir(case.path("out/parts")).unwrap();
    case.write("out/one", "1");
    case.write("out/parts/b", "3");
    case.write("out/parts/a", "2");
    let _agent = case.start();
    case.holds("out/whole", "123");
    case.write("out/parts/c", "4");
    case.holds("out/whole", "1234");
    case.write("out/one", "0");
    case.holds("out/whole", "0234");
    fs::remove_file(case.path("out/parts/a")).unwrap();
    case.holds("out/whole", "034");
}

#[test]
fn a_label_is_set_where_the_system_has_labels() {
    let label = "system_u:object_r:etc_t:s0";
    let program = format!("file \"@OUT@/a\" {{\n\tstate => \"exists\",\n\tselinux => \"{label}\",\n}}\n");
    let case = Case::new("label", &program);
    let output = case.once();
    let mut value = [0; 128];
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match rustix::fs::getxattr(case.path("out/a"), "security.selinux", &mut value) {
        Ok(n) => assert_eq!(value[..n].strip_suffix(b"\0").unwrap_or(&value[..n]), label.as_bytes(), "{said}"),
        // Elsewhere it is one clear failure.
        Err(_) => assert!(output.status.code() == Some(3) && said.contains("\"failed\""), "{said}"),
    }
}

#[test]
fn what_was_edited_or_made_comes_back_as_it_was_after_a_kill() {
    let program = "file \"@OUT@/edited\" {\n\tcontent => \"new\",\n\tMeta:reverse => true,\n}\n\
        file \"@OUT@/made\" {\n\tstate => \"exists\",\n\tcontent => \"new\",\n\tMeta:reverse => true,\n}\n\
        file \"@OUT@/gone\" {\n\tstate => \"absent\",\n\tMeta:reverse => true,\n}\n";
    let case = Case::new("reverse", program);
    case.write("out/edited", "before");
    case.write("out/gone", "was here");
    let agent = case.start();
    case.holds("out/edited", "new");
    case.holds("out/made", "new");
    until("it is gone", || !case.path("out/gone").exists());
    drop(agent); // kill -9
    case.program("noop \"other\" {}\n");
    let mut agent = case.start();
    case.holds("out/edited", "before");
    case.holds("out/gone", "was here");
    until("what was made goes", || !case.path("out/made").exists());
    assert!(agent.stop().success());
}

#[test]
fn names_that_are_no_text_are_copied_read_and_purged() {
    let program = "file \"@OUT@/to/\" {\n\tstate => \"exists\",\n\tsource => \"@OUT@/from/\",\n\trecurse => true,\n}\n\
                   file \"@OUT@/whole\" {\n\tstate => \"exists\",\n\tfragments => [\"@OUT@/from/\"],\n}\n\
                   file \"@OUT@/purged/\" {\n\tstate => \"exists\",\n\trecurse => true,\n\tpurge => true,\n}\n";
    let case = Case::new("odd-names", program);
    let odd = |below: &str, name: &[u8]| case.path(below).join(OsStr::from_bytes(name));
    for dir in [case.path("out/from"), odd("out/from", b"d\xfe"), case.path("out/purged"), odd("out/purged", b"d\xfe")]
    {
        fs::create_dir(dir).unwrap();
    }
    for (below, name) in
        [("out/from", &b"\xff"[..]), ("out/from", b"d\xfe/x"), ("out/purged", b"d\xfe/x"), ("out/purged", b"\xc3(")]
    {
        fs::write(odd(below, name), name).unwrap();
    }
    case.write("out/from/b", "b");
    assert!(case.once().status.success());
    assert_eq!(fs::read(odd("out/to", b"\xff")).unwrap(), b"\xff");
    assert_eq!(fs::read(odd("out/to", b"d\xfe/x")).unwrap(), b"d\xfe/x");
    assert_eq!(fs::read(case.path("out/whole")).unwrap(), b"b\xff");
    assert_eq!(fs::read_dir(case.path("out/purged")).unwrap().count(), 0);
}

#[test]
fn a_tree_of_any_depth_is_no_obstacle() {
    let program = "file \"@OUT@/purged/\" {\n\tstate => \"exists\",\n\trecurse => true,\n\tpurge => true,\n}\n";
    let case = Case::new("deep", program);
    fs::create_dir(case.path("out/purged")).unwrap();
    let mut dir = rustix::fs::open(case.path("out/purged"), OFlags::DIRECTORY, Mode::empty()).unwrap();
    let name = "a-name-that-makes-the-path-too-long";
    for _ in 0..500 {
        rustix::fs::mkdirat(&dir, name, Mode::from_raw_mode(0o700)).unwrap();
        dir = rustix::fs::openat(&dir, name, OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    assert!(case.once().status.success());
    assert_eq!(fs::read_dir(case.path("out/purged")).unwrap().count(), 0);
}
