//! File systems that are mounted at several places: a folder below an allowed one may also exist elsewhere.

use crate::host::errno::failed;
use mclive_base::vocab::HostError;
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, StatxFlags, statx};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const TABLE: &str = "/proc/self/mountinfo";

/// The id of a mount; `None` where the kernel does not report it (before 5.8).
type MountId = Option<u64>;

/// The mount of an open directory.
pub(super) fn mount_of(dir: &OwnedFd) -> MountId {
    let stat = statx(dir, "", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID).ok()?;
    (stat.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(stat.stx_mnt_id)
}

pub(super) fn mount_at(path: &Path) -> MountId {
    let stat = statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?;
    (stat.stx_mask & StatxFlags::MNT_ID.bits() != 0).then_some(stat.stx_mnt_id)
}

/// The other paths of a place on a mount.
pub(super) fn aliases(mount: MountId, place: &OsStr) -> Result<Vec<OsString>, HostError> {
    let Some(mount) = mount else { return Ok(Vec::new()) };
    Ok(aliases_in(&table()?, mount, Path::new(place)))
}

/// A mount point below a place.
pub(super) fn below(place: &OsStr) -> Result<Option<PathBuf>, HostError> {
    let mounts = table()?;
    let found = below_in(&mounts, Path::new(place)).find(|mount| mount.is_visible());
    Ok(found.map(|mount| mount.point.clone()))
}

/// The mount points below a place, and the place itself if it is one.
pub(super) fn within(place: &OsStr) -> Result<Vec<PathBuf>, HostError> {
    let mounts = table()?;
    let within = mounts.into_iter().filter(|mount| mount.point.starts_with(place) && mount.is_visible());
    Ok(within.map(|mount| mount.point).collect())
}

fn below_in<'a>(mounts: &'a [Mount], place: &'a Path) -> impl Iterator<Item = &'a Mount> {
    mounts.iter().filter(move |mount| mount.point.as_path() != place && mount.point.starts_with(place))
}

fn table() -> Result<Vec<Mount>, HostError> {
    let table = std::fs::read(TABLE)
        .map_err(|error| failed("read", TABLE, Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    Ok(table.split(|byte| *byte == b'\n').filter_map(Mount::read).collect())
}

/// The mount points of file systems that may hang: served by another machine or a process.
pub(in crate::host) fn served_elsewhere() -> Vec<PathBuf> {
    let table = std::fs::read(TABLE).unwrap_or_default();
    let mounts = table.split(|byte| *byte == b'\n').filter_map(Mount::read);
    mounts.filter(|mount| is_served_elsewhere(&mount.kind)).map(|mount| mount.point).collect()
}

/// The mount points, and whether the file system on top there may hang. One that is mounted on demand may once it is used.
pub(in crate::host) fn mounts_on_top() -> BTreeMap<PathBuf, bool> {
    on_top(table().unwrap_or_default())
}

/// Of several at a point the later one is on top.
fn on_top(mounts: Vec<Mount>) -> BTreeMap<PathBuf, bool> {
    let may_hang = |kind: &[u8]| kind != b"autofs" && is_served_elsewhere(kind);
    mounts.into_iter().map(|mount| (mount.point, may_hang(&mount.kind))).collect()
}

fn is_served_elsewhere(kind: &[u8]) -> bool {
    const KINDS: [&str; 16] = [
        "9p",
        "afs",
        "autofs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "fuse",
        "fuseblk",
        "glusterfs",
        "lustre",
        "nfs",
        "nfs4",
        "smb3",
        "smbfs",
        "virtiofs",
    ];
    KINDS.iter().any(|known| known.as_bytes() == kind) || kind.starts_with(b"fuse.")
}

fn aliases_in(mounts: &[Mount], on: u64, place: &Path) -> Vec<OsString> {
    // It is mounted outside this process's root.
    let Some(home) = mounts.iter().find(|mount| mount.id == on) else { return Vec::new() };
    let Ok(below) = place.strip_prefix(&home.point) else { return Vec::new() };
    let inside = home.root.join(below);
    let others = mounts.iter().filter(|other| other.id != on && other.device == home.device);
    let named = others.filter_map(|other| Some(other.point.join(inside.strip_prefix(&other.root).ok()?)));
    named.filter(|alias| alias != place).map(PathBuf::into_os_string).collect()
}

/// A line of the mount table: a part of a file system, and its mount point.
struct Mount {
    id: u64,
    device: OsString,
    /// Within the file system.
    root: PathBuf,
    /// Within the file tree.
    point: PathBuf,
    /// The type of the file system.
    kind: Vec<u8>,
}

impl Mount {
    /// Another mount may cover it.
    fn is_visible(&self) -> bool {
        mount_at(&self.point).is_none_or(|id| id == self.id)
    }

    fn read(line: &[u8]) -> Option<Mount> {
        let mut fields = line.split(|byte| *byte == b' ');
        let id = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
        let device = OsString::from_vec(fields.nth(1)?.to_vec());
        let (root, point) = (unescaped(fields.next()?), unescaped(fields.next()?));
        // Skip the optional fields.
        let kind = fields.skip_while(|field| *field != b"-").nth(1).unwrap_or_default().to_vec();
        Some(Mount { id, device, root, point, kind })
    }
}

/// Decodes the octal escapes that the kernel writes for spaces, line ends and backslashes.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = match (first, after) {
            (b'\\', [high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', after @ ..]) => {
                bytes.push((high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0'));
                after
            }
            _ => {
                bytes.push(*first);
                after
            }
        };
    }
    PathBuf::from(OsStr::from_bytes(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_folder_has_the_name_of_its_home() {
        let table = "25 1 8:1 / / rw - ext4 x\n40 25 8:1 /etc /srv/a\\040b rw - ext4 x\n41 25 8:2 / /home rw - ext4 y";
        let mounts: Vec<Mount> = table.as_bytes().split(|byte| *byte == b'\n').filter_map(Mount::read).collect();
        let names = |on, place: &str| aliases_in(&mounts, on, Path::new(place));
        assert_eq!(names(40, "/srv/a b/passwd"), ["/etc/passwd"]);
        assert_eq!(names(25, "/etc/passwd"), ["/srv/a b/passwd"]);
        assert_eq!(mounts[1].kind, b"ext4");
        assert!(is_served_elsewhere(b"fuse.sshfs") && is_served_elsewhere(b"nfs4") && !is_served_elsewhere(b"ext4"));
        let below = |place: &str| below_in(&mounts, Path::new(place)).map(|mount| mount.id).collect::<Vec<_>>();
        assert_eq!((below("/"), below("/srv"), below("/srv/a b")), (vec![40, 41], vec![40], Vec::new()));
        assert!(below("/srv/a").is_empty() && below("srv").is_empty());
        assert!(names(41, "/home/x").is_empty() && names(25, "/var/x").is_empty() && names(99, "/x").is_empty());
    }

    #[test]
    fn what_is_on_top_at_a_mount_point_counts() {
        let table = "30 1 0:40 / /a rw - autofs x\n31 30 0:41 / /a rw - nfs4 x\n32 1 0:42 / /b rw - nfs x\n\
                     33 32 0:43 / /b rw - tmpfs x\n34 1 0:44 / /c rw - autofs x";
        let mounts = table.as_bytes().split(|byte| *byte == b'\n').filter_map(Mount::read).collect();
        let expect = [("/a", true), ("/b", false), ("/c", false)].map(|(point, far)| (PathBuf::from(point), far));
        assert_eq!(on_top(mounts), BTreeMap::from(expect));
    }
}
