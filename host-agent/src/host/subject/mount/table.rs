//! The kernel's table of mounts, `/proc/self/mountinfo`.

use crate::host::io_failed;
use mclive_base::vocab::HostError;
use mclive_base::vocab::fstab::unescaped;
use mclive_base::vocab::mount::Mounted;
use mclive_base::vocab::path::escaped;
use std::collections::HashSet;

/// `statfs(2)`.
const TMPFS_MAGIC: i64 = 0x0102_1994;

pub(super) const FILE: &str = "/proc/self/mountinfo";

pub(super) fn read() -> Result<Vec<Mounted>, HostError> {
    let text = std::fs::read(FILE).map_err(|error| io_failed("open", FILE, &error))?;
    let lines = text.split(|byte| *byte == b'\n');
    let mut mounts: Vec<Mounted> = lines.filter_map(|line| mounted(&escaped(line))).collect();
    let mut covered = HashSet::new();
    for mounted in mounts.iter_mut().rev() {
        let is_top = covered.insert(mounted.target.clone());
        if is_top && mounted.kind == "tmpfs" {
            mounted.options.extend(left_out(mounted));
        }
    }
    Ok(mounts)
}

/// The limits of a file system in memory: the kernel leaves out its defaults, which depend on the memory.
fn left_out(mounted: &Mounted) -> Vec<String> {
    let shows = |key: &str| mounted.options.iter().any(|option| option.starts_with(key));
    let (has_size, has_inodes) = (shows("size="), shows("nr_inodes="));
    if has_size && has_inodes {
        return Vec::new();
    }
    let Ok(stat) = rustix::fs::statfs(mounted.target.as_str()) else { return Vec::new() };
    // Another file system may lie over one of its parents.
    if stat.f_type != TMPFS_MAGIC {
        return Vec::new();
    }
    let size = (!has_size).then(|| format!("size={}k", stat.f_blocks * (stat.f_bsize as u64 / 1024)));
    let inodes = (!has_inodes).then(|| format!("nr_inodes={}", stat.f_files));
    size.into_iter().chain(inodes).collect()
}

/// `36 35 98:0 /root /target rw,noatime shared:1 - ext4 /dev/vda rw,errors=continue`.
fn mounted(line: &str) -> Option<Mounted> {
    let (of_mount, of_system) = line.split_once(" - ")?;
    let mut of_mount = of_mount.split(' ').skip(4);
    let (target, flags) = (unescaped(of_mount.next()?), of_mount.next()?);
    let mut of_system = of_system.split(' ');
    let (kind, source, more) = (of_system.next()?.to_owned(), unescaped(of_system.next()?), of_system.next()?);
    let mut options: Vec<String> = flags.split(',').chain(more.split(',')).map(unescaped).collect();
    // Read-only is a flag of the mount, and those come first.
    let is_read_only = options.first().is_some_and(|first| first == "ro");
    options.retain(|option| !matches!(option.as_str(), "ro" | "rw"));
    options.insert(0, if is_read_only { "ro".into() } else { "rw".into() });
    Some(Mounted { target, source: real(&source), kind, options })
}

/// Resolves links to a device, and a loop device to its file.
fn real(source: &str) -> String {
    if !source.starts_with('/') {
        return source.to_owned();
    }
    let device =
        std::fs::canonicalize(source).map_or_else(|_| source.to_owned(), |path| path.to_string_lossy().into_owned());
    let backing = device.strip_prefix("/dev/loop").map(|number| format!("/sys/block/loop{number}/loop/backing_file"));
    let backing = backing.and_then(|file| std::fs::read_to_string(file).ok());
    backing.map_or(device, |file| file.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_mount() {
        let line = r"36 35 98:0 / /srv/my\040data ro,noatime shared:1 - tmpfs none rw,size=1024k";
        let expect = Mounted {
            target: "/srv/my data".into(),
            source: "none".into(),
            kind: "tmpfs".into(),
            options: ["ro", "noatime", "size=1024k"].map(String::from).into(),
        };
        assert_eq!(mounted(line), Some(expect));
        assert_eq!(mounted("36 35 98:0"), None);
        // As every path that is not UTF-8.
        let line = escaped(b"36 35 98:0 / /srv/\xff\\040x rw - tmpfs none rw");
        assert_eq!(mounted(&line).unwrap().target, "/srv/\0ff x");
    }
}
