//! A separate root: the programs and libraries of this host, read-only, with everything else empty.

use crate::embed::contract::Program;
use rustix::fs::StatVfsMountFlags;
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, mount_remount, unmount};
use rustix::thread::{CapabilitySet, remove_capability_from_bounding_set};
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

/// The agent, its program and its state within a room.
pub(super) const EXE: &str = "/run/mclive/mclive";
pub(super) const PROGRAM: &str = "/run/mclive/program";
pub(super) const STATE: &str = "/run/mclive/state";

/// Where the new root is assembled. The temporary folder of the host is hidden from the room, not changed.
const ROOT: &str = "/tmp";

/// Where the host's programs and libraries are.
const SYSTEM: [&str; 9] =
    ["usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc/alternatives", "sys/devices/system"];
const EMPTY: [&str; 12] =
    ["etc", "dev", "proc", "tmp", "run/mclive", "var/lib", "var/log", "var/tmp", "root", "home", "srv", "opt"];
const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];
const FILES: [&str; 4] = ["passwd", "group", "ld.so.cache", "localtime"];

/// Capabilities that would let root of a namespace affect the host.
const TOO_MUCH: [CapabilitySet; 6] = [
    CapabilitySet::MKNOD,
    CapabilitySet::SYS_MODULE,
    CapabilitySet::SYS_RAWIO,
    CapabilitySet::SYS_BOOT,
    CapabilitySet::SYS_TIME,
    CapabilitySet::SYSLOG,
];

/// Sets up the room of this process, whose namespaces are new, and enters it.
pub(super) fn enter(program: &Program) -> Result<(), String> {
    make(program).map_err(|error| {
        format!("{error}; --real needs namespaces: run it as root, or allow unprivileged user namespaces on this host")
    })
}

fn make(program: &Program) -> io::Result<()> {
    mount("room", ROOT, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"mode=0755")?;
    let root = Path::new(ROOT);
    for dir in EMPTY {
        fs::create_dir_all(root.join(dir))?;
    }
    for dir in SYSTEM {
        let (here, there) = (Path::new("/").join(dir), root.join(dir));
        match fs::read_link(&here) {
            Ok(target) => symlink(target, there)?,
            Err(_) if here.is_dir() => {
                fs::create_dir_all(&there)?;
                bind_read_only(&here, &there)?;
            }
            Err(_) => {}
        }
    }
    for file in FILES {
        match fs::read(Path::new("/etc").join(file)) {
            Ok(content) => fs::write(root.join("etc").join(file), content)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    fs::write(root.join("etc/nsswitch.conf"), "passwd: files\ngroup: files\nshadow: files\nhosts: files\n")?;
    fs::write(root.join("etc/hosts"), "127.0.0.1 localhost\n")?;
    for device in DEVICES {
        let there = root.join("dev").join(device);
        fs::write(&there, "")?;
        mount_bind(Path::new("/dev").join(device), &there)?;
    }
    symlink("/proc/self/fd", root.join("dev/fd"))?;
    open_to_all(&root.join("tmp"))?;
    open_to_all(&root.join("var/tmp"))?;
    for file in &program.files {
        let there = root.join(&PROGRAM[1..]).join(file.path.trim_start_matches('/'));
        fs::create_dir_all(there.parent().unwrap_or(root))?;
        fs::write(there, &file.content)?;
    }
    let exe = root.join(&EXE[1..]);
    fs::write(&exe, "")?;
    bind_read_only(Path::new("/proc/self/exe"), &exe)?;
    mount("proc", root.join("proc"), "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)?;
    // Settings below it are shared by the whole machine.
    bind_read_only(&root.join("proc/sys"), &root.join("proc/sys"))?;
    rustix::system::sethostname(b"host1")?;
    std::env::set_current_dir(root)?;
    rustix::process::pivot_root(".", ".")?;
    unmount(".", UnmountFlags::DETACH)?;
    std::env::set_current_dir("/")?;
    for capability in TOO_MUCH {
        remove_capability_from_bounding_set(capability)?;
    }
    Ok(())
}

fn open_to_all(dir: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(dir, fs::Permissions::from_mode(0o1777))
}

/// Mounts read-only. The mount keeps its other flags: without them only the host's root may remount it.
fn bind_read_only(here: &Path, there: &Path) -> io::Result<()> {
    mount_bind(here, there)?;
    let held = rustix::fs::statvfs(there)?.f_flag;
    let mut flags = MountFlags::BIND | MountFlags::RDONLY;
    for (held_flag, flag) in [
        (StatVfsMountFlags::NOSUID, MountFlags::NOSUID),
        (StatVfsMountFlags::NODEV, MountFlags::NODEV),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ] {
        if held.contains(held_flag) {
            flags |= flag;
        }
    }
    mount_remount(there, flags, c"")?;
    Ok(())
}
