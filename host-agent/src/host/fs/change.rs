//! The other changes of files: making, removing, linking, modes and owners.

use super::place::{Place, locate, locate_following, native};
use super::remove::{is_dir, remove_tree};
use super::write::own_name;
use crate::host::errno::failed;
use mclive_compiler::vocab::{HostError, HostErrorKind};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, Uid, chmod, chownat, fchmod, mkdirat, openat, renameat, statat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;

/// Makes an empty file; a regular file that is there stays as it is.
pub(crate) fn create_file(path: &str, mode: Option<u32>, umask: u32) -> Result<(), HostError> {
    let place = locate_following("open", path)?;
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match openat(&place.dir, &place.name, flags, Mode::from_raw_mode(0o600)) {
        Ok(file) => fchmod(&file, Mode::from_raw_mode(mode.unwrap_or(0o666 & !umask)))
            .map_err(|errno| failed("chmod", path, errno)),
        Err(Errno::EXIST) if is(&place, FileType::RegularFile) => Ok(()),
        Err(errno) => Err(failed("open", path, errno)),
    }
}

/// Makes a directory; one that is there stays as it is.
pub(crate) fn make_dir(path: &str, parents: bool, mode: Option<u32>, umask: u32) -> Result<(), HostError> {
    let trimmed = path.trim_end_matches('/');
    if parents {
        let above = trimmed.match_indices('/').map(|(at, _)| &trimmed[..at]).filter(|above| !above.is_empty());
        for above in above {
            make_one(above, None, umask)?;
        }
    }
    make_one(trimmed, mode, umask)
}

fn make_one(path: &str, mode: Option<u32>, umask: u32) -> Result<(), HostError> {
    if path.is_empty() {
        return Ok(());
    }
    let place = locate_following("mkdir", path)?;
    match mkdirat(&place.dir, &place.name, Mode::from_raw_mode(0o777 & !umask)) {
        Ok(()) => match mode {
            None => Ok(()),
            Some(mode) => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let dir = openat(&place.dir, &place.name, flags, Mode::empty())
                    .map_err(|errno| failed("open", path, errno))?;
                fchmod(&dir, Mode::from_raw_mode(mode & 0o7777)).map_err(|errno| failed("chmod", path, errno))
            }
        },
        Err(Errno::EXIST) if is(&place, FileType::Directory) => Ok(()),
        Err(errno) => Err(failed("mkdir", path, errno)),
    }
}

fn is(place: &Place, wanted: FileType) -> bool {
    statat(&place.dir, &place.name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == wanted)
}

/// Removes what is at the path; nothing there is no error.
pub(crate) fn remove(path: &str, recursive: bool) -> Result<(), HostError> {
    if path.trim_end_matches('/').is_empty() {
        return Err(HostError::new(HostErrorKind::Refused, "remove /: this is never done"));
    }
    let place = match locate("remove", path) {
        Err(error) if error.kind == HostErrorKind::NotFound => return Ok(()),
        place => place?,
    };
    match remove_entry(place, recursive) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(failed("remove", path, errno)),
    }
}

fn remove_entry(place: Place, recursive: bool) -> Result<(), Errno> {
    match unlinkat(&place.dir, &place.name, AtFlags::empty()) {
        Err(Errno::ISDIR | Errno::PERM) if is_dir(&place.dir, &place.name) => {}
        done => return done,
    }
    match unlinkat(&place.dir, &place.name, AtFlags::REMOVEDIR) {
        Err(Errno::NOTEMPTY | Errno::EXIST) if recursive => remove_tree(place.dir, &place.name),
        done => done,
    }
}

/// Makes a symbolic link, or replaces one; anything else in its place stays and is an error.
pub(crate) fn symlink(path: &str, target: &str) -> Result<(), HostError> {
    let place = locate("symlink", path)?;
    let fails = |errno| failed("symlink", path, errno);
    match symlinkat(&*native(target), &place.dir, &place.name) {
        Err(Errno::EXIST) => {}
        done => return done.map_err(fails),
    }
    if !is(&place, FileType::Symlink) {
        return Err(fails(Errno::EXIST));
    }
    // Many links of one directory are replaced at once: each has a name of its own on the way.
    let own_name = own_name(&place.name);
    let own_name = own_name.as_str();
    let _ = unlinkat(&place.dir, own_name, AtFlags::empty());
    symlinkat(&*native(target), &place.dir, own_name).map_err(fails)?;
    renameat(&place.dir, own_name, &place.dir, &place.name).map_err(|errno| {
        let _ = unlinkat(&place.dir, own_name, AtFlags::empty());
        fails(errno)
    })
}

/// The twelve permission bits; links are followed.
pub(crate) fn set_mode(path: &str, mode: u32) -> Result<(), HostError> {
    let entry = open_entry("chmod", path)?;
    // A file that is opened only to be named can be changed through this name alone.
    chmod(format!("/proc/self/fd/{}", entry.as_raw_fd()), Mode::from_raw_mode(mode & 0o7777))
        .map_err(|errno| failed("chmod", path, errno))
}

/// User and group; links are followed.
pub(crate) fn set_owner(path: &str, uid: Option<u32>, gid: Option<u32>) -> Result<(), HostError> {
    let entry = open_entry("chown", path)?;
    chownat(&entry, "", uid.map(Uid::from_raw), gid.map(Gid::from_raw), AtFlags::EMPTY_PATH)
        .map_err(|errno| failed("chown", path, errno))
}

fn open_entry(verb: &str, path: &str) -> Result<OwnedFd, HostError> {
    let place = locate_following(verb, path)?;
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(&place.dir, &place.name, flags, Mode::empty()).map_err(|errno| failed(verb, path, errno))
}
