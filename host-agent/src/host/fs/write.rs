//! Writes a file so that it always has either the old or the new content.
//!
//! The bytes go into a file without a name (`O_TMPFILE`), which disappears if the agent is killed. When it is complete,
//! with owner, label and mode, and synced to disk, it gets a temporary name next to its place and is renamed over it.
//! That name depends only on the place: if the agent is killed in between, the next write there, which is due because
//! the place still has the old file, removes it. So no files are left behind.

use super::copy::Copy;
use super::label;
use super::look::{Stopped, open_regular};
use super::place::{Last, Place, locate};
use crate::host::errno::{failed, io_failed};
use crate::policy::Permit;
use mclive_base::vocab::{Attributes, HostError, HostErrorKind};
use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, FileType, Gid, Mode, OFlags, Stat, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr,
    fremovexattr, fsetxattr, fstat, fsync, linkat, openat, renameat, unlinkat,
};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write;

/// The bytes to write.
pub(crate) enum Bytes<'a> {
    These(&'a [u8]),
    /// The content of another file, if it may be read.
    Of {
        path: &'a str,
        reads: Permit<'a>,
        stopped: Stopped<'a>,
    },
    /// The output of this writer.
    Written {
        by: &'a dyn Fn(&mut dyn Write) -> Result<(), HostError>,
    },
    /// The content of an open file, from its start.
    Opened {
        file: &'a File,
        stopped: Stopped<'a>,
    },
}

/// Replaces or creates a regular file, which gets its attributes before its name. Unspecified attributes of an existing
/// file are kept.
pub(crate) fn write_file(
    permit: Permit,
    path: &str,
    bytes: &Bytes,
    attributes: &Attributes,
    umask: u32,
) -> Result<(), HostError> {
    let place = locate(permit, "open", path, Last::Followed)?;
    let draft = draft(permit, &place, path, bytes, attributes, umask)?;
    draft.put(&place).map_err(|errno| failed("write", path, errno))
}

/// A complete file on disk, not yet in its place.
pub(super) struct Draft {
    pub(super) file: OwnedFd,
    /// It already has its temporary name.
    pub(super) named: bool,
    pub(super) own_name: String,
    replaces: bool,
}

/// Writes the file for a place.
pub(super) fn draft(
    permit: Permit,
    place: &Place,
    path: &str,
    bytes: &Bytes,
    attributes: &Attributes,
    umask: u32,
) -> Result<Draft, HostError> {
    let old = match place.found {
        Some(stat) => match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Some(stat),
            FileType::Directory => return Err(failed("open", path, Errno::ISDIR)),
            _ => return Err(HostError::new(HostErrorKind::Exists, format!("open {path}: not a regular file"))),
        },
        None => None,
    };
    let preserved = old.as_ref().map(|old| (old, Preserved::of(old, attributes, permit)));
    let mode = preserved.map_or(0o666 & !umask, |(old, preserved)| preserved.mode(old));
    permit.judge_mode(attributes.mode.unwrap_or(mode), path)?;
    let own_name = own_name(&place.name);
    let (file, named) = new_file(place, &own_name).map_err(|errno| failed("open", path, errno))?;
    let finish = || {
        fill(&file, bytes, path)?;
        if let Some((old, preserved)) = preserved {
            take_over(place, old, preserved, &file)
                .map_err(|errno| failed("keep owner and attributes of", path, errno))?;
        }
        give(&file, attributes, mode, path)?;
        // On failure the bytes may not be on disk: the old file stays.
        fsync(&file).map_err(|errno| failed("fsync", path, errno))
    };
    match finish() {
        Ok(()) => Ok(Draft { file, named, own_name, replaces: old.is_some() }),
        Err(error) => {
            if named {
                let _ = unlinkat(&place.dir, own_name.as_str(), AtFlags::empty());
            }
            Err(error)
        }
    }
}

/// The temporary name of a complete file before it is renamed to its place.
pub(crate) fn own_name(name: &OsStr) -> String {
    let hash = Sha256::digest(name.as_encoded_bytes());
    let hex: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{OWN_BEGIN}{hex}{OWN_END}")
}

const OWN_BEGIN: &str = ".mclive-";
const OWN_END: &str = "~";

/// Whether a directory entry may be one of the agent's temporary files. A file without a name appears as the number of
/// its inode, and its creation and removal are not reported.
pub(crate) fn may_be_own(name: &OsStr, comes_or_goes: bool) -> bool {
    let name = name.as_encoded_bytes();
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    !comes_or_goes && name.strip_prefix(b"#").is_some_and(digits)
        || name.starts_with(OWN_BEGIN.as_bytes()) && name.ends_with(OWN_END.as_bytes())
}

/// Creates a file in the directory, with a name only if the file system lacks `O_TMPFILE`.
fn new_file(place: &Place, own_name: &str) -> Result<(OwnedFd, bool), Errno> {
    let mode = Mode::from_raw_mode(0o600);
    match openat(&place.dir, ".", OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, mode) {
        Ok(file) => return Ok((file, false)),
        Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    match openat(&place.dir, own_name, flags, mode) {
        Err(Errno::EXIST) => {
            unlinkat(&place.dir, own_name, AtFlags::empty())?;
            Ok((openat(&place.dir, own_name, flags, mode)?, true))
        }
        other => other.map(|file| (file, true)),
    }
}

fn fill(file: &OwnedFd, bytes: &Bytes, path: &str) -> Result<(), HostError> {
    match bytes {
        Bytes::These(bytes) => {
            let mut rest = *bytes;
            while !rest.is_empty() {
                match rustix::io::write(file, rest) {
                    Ok(n) => rest = &rest[n..],
                    Err(Errno::INTR) => {}
                    Err(errno) => return Err(failed("write", path, errno)),
                }
            }
            Ok(())
        }
        Bytes::Of { path: source, reads, stopped } => {
            let from = open_regular(*reads, source)?;
            Copy { from: &from, to: file, source, path }.run(*stopped)
        }
        Bytes::Written { by } => {
            let copy = rustix::io::dup(file).map_err(|errno| failed("dup", path, errno))?;
            let mut out = std::io::BufWriter::with_capacity(256 << 10, File::from(copy));
            by(&mut out)?;
            out.flush().map_err(|error| io_failed("write", path, &error))
        }
        Bytes::Opened { file: from, stopped } => Copy { from, to: file, source: path, path }.run(*stopped),
    }
}

/// Which attributes of the old file are preserved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Preserved {
    All,
    /// No capabilities for other bytes unless the policy permits them, as the kernel does on a write.
    Unprivileged,
    /// The owner changes. The previous owner's access lists, set-ID bits and capabilities must not grant rights of the
    /// new owner.
    Harmless,
}

impl Preserved {
    fn of(old: &Stat, attributes: &Attributes, permit: Permit) -> Preserved {
        match attributes.uid.is_some_and(|uid| uid != old.st_uid) {
            true => Preserved::Harmless,
            false if permit.lends().capabilities => Preserved::All,
            false => Preserved::Unprivileged,
        }
    }

    fn mode(self, old: &Stat) -> u32 {
        match self {
            Preserved::All | Preserved::Unprivileged => old.st_mode & 0o7777,
            Preserved::Harmless => old.st_mode & 0o777,
        }
    }

    fn has(self, attribute: &[u8]) -> bool {
        match self {
            Preserved::All => true,
            Preserved::Unprivileged => attribute != b"security.capability",
            Preserved::Harmless => {
                attribute.starts_with(b"user.")
                    || attribute.starts_with(b"trusted.")
                    || attribute == b"security.selinux"
            }
        }
    }
}

/// The access list of a file.
pub(super) const ACCESS_LIST: &str = "system.posix_acl_access";

/// Copies the owner and extended attributes of the old file.
fn take_over(place: &Place, old: &Stat, preserved: Preserved, file: &OwnedFd) -> Result<(), Errno> {
    let new = fstat(file)?;
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
        fchown(file, Some(Uid::from_raw(old.st_uid)), Some(Gid::from_raw(old.st_gid)))?;
    }
    // It may have got a list from its directory, which may grant access to users without access to the old file.
    match fremovexattr(file, ACCESS_LIST) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP | Errno::INVAL) => {}
        Err(errno) => return Err(errno),
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    // A file that may be replaced but not read: its attributes are invisible and cannot be kept.
    let Ok(from) = openat(&place.dir, &place.name, flags, Mode::empty()) else { return Ok(()) };
    let now = fstat(&from)?;
    // It was replaced in the meantime by a file with other attributes.
    if (now.st_dev, now.st_ino, now.st_uid) != (old.st_dev, old.st_ino, old.st_uid) {
        return Err(Errno::AGAIN);
    }
    // Most files have none.
    if flistxattr(&from, &mut [0u8; 64]) == Ok(0) {
        return Ok(());
    }
    let mut names = vec![0; 64 << 10];
    let Ok(len) = flistxattr(&from, names.as_mut_slice()) else { return Ok(()) };
    for name in names[..len].split(|byte| *byte == 0).filter(|name| !name.is_empty() && preserved.has(name)) {
        let mut value = vec![0; 64 << 10];
        if let Ok(len) = fgetxattr(&from, name, value.as_mut_slice()) {
            match fsetxattr(file, name, &value[..len], XattrFlags::empty()) {
                // Reserved to the kernel, or not supported by this file system.
                Ok(()) | Err(Errno::PERM | Errno::OPNOTSUPP | Errno::ACCESS) => {}
                Err(errno) => return Err(errno),
            }
        }
    }
    Ok(())
}

/// Sets the attributes of a new file. The owner comes first, since changing it clears some mode bits.
fn give(file: &OwnedFd, attributes: &Attributes, mode: u32, path: &str) -> Result<(), HostError> {
    let Attributes { mode: wanted, uid, gid, label } = attributes;
    if uid.is_some() || gid.is_some() {
        fchown(file, uid.map(Uid::from_raw), gid.map(Gid::from_raw)).map_err(|errno| failed("chown", path, errno))?;
    }
    if let Some(label) = label {
        fsetxattr(file, label::NAME, label, XattrFlags::empty()).map_err(|errno| label::unsupported(path, errno))?;
    }
    let mode = Mode::from_raw_mode(wanted.map_or(mode, |mode| mode & 0o7777));
    fchmod(file, mode).map_err(|errno| failed("chmod", path, errno))
}

impl Draft {
    /// Renames it to its place, over anything there.
    fn put(self, place: &Place) -> Result<(), Errno> {
        if !self.named && !self.replaces {
            match self.link(place, &place.name) {
                Err(Errno::EXIST) => {}
                done => return done,
            }
        }
        self.link_own(place)?;
        let own_name = self.own_name.as_str();
        renameat(&place.dir, own_name, &place.dir, &place.name).inspect_err(|_| {
            let _ = unlinkat(&place.dir, own_name, AtFlags::empty());
        })
    }

    /// Gives it its temporary name, next to its place.
    pub(super) fn link_own(&self, place: &Place) -> Result<(), Errno> {
        if self.named {
            return Ok(());
        }
        let own_name = self.own_name.as_str();
        match self.link(place, OsStr::new(own_name)) {
            Err(Errno::EXIST) => {
                unlinkat(&place.dir, own_name, AtFlags::empty())?;
                self.link(place, OsStr::new(own_name))
            }
            done => done,
        }
    }

    pub(super) fn link(&self, place: &Place, name: &OsStr) -> Result<(), Errno> {
        let itself = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        linkat(CWD, itself.as_str(), &place.dir, name, AtFlags::SYMLINK_FOLLOW)
    }
}
