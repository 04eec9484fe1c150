//! The other changes of files: creation, removal, links, modes and owners.

use super::place::{LOOK, Last, Place, find, judge_target, locate, native};
use super::remove::{is_dir, remove_tree};
use super::write::{ACCESS_LIST, own_name};
use crate::host::errno::failed;
use crate::policy::Permit;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Timespec, Timestamps, UTIME_OMIT, Uid, chmod, chownat, fchmod, fstat,
    mkdirat, openat, removexattr, renameat, symlinkat, unlinkat, utimensat,
};
use rustix::io::Errno;

/// Creates an empty file; an existing regular file is left unchanged.
pub(crate) fn create_file(permit: Permit, path: &str, mode: Option<u32>, umask: u32) -> Result<(), HostError> {
    permit.judge_mode(mode.unwrap_or(0), path)?;
    let place = locate(permit, "open", path, Last::Followed)?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match openat(&place.dir, &place.name, flags, Mode::from_raw_mode(0o600)) {
        Ok(file) => fchmod(&file, Mode::from_raw_mode(mode.unwrap_or(0o666 & !umask)))
            .map_err(|errno| failed("chmod", path, errno)),
        Err(Errno::EXIST) if place.is(FileType::RegularFile) => Ok(()),
        Err(errno) => Err(failed("open", path, errno)),
    }
}

/// Sets the modification time of a file. Units: seconds since 1970.
pub(crate) fn set_modified(permit: Permit, path: &str, at_s: i64) -> Result<(), HostError> {
    let place = locate(permit, "utimensat", path, Last::Followed)?;
    let at = Timespec { tv_sec: at_s, tv_nsec: 0 };
    let times = Timestamps { last_access: Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT }, last_modification: at };
    utimensat(&place.dir, &place.name, &times, AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|errno| failed("utimensat", path, errno))
}

/// Creates a directory; an existing one is left unchanged.
pub(crate) fn make_dir(
    permit: Permit,
    path: &str,
    parents: bool,
    mode: Option<u32>,
    umask: u32,
) -> Result<(), HostError> {
    let trimmed = path.trim_end_matches('/');
    if parents {
        let above = trimmed.match_indices('/').map(|(at, _)| &trimmed[..at]).filter(|above| !above.is_empty());
        for above in above {
            make_one(permit, above, None, umask)?;
        }
    }
    make_one(permit, trimmed, mode, umask)
}

/// Creates a directory where nothing exists.
pub(crate) fn make_new_dir(permit: Permit, path: &str, mode: u32) -> Result<(), HostError> {
    let place = locate(permit, "mkdir", path, Last::Itself)?;
    mkdirat(&place.dir, &place.name, Mode::from_raw_mode(mode)).map_err(|errno| failed("mkdir", path, errno))
}

fn make_one(permit: Permit, path: &str, mode: Option<u32>, umask: u32) -> Result<(), HostError> {
    if path.is_empty() {
        return Ok(());
    }
    let place = find(!permit.is_all(), path, Last::Followed).map_err(|stopped| stopped.explain("mkdir", path))?;
    // An existing directory is not changed, so it needs no permission.
    if place.found.is_some_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory) {
        return Ok(());
    }
    place.judge(permit, path)?;
    // No directory is made where a link leads: someone may have put the link there since the look at this path.
    let is_missing = place.found.is_none();
    if is_missing && find(!permit.is_all(), path, Last::Itself).is_ok_and(|itself| itself.is(FileType::Symlink)) {
        return Err(failed("mkdir", path, Errno::EXIST));
    }
    // Until it gets its mode it has fewer rights, never more.
    let first = mode.map_or(0o777, |mode| mode & 0o777) & !umask;
    match mkdirat(&place.dir, &place.name, Mode::from_raw_mode(first)) {
        Ok(()) => match mode {
            None => Ok(()),
            Some(mode) => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let dir = openat(&place.dir, &place.name, flags, Mode::empty())
                    .map_err(|errno| failed("open", path, errno))?;
                fchmod(&dir, Mode::from_raw_mode(mode & 0o7777)).map_err(|errno| failed("chmod", path, errno))
            }
        },
        Err(Errno::EXIST) if place.is(FileType::Directory) => Ok(()),
        Err(errno) => Err(failed("mkdir", path, errno)),
    }
}

/// Removes an entry; a missing one is not an error.
pub(crate) fn remove(permit: Permit, path: &str, recursive: bool) -> Result<(), HostError> {
    let never = || HostError::new(HostErrorKind::Refused, "remove /: refusing to remove the root directory");
    if path.trim_end_matches('/').is_empty() {
        return Err(never());
    }
    let place = match locate(permit, "remove", path, Last::Itself) {
        Err(error) if error.kind == HostErrorKind::NotFound => return Ok(()),
        place => place?,
    };
    if place.name == "." {
        return Err(never());
    }
    remove_entry(permit, place, path, recursive)
}

fn remove_entry(permit: Permit, place: Place, path: &str, recursive: bool) -> Result<(), HostError> {
    let fails = |errno| failed("remove", path, errno);
    match unlinkat(&place.dir, &place.name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(()),
        Err(Errno::ISDIR | Errno::PERM) if is_dir(&place.dir, &place.name) => {}
        Err(errno) => return Err(fails(errno)),
    }
    match unlinkat(&place.dir, &place.name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::NOTEMPTY | Errno::EXIST) if recursive => remove_tree(permit, place, path),
        Err(errno) => Err(fails(errno)),
    }
}

/// Creates or replaces a symbolic link; anything else in its place stays and is an error. `targets` says where it may
/// lead.
pub(crate) fn symlink(permit: Permit, targets: Permit, path: &str, target: &str) -> Result<(), HostError> {
    let place = locate(permit, "symlink", path, Last::Itself)?;
    judge_target(targets, &place, target)?;
    let fails = |errno| failed("symlink", path, errno);
    match symlinkat(&*native(target), &place.dir, &place.name) {
        Err(Errno::EXIST) => {}
        done => return done.map_err(fails),
    }
    if !place.is(FileType::Symlink) {
        return Err(fails(Errno::EXIST));
    }
    // Many links of one directory are replaced at once: each has a different temporary name.
    let own_name = own_name(&place.name);
    let own_name = own_name.as_str();
    let _ = unlinkat(&place.dir, own_name, AtFlags::empty());
    symlinkat(&*native(target), &place.dir, own_name).map_err(fails)?;
    renameat(&place.dir, own_name, &place.dir, &place.name).map_err(|errno| {
        let _ = unlinkat(&place.dir, own_name, AtFlags::empty());
        fails(errno)
    })
}

/// Sets the twelve permission bits; links are followed.
pub(crate) fn set_mode(permit: Permit, path: &str, mode: u32) -> Result<(), HostError> {
    let entry = open_changed(permit, "chmod", path, Last::Followed)?;
    // Files created in a directory with such a bit get its group, but no rights.
    let stat = fstat(&entry).map_err(|errno| failed("chmod", path, errno))?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        permit.judge_mode(mode, path)?;
    }
    // A file that is opened with `O_PATH` can be changed through this name only.
    chmod(format!("/proc/self/fd/{}", entry.as_raw_fd()), Mode::from_raw_mode(mode & 0o7777))
        .map_err(|errno| failed("chmod", path, errno))
}

/// Writes these bytes to an existing file of the kernel with one call; links are followed.
pub(crate) fn write_whole(permit: Permit, path: &str, bytes: &[u8]) -> Result<(), HostError> {
    let place = locate(permit, "write", path, Last::Followed)?;
    let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let fails = |errno| failed("write", path, errno);
    let file = openat(&place.dir, &place.name, flags, Mode::empty()).map_err(fails)?;
    permit.judge_names(fstat(&file).map_err(fails)?.st_nlink, &place.path)?;
    match rustix::io::write(&file, bytes).map_err(fails)? {
        n if n == bytes.len() => Ok(()),
        _ => Err(fails(Errno::IO)),
    }
}

/// Sets user and group; links are followed. If the user changes, access lists are removed: those of the previous owner
/// could let that owner in again. The kernel clears set-ID bits and capabilities of a file.
pub(crate) fn set_owner(permit: Permit, path: &str, uid: Option<u32>, gid: Option<u32>) -> Result<(), HostError> {
    let fails = |errno| failed("chown", path, errno);
    let entry = open_changed(permit, "chown", path, Last::Followed)?;
    let before = fstat(&entry).map_err(fails)?.st_uid;
    chownat(&entry, "", uid.map(Uid::from_raw), gid.map(Gid::from_raw), AtFlags::EMPTY_PATH).map_err(fails)?;
    if uid.is_some_and(|uid| uid != before) {
        remove_access_lists(&entry).map_err(fails)?;
    }
    Ok(())
}

/// Removes the access lists, so that only the permission bits count.
fn remove_access_lists(entry: &OwnedFd) -> Result<(), Errno> {
    let path = format!("/proc/self/fd/{}", entry.as_raw_fd());
    for list in [ACCESS_LIST, "system.posix_acl_default"] {
        match removexattr(path.as_str(), list) {
            Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::INVAL) => {}
            Err(errno) => return Err(errno),
        }
    }
    Ok(())
}

/// Opens an entry with `O_PATH` to change it in place.
pub(crate) fn open_entry(permit: Permit, verb: &str, path: &str, last: Last) -> Result<OwnedFd, HostError> {
    let place = locate(permit, verb, path, last)?;
    let entry = openat(&place.dir, &place.name, LOOK | OFlags::NOFOLLOW, Mode::empty())
        .map_err(|errno| failed(verb, path, errno))?;
    if !permit.is_all() {
        let stat = fstat(&entry).map_err(|errno| failed(verb, path, errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
            permit.judge_names(stat.st_nlink, &place.path)?;
        }
    }
    Ok(entry)
}

/// The same where a new mode, owner or label could give others access to a device.
pub(super) fn open_changed(permit: Permit, verb: &str, path: &str, last: Last) -> Result<OwnedFd, HostError> {
    let entry = open_entry(permit, verb, path, last)?;
    if !permit.lends().devices {
        let stat = fstat(&entry).map_err(|errno| failed(verb, path, errno))?;
        if matches!(FileType::from_raw_mode(stat.st_mode), FileType::BlockDevice | FileType::CharacterDevice) {
            permit.judge_device(path)?;
        }
    }
    Ok(entry)
}

/// Whether an entry may be changed in place.
pub(crate) fn may_change(permit: Permit, verb: &str, path: &str, last: Last) -> Result<(), HostError> {
    open_changed(permit, verb, path, last).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    #[test]
    fn no_directory_is_made_where_a_link_leads() {
        let dir = Scratch::new("make-dir");
        let path = |name: &str| dir.join(name).to_string_lossy().into_owned();
        let make =
            |name: &str, parents| make_dir(Permit::ALL, &path(name), parents, None, 0o022).map_err(|why| why.kind);
        std::os::unix::fs::symlink(path("none"), path("link")).unwrap();
        for (name, parents) in [("link", false), ("link/", false), ("link", true), ("link/below", true)] {
            assert_eq!(make(name, parents), Err(HostErrorKind::Exists), "{name}");
        }
        assert!(!dir.join("none").exists());
        // One that leads to a directory is as good as that directory.
        assert_eq!(make("none", false), Ok(()));
        assert_eq!(make("link/below", true), Ok(()));
        assert!(dir.join("none/below").is_dir());
    }
}
