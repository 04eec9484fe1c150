//! The files and directories of the state: a damaged one is moved aside.
//!
//! A file is written atomically, and starts with a checksum; once it is written, it survives a power failure. A damaged or
//! too large entry, or one that is not a file, is kept under another name with a warning and counts as missing, so that no
//! disk fault prevents a start. An entry that is unreadable for another reason is an error, since it may be intact.

use crate::host::errno::{failed, io_failed};
use crate::host::fs::{self, Bytes};
use crate::policy::Permit;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use mclive_base::vocab::{Attributes, HostError, HostErrorKind};
use rustix::fd::AsRawFd;
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, chmod, fstat, fsync, mkdirat, openat, renameat_with, statat,
};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

const MAGIC: &[u8] = b"mclive 1 ";
/// Larger files are not the agent's: a state holds at most a file that a program may write.
const LARGEST: u64 = 256 << 20;
const ASIDE: &str = ".damaged";
/// How many damaged entries of one name are kept.
const MOST_ASIDE: u32 = 9;

/// Whether damaged entries may be moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Care {
    Mend,
    /// Nothing is changed: it only counts as missing.
    LeaveAlone,
}

/// Writes a file with its checksum.
pub(super) fn write(path: &Path, content: &[u8]) -> Result<(), HostError> {
    put(path, content)?;
    keep_names(path.parent())
}

/// Writes files of one directory, by name. The disk waits for their names once, not for each of a thousand.
pub(super) fn write_all<'a>(dir: &Path, files: impl Iterator<Item = (String, &'a [u8])>) -> Result<(), HostError> {
    let mut files = files.peekable();
    if files.peek().is_none() {
        return Ok(());
    }
    let written = files.try_for_each(|(name, content)| put(&dir.join(name), content));
    // Also if one cannot be written: those before it are not written again.
    let kept = keep_names(Some(dir));
    written.and(kept)
}

/// Writes a file, whose name a power failure may take.
fn put(path: &Path, content: &[u8]) -> Result<(), HostError> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(URL_SAFE_NO_PAD.encode(Sha256::digest(content)).as_bytes());
    bytes.push(b'\n');
    bytes.extend(content);
    let attributes = Attributes::of_mode(Some(0o600));
    let write = || fs::write_file(Permit::ALL, &path.to_string_lossy(), &Bytes::These(&bytes), &attributes, 0o077);
    if kind(path)?.is_some_and(|kind| kind != FileType::RegularFile) {
        aside(path, "is not a file", Care::Mend)?;
    }
    write()
}

/// Makes the names in a directory survive a power failure: a new password or number may be in use elsewhere by then.
fn keep_names(dir: Option<&Path>) -> Result<(), HostError> {
    let Some(dir) = dir.filter(|dir| !dir.as_os_str().is_empty()) else { return Ok(()) };
    let fails = |verb: &str, errno| failed(verb, &dir.to_string_lossy(), errno);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = match openat(CWD, dir, flags, Mode::empty()) {
        // This user may not be allowed to read the directory that contains the prefix.
        Err(Errno::ACCESS) => return Ok(()),
        opened => opened.map_err(|errno| fails("open", errno))?,
    };
    match fsync(&opened) {
        // Some file systems have nothing to sync for a directory.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Ok(()),
        synced => synced.map_err(|errno| fails("fsync", errno)),
    }
}

/// The content, or `None` if it is missing or damaged.
pub(super) fn read(path: &Path, care: Care) -> Result<Option<Vec<u8>>, HostError> {
    match kind(path)? {
        None => return Ok(None),
        Some(FileType::RegularFile) => {}
        Some(_) => return aside(path, "is not a file", care).map(|()| None),
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let fails = |errno| failed("open", &path.to_string_lossy(), errno);
    let file = File::from(openat(CWD, path, flags, Mode::empty()).map_err(fails)?);
    if fstat(&file).map_err(fails)?.st_size as u64 > LARGEST {
        return aside(path, "is too large", care).map(|()| None);
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(|error| io_failed("read", &path.to_string_lossy(), &error))?;
    let content = bytes.strip_prefix(MAGIC).and_then(|rest| {
        let line = rest.iter().position(|byte| *byte == b'\n')?;
        let (hash, content) = (&rest[..line], &rest[line + 1..]);
        (URL_SAFE_NO_PAD.encode(Sha256::digest(content)).as_bytes() == hash).then(|| content.to_vec())
    });
    if content.is_none() {
        aside(path, "is damaged", care)?;
    }
    Ok(content)
}

/// Creates a directory that only its owner may enter, whatever the umask, or makes it so.
pub(super) fn own_dir(path: &Path) -> Result<(), HostError> {
    let name = path.to_string_lossy();
    let fails = |errno| failed("mkdir", &name, errno);
    for _ in 0..2 {
        match mkdirat(CWD, path, Mode::from_raw_mode(0o700)) {
            Ok(()) => keep_names(path.parent())?,
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(fails(errno)),
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = match openat(CWD, path, flags, Mode::empty()) {
            Ok(dir) => dir,
            Err(Errno::NOTDIR | Errno::LOOP) => {
                aside(path, "is not a directory", Care::Mend)?;
                continue;
            }
            Err(errno) => return Err(fails(errno)),
        };
        if fstat(&dir).map_err(fails)?.st_mode & 0o7777 != 0o700 {
            // An `O_PATH` descriptor can be changed through this name only.
            chmod(format!("/proc/self/fd/{}", dir.as_raw_fd()), Mode::from_raw_mode(0o700))
                .map_err(|errno| failed("chmod", &name, errno))?;
        }
        return Ok(());
    }
    Err(fails(Errno::NOTDIR))
}

/// Ensures that a path is a regular file or does not exist.
pub(super) fn clear(path: &Path) -> Result<(), HostError> {
    match kind(path)? {
        None | Some(FileType::RegularFile) => Ok(()),
        Some(_) => aside(path, "is not a file", Care::Mend),
    }
}

/// The entries of a directory, sorted, without temporary files. A missing directory has none.
pub(super) fn entries(dir: &Path) -> Result<Vec<PathBuf>, HostError> {
    let fails = |error: std::io::Error| io_failed("readdir", &dir.to_string_lossy(), &error);
    match kind(dir)? {
        Some(FileType::Directory) => {}
        None | Some(_) => return Ok(Vec::new()),
    }
    let entries: Result<Vec<_>, _> = std::fs::read_dir(dir).and_then(Iterator::collect).map_err(fails);
    let paths = entries?.into_iter().filter(|entry| !entry.file_name().as_encoded_bytes().starts_with(b"."));
    let mut paths: Vec<PathBuf> = paths.map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn kind(path: &Path) -> Result<Option<FileType>, HostError> {
    match statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(FileType::from_raw_mode(stat.st_mode))),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(errno) => Err(failed("lstat", &path.to_string_lossy(), errno)),
    }
}

/// Moves an entry to another name, and warns. `why`: what is wrong with it.
pub(super) fn aside(path: &Path, why: &str, care: Care) -> Result<(), HostError> {
    let place = path.display();
    if care == Care::LeaveAlone {
        crate::output::tell(&format!("mclive: warning: {place} in the agent's state {why}; treating it as missing"));
        return Ok(());
    }
    let fails = |errno| failed("rename", &path.to_string_lossy(), errno);
    let mut names = (1..=MOST_ASIDE).map(|n| match n {
        1 => format!("{place}{ASIDE}"),
        n => format!("{place}{ASIDE}-{n}"),
    });
    for name in names.clone() {
        match renameat_with(CWD, path, CWD, &name, RenameFlags::NOREPLACE) {
            Ok(()) => {
                crate::output::tell(&format!("mclive: warning: {place} in the agent's state {why}; renamed to {name}"));
                return Ok(());
            }
            Err(Errno::EXIST) => {}
            // Another process was faster.
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(fails(errno)),
        }
    }
    let last = names.next_back().unwrap_or_default();
    fs::remove(Permit::ALL, &last, true)?;
    std::fs::rename(path, &last).map_err(|error| io_failed("rename", &last, &error))?;
    crate::output::tell(&format!(
        "mclive: warning: {place} in the agent's state {why}; renamed to {last}, replacing an earlier one"
    ));
    Ok(())
}

/// Checks that only root and this user may replace entries of this directory.
pub(super) fn is_ours(dir: &Path) -> Result<(), HostError> {
    let name = dir.to_string_lossy();
    let stat = statat(CWD, dir, AtFlags::empty()).map_err(|errno| failed("stat", &name, errno))?;
    let us = rustix::process::geteuid().as_raw();
    let refuse = |why: String| Err(HostError::new(HostErrorKind::Refused, format!("{name}: {why}")));
    if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
        return Err(failed("open", &name, Errno::NOTDIR));
    }
    if stat.st_uid != us && stat.st_uid != 0 {
        return refuse(format!("it belongs to user {}, who could replace the agent's state", stat.st_uid));
    }
    if stat.st_mode & 0o022 != 0 {
        let mode = stat.st_mode & 0o7777;
        return refuse(format!("other users can write to it (mode {mode:04o}) and replace the agent's state"));
    }
    Ok(())
}
