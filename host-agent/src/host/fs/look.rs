//! Looking: states, contents, hashes, directories. Nothing here waits for a pipe or a device.

use super::place::{mtime_ns, native};
use crate::host::errno::{failed, io_failed};
use mclive_compiler::vocab::{FileKind, FileStat, HostError, HostErrorKind, path};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, Stat, fstat, openat, readlinkat, statat};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;

/// The state of a path, or `None` when nothing is there.
pub(crate) fn stat(path: &str, follow: bool) -> Result<Option<FileStat>, HostError> {
    let flags = if follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
    match statat(CWD, &*native(path), flags) {
        Ok(stat) => {
            let target = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink => readlinkat(CWD, &*native(path), Vec::new())
                    .ok()
                    .map(|text| path::escaped(text.to_bytes()).into_owned()),
                _ => None,
            };
            Ok(Some(file_stat(&stat, target)))
        }
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(failed(if follow { "stat" } else { "lstat" }, path, errno)),
    }
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

/// Opens a regular file for reading. Anything else is an error at once: a pipe would wait for a
/// writer, a device might do things.
pub(crate) fn open_regular(path: &str) -> Result<File, HostError> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = openat(CWD, &*native(path), flags, Mode::empty()).map_err(|errno| failed("open", path, errno))?;
    let stat = fstat(&file).map_err(|errno| failed("stat", path, errno))?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(File::from(file)),
        FileType::Directory => Err(failed("read", path, Errno::ISDIR)),
        _ => Err(HostError::new(HostErrorKind::Other, format!("read {path}: not a regular file"))),
    }
}

/// A file's content; more than `limit` bytes are an error.
pub(crate) fn read_file(path: &str, limit: u64) -> Result<Vec<u8>, HostError> {
    let mut bytes = Vec::new();
    let file = open_regular(path)?;
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| io_failed("read", path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(HostError::new(HostErrorKind::Other, format!("read {path}: more than {limit} bytes")));
    }
    Ok(bytes)
}

/// The SHA-256 of a file's content, in constant memory.
pub(crate) fn hash_file(path: &str) -> Result<[u8; 32], HostError> {
    let mut file = open_regular(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hash.finalize().into()),
            Ok(n) => hash.update(&buffer[..n]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(io_failed("read", path, &error)),
        }
    }
}

/// What is in a directory, sorted by its path below it; links are not followed.
pub(crate) fn list_dir(path: &str, recursive: bool) -> Result<Vec<(String, FileStat)>, HostError> {
    let mut found = Vec::new();
    let mut ahead = vec![String::new()];
    while let Some(below) = ahead.pop() {
        let dir_path =
            if below.is_empty() { path.to_owned() } else { format!("{}/{below}", path.trim_end_matches('/')) };
        let flags = OFlags::RDONLY
            | OFlags::DIRECTORY
            | OFlags::CLOEXEC
            | if below.is_empty() { OFlags::empty() } else { OFlags::NOFOLLOW };
        let dir = match openat(CWD, &*native(&dir_path), flags, Mode::empty()) {
            Ok(dir) => dir,
            // It went away while we looked.
            Err(Errno::NOENT | Errno::NOTDIR) if !below.is_empty() => continue,
            Err(errno) => return Err(failed("open", &dir_path, errno)),
        };
        for entry in Dir::read_from(&dir).map_err(|errno| failed("readdir", &dir_path, errno))? {
            let entry = entry.map_err(|errno| failed("readdir", &dir_path, errno))?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let stat = match statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                Err(Errno::NOENT) => continue,
                Err(errno) => return Err(failed("lstat", &format!("{dir_path}/{}", name.to_string_lossy()), errno)),
            };
            let target = match FileType::from_raw_mode(stat.st_mode) {
                FileType::Symlink => {
                    readlinkat(&dir, name, Vec::new()).ok().map(|text| path::escaped(text.to_bytes()).into_owned())
                }
                _ => None,
            };
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
