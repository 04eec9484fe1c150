//! Reads states, contents, hashes and directories. Nothing here blocks on a pipe or a device.
//!
//! Contents are opened without following links of other users. Where all places may be read, states come from a plain
//! system call.

use super::place::{LOOK, Last, NO_LINKS, Place, find, locate, mtime_ns, native};
use crate::host::errno::{failed, io_failed};
use crate::policy::Permit;
use mclive_base::vocab::{FileKind, FileStat, HostError, HostErrorKind, path};
use rustix::fd::OwnedFd;
use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, openat, openat2, readlinkat, statat,
};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Returns whether the running work was stopped.
pub(super) type Stopped<'a> = &'a dyn Fn() -> bool;

/// The state of a path, or `None` if nothing exists there.
pub(crate) fn stat(permit: Permit, path: &str, follow: bool) -> Result<Option<FileStat>, HostError> {
    let (verb, flags) = if follow { ("stat", AtFlags::empty()) } else { ("lstat", AtFlags::SYMLINK_NOFOLLOW) };
    // Links of other users are not followed for a state either.
    let may_be_followed = || {
        let link = statat(CWD, &*native(path), AtFlags::SYMLINK_NOFOLLOW);
        !link.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    };
    let found = if permit.is_all() && (!follow || may_be_followed()) {
        statat(CWD, &*native(path), flags).map(|stat| (stat, target(CWD, &native(path), &stat)))
    } else {
        let last = if follow { Last::Followed } else { Last::Itself };
        let place = match locate(permit, verb, path, last) {
            Err(error) if error.kind == HostErrorKind::NotFound => return Ok(None),
            place => place?,
        };
        statat(&place.dir, &place.name, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| (stat, target(&place.dir, &place.name, &stat)))
    };
    match found {
        Ok((stat, target)) => Ok(Some(file_stat(&stat, target))),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(failed(verb, path, errno)),
    }
}

/// The target of a link.
fn target(dir: impl rustix::fd::AsFd, name: &OsStr, stat: &Stat) -> Option<String> {
    if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
        return None;
    }
    readlinkat(dir, name, Vec::new()).ok().map(|text| path::escaped(text.to_bytes()).into_owned())
}

fn file_stat(stat: &Stat, target: Option<String>) -> FileStat {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Dir,
        FileType::Symlink => FileKind::Symlink,
        _ => FileKind::Other,
    };
    FileStat {
        kind,
        mode: stat.st_mode & 0o7777,
        uid: stat.st_uid,
        gid: stat.st_gid,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime_ns: mtime_ns(stat),
        device: stat.st_dev,
        inode: stat.st_ino,
        target,
    }
}

/// Opens a regular file for reading. Anything else is an error at once: a pipe would block, a device might have side
/// effects.
pub(crate) fn open_regular(permit: Permit, path: &str) -> Result<File, HostError> {
    let (file, place) = open(permit, path, REGULAR)?;
    regular(permit, file, place, path)
}

/// The same for a relative path in a directory. Links out of the directory are not followed.
pub(crate) fn open_regular_below(permit: Permit, dir: &str, below: &str) -> Result<File, HostError> {
    let root = find(true, dir, Last::Followed).map_err(|stopped| stopped.explain("open", dir))?;
    let path = Path::new(&root.path).join(below.trim_start_matches('/'));
    let path = path::escaped(path.as_os_str().as_bytes()).into_owned();
    let place = locate(permit, "open", &path, Last::Followed)?;
    if !Path::new(&place.path).starts_with(&root.path) {
        return Err(failed("open", &path, Errno::NOENT));
    }
    let file = openat(&place.dir, &place.name, REGULAR | OFlags::NOFOLLOW, Mode::empty())
        .map_err(|errno| failed("open", &path, errno))?;
    regular(permit, file, Some(place), &path)
}

const REGULAR: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

fn regular(permit: Permit, file: OwnedFd, place: Option<Place>, path: &str) -> Result<File, HostError> {
    let stat = fstat(&file).map_err(|errno| failed("stat", path, errno))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(failed("read", path, Errno::ISDIR)),
        _ => return Err(HostError::new(HostErrorKind::Other, format!("read {path}: not a regular file"))),
    }
    if let Some(place) = place {
        permit.judge_names(stat.st_nlink, &place.path)?;
    }
    Ok(File::from(file))
}

/// Opens an entry for reading; returns its place as well if one call did not find it.
fn open(permit: Permit, path: &str, flags: OFlags) -> Result<(OwnedFd, Option<Place>), HostError> {
    let fails = |errno| failed("open", path, errno);
    if permit.is_all() {
        match openat2(CWD, &*native(path), flags, Mode::empty(), NO_LINKS) {
            Ok(file) => return Ok((file, None)),
            Err(Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {}
            Err(errno) => return Err(fails(errno)),
        }
    }
    let place = locate(permit, "open", path, Last::Followed)?;
    let file = openat(&place.dir, &place.name, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(fails)?;
    Ok((file, Some(place)))
}

/// Reads a file's content; more than `limit` bytes are an error.
pub(crate) fn read_file(permit: Permit, path: &str, limit: u64) -> Result<Vec<u8>, HostError> {
    let mut bytes = Vec::new();
    let file = open_regular(permit, path)?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| io_failed("read", path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(HostError::new(HostErrorKind::Other, format!("read {path}: more than {limit} bytes")));
    }
    Ok(bytes)
}

/// The SHA-256 of a file's content, in constant memory. A stop ends it at once.
pub(crate) fn hash_file(permit: Permit, path: &str, stopped: Stopped) -> Result<[u8; 32], HostError> {
    let mut file = open_regular(permit, path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hash.finalize().into()),
            Ok(_) if stopped() => return Err(was_stopped("read", path)),
            Ok(n) => hash.update(&buffer[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_failed("read", path, &error)),
        }
    }
}

pub(super) fn was_stopped(verb: &str, path: &str) -> HostError {
    HostError::new(HostErrorKind::Cancelled, format!("{verb} {}: stopped", path::shown(path)))
}

/// The entries of a directory, sorted by their path below it; links are not followed.
pub(crate) fn list_dir(permit: Permit, path: &str, recursive: bool) -> Result<Vec<(String, FileStat)>, HostError> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let (root, place) = open(permit, path, flags)?;
    let mut found = Vec::new();
    let mut ahead = vec![String::new()];
    while let Some(below) = ahead.pop() {
        let whole =
            || if below.is_empty() { path.to_owned() } else { format!("{}/{below}", path.trim_end_matches('/')) };
        let inner = match below.as_str() {
            "" => None,
            below => {
                if let Some(place) = &place {
                    permit.judge(Path::new(&place.path).join(&*native(below)).as_os_str(), path)?;
                }
                match open_below(&root, &native(below), flags) {
                    Ok(inner) => Some(inner),
                    // It was removed during the listing.
                    Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
                    Err(errno) => return Err(failed("open", &whole(), errno)),
                }
            }
        };
        let dir = inner.as_ref().unwrap_or(&root);
        for entry in Dir::read_from(dir).map_err(|errno| failed("readdir", &whole(), errno))? {
            let entry = entry.map_err(|errno| failed("readdir", &whole(), errno))?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(failed("lstat", &format!("{}/{}", whole(), name.to_string_lossy()), errno)),
            };
            let target = target(dir, OsStr::from_bytes(name.to_bytes()), &stat);
            let name = path::escaped(name.to_bytes());
            let relative = if below.is_empty() { name.into_owned() } else { format!("{below}/{name}") };
            let stat = file_stat(&stat, target);
            if recursive && stat.kind == FileKind::Dir {
                ahead.push(relative.clone());
            }
            found.push((relative, stat));
        }
    }
    found.sort_by(|one, other| path::native(&one.0).cmp(&path::native(&other.0)));
    Ok(found)
}

/// Opens a directory below another, without following links.
fn open_below(root: &OwnedFd, below: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    match openat2(root, below, flags, Mode::empty(), ResolveFlags::BENEATH | NO_LINKS) {
        Err(Errno::NOSYS | Errno::PERM) => {}
        opened => return opened,
    }
    let mut dir = rustix::io::dup(root)?;
    for part in Path::new(below) {
        dir = openat(&dir, part, LOOK | OFlags::DIRECTORY | OFlags::NOFOLLOW, Mode::empty())?;
    }
    openat(&dir, ".", flags, Mode::empty())
}

/// The names in a directory.
pub(super) fn names(permit: Permit, path: &str) -> Result<Vec<String>, HostError> {
    let (dir, _) = open(permit, path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
    let fails = |errno| failed("readdir", path, errno);
    let mut names = Vec::new();
    for entry in Dir::read_from(&dir).map_err(fails)? {
        let entry = entry.map_err(fails)?;
        if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
            names.push(path::escaped(entry.file_name().to_bytes()).into_owned());
        }
    }
    Ok(names)
}

/// The target of a link.
pub(crate) fn link_target(permit: Permit, path: &str) -> Result<Vec<u8>, HostError> {
    let read = match permit.is_all() {
        true => readlinkat(CWD, &*native(path), Vec::new()),
        false => {
            let place = locate(permit, "readlink", path, Last::Itself)?;
            readlinkat(&place.dir, &place.name, Vec::new())
        }
    };
    read.map(|text| text.into_bytes()).map_err(|errno| failed("readlink", path, errno))
}

/// A path without links, `.` and `..`; it must exist.
pub(crate) fn real_path(permit: Permit, path: &str) -> Result<Vec<u8>, HostError> {
    if permit.is_all() {
        let real = std::fs::canonicalize(&*native(path)).map_err(|error| io_failed("lstat", path, &error))?;
        return Ok(real.as_os_str().as_bytes().to_vec());
    }
    let place = locate(permit, "lstat", path, Last::Followed)?;
    match place.found {
        Some(_) => Ok(place.path.as_bytes().to_vec()),
        None => Err(failed("lstat", path, Errno::NOENT)),
    }
}
