//! [`Place`]: an entry of an opened directory, found without following anybody else's links.
//!
//! A change is made relative to a directory that is held open, so that what an attacker swaps on the
//! way is not seen. Links on the way are followed only when they belong to root or to us: whoever
//! may write to a directory must not be able to send our write elsewhere.

use crate::host::errno::failed;
use mclive_compiler::vocab::{HostError, HostErrorKind, path};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, openat, openat2, readlinkat, statat};
use rustix::io::Errno;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
const MAX_LINKS: usize = 40;

/// An entry (which may not exist) of a directory.
pub(super) struct Place {
    pub(super) dir: OwnedFd,
    pub(super) name: OsString,
    /// What stands there, if it was looked at on the way.
    pub(super) found: Option<Stat>,
}

/// Where the path's last part stands; a link there is not followed.
pub(super) fn locate(verb: &str, path: &str) -> Result<Place, HostError> {
    let trimmed = path.trim_end_matches('/');
    let (parent, name) = match trimmed.rsplit_once('/') {
        _ if trimmed.is_empty() => ("/", "."),
        Some(("", name)) => ("/", name),
        Some((parent, name)) => (parent, name),
        None => (".", trimmed),
    };
    let dir = open_dir(&native(parent)).map_err(|refused| refused.explain(verb, path))?;
    Ok(Place { dir, name: native(name).into_owned(), found: None })
}

/// A path or name of the brain as the system has it.
pub(crate) fn native(text: &str) -> Cow<'_, OsStr> {
    match path::native(text) {
        Cow::Borrowed(bytes) => Cow::Borrowed(OsStr::from_bytes(bytes)),
        Cow::Owned(bytes) => Cow::Owned(OsString::from_vec(bytes)),
    }
}

/// The same, with links at the last part followed, as far as they may be.
pub(super) fn locate_following(verb: &str, path: &str) -> Result<Place, HostError> {
    let mut place = locate(verb, path)?;
    for _ in 0..MAX_LINKS {
        let link = match openat(&place.dir, &place.name, LOOK | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(entry) => entry,
            Err(Errno::NOENT) => return Ok(place),
            Err(errno) => return Err(failed(verb, path, errno)),
        };
        match trusted_target(&link).map_err(|refused| refused.explain(verb, path))? {
            Entry::Other(stat) => {
                place.found = Some(stat);
                return Ok(place);
            }
            Entry::Link(target) => {
                let (parent, name) = split(&target);
                let base = if target.as_bytes().starts_with(b"/") { root() } else { Ok(place.dir) };
                let dir = base
                    .map_err(Refused::from)
                    .and_then(|base| walk(base, parent))
                    .map_err(|refused| refused.explain(verb, path))?;
                place = Place { dir, name, found: None };
            }
        }
    }
    Err(failed(verb, path, Errno::LOOP))
}

/// Why a way was not taken.
pub(super) enum Refused {
    System(Errno),
    /// A link of another user.
    ForeignLink(u32),
}

impl From<Errno> for Refused {
    fn from(errno: Errno) -> Refused {
        Refused::System(errno)
    }
}

impl Refused {
    fn explain(self, verb: &str, path: &str) -> HostError {
        match self {
            Refused::System(errno) => failed(verb, path, errno),
            Refused::ForeignLink(owner) => HostError::new(
                HostErrorKind::Refused,
                format!(
                    "{verb} {}: on the way is a symbolic link of user {owner}, which is not followed for a change",
                    path::shown(path)
                ),
            ),
        }
    }
}

/// Opens a directory. Most ways hold no link at all: then this is one call.
fn open_dir(path: &OsStr) -> Result<OwnedFd, Refused> {
    let flags = LOOK | OFlags::DIRECTORY;
    match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS) {
        Ok(dir) => Ok(dir),
        // A link is on the way, or the kernel does not know the call: one step after the other.
        Err(Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN) => {
            let base =
                if path.as_bytes().starts_with(b"/") { root()? } else { openat(CWD, ".", flags, Mode::empty())? };
            walk(base, path.to_owned())
        }
        Err(errno) => Err(errno.into()),
    }
}

fn root() -> Result<OwnedFd, Errno> {
    openat(CWD, "/", LOOK | OFlags::DIRECTORY, Mode::empty())
}

/// Goes from a directory along a path, part by part.
fn walk(base: OwnedFd, path: OsString) -> Result<OwnedFd, Refused> {
    let mut dir = base;
    let mut ahead: Vec<Vec<u8>> = parts(path.as_bytes());
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        let entry = openat(&dir, OsStr::from_bytes(&part), LOOK | OFlags::NOFOLLOW, Mode::empty())?;
        let Entry::Link(target) = trusted_target(&entry)? else {
            dir = entry;
            continue;
        };
        links += 1;
        if links > MAX_LINKS {
            return Err(Errno::LOOP.into());
        }
        if target.as_bytes().starts_with(b"/") {
            dir = root()?;
        }
        ahead.extend(parts(target.as_bytes()));
    }
    // The last part may be something else than a directory; this says so.
    Ok(openat(&dir, ".", LOOK | OFlags::DIRECTORY, Mode::empty())?)
}

/// The parts of a path, last first.
fn parts(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|byte| *byte == b'/')
        .filter(|part| !part.is_empty() && *part != b".")
        .rev()
        .map(<[u8]>::to_vec)
        .collect()
}

fn split(path: &OsStr) -> (OsString, OsString) {
    let bytes = path.as_bytes();
    let bytes = match bytes.iter().rposition(|byte| *byte != b'/') {
        Some(last) => &bytes[..=last],
        None => return ("/".into(), ".".into()),
    };
    match bytes.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => (OsString::from_vec(bytes[..slash].to_vec()), OsString::from_vec(bytes[slash + 1..].to_vec())),
        None => (OsString::new(), OsString::from_vec(bytes.to_vec())),
    }
}

/// What an opened entry is.
enum Entry {
    /// The text of a link that may be followed.
    Link(OsString),
    Other(Stat),
}

fn trusted_target(entry: &impl AsFd) -> Result<Entry, Refused> {
    let stat = statat(entry, "", AtFlags::EMPTY_PATH)?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
        return Ok(Entry::Other(stat));
    }
    let us = rustix::process::geteuid().as_raw();
    if stat.st_uid != 0 && stat.st_uid != us {
        return Err(Refused::ForeignLink(stat.st_uid));
    }
    let target = readlinkat(entry, "", Vec::new())?;
    Ok(Entry::Link(OsString::from_vec(target.into_bytes())))
}

/// Nanoseconds since 1970 of the last change of the content.
pub(super) fn mtime_ns(stat: &rustix::fs::Stat) -> i64 {
    stat.st_mtime.saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec as i64)
}
