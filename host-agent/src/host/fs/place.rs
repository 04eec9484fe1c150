//! [`Place`]: an entry of an opened directory, found without following links of other users, and permitted.
//!
//! Operations are relative to a directory that is held open, so an attacker cannot swap a part of the path, and the
//! policy judges exactly the entry that is used. Most paths contain no link: then one call of `openat2`, which refuses
//! links, finds the directory, and the place is the path as written. Other paths are walked part by part (`walk.rs`).

use super::mounts;
use super::walk::{Refused, Stopped, Walk, fields, followed};
use crate::host::errno::failed;
use crate::policy::Permit;
use mclive_base::vocab::{HostError, HostErrorKind, path};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat, openat, openat2, statat};
use rustix::io::Errno;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

pub(super) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
pub(super) const NO_LINKS: ResolveFlags = ResolveFlags::NO_SYMLINKS.union(ResolveFlags::NO_MAGICLINKS);

/// An entry of a directory; it may not exist.
#[derive(Debug)]
pub(crate) struct Place {
    pub(super) dir: OwnedFd,
    pub(super) name: OsString,
    /// The state of the entry, if known; with links followed it is never a link.
    pub(super) found: Option<Stat>,
    /// Its path: absolute, without links, `.` and `..`. Where everything is permitted it may be relative.
    pub(super) path: OsString,
}

/// How to treat a link at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Last {
    Itself,
    Followed,
}

/// Resolves a path, if the policy permits its place.
pub(crate) fn locate(permit: Permit, verb: &str, path: &str, last: Last) -> Result<Place, HostError> {
    let place = find(!permit.is_all(), path, last).or_else(|stopped| {
        // Without permission the existence of an entry is not revealed.
        if stopped.is_missing() {
            permit.judge(&stopped.place, path)?;
        }
        Err(stopped.explain(verb, path))
    })?;
    place.judge(permit, path)?;
    Ok(place)
}

impl Place {
    /// Checks the permission. `asked` is the original path.
    pub(super) fn judge(&self, permit: Permit, asked: &str) -> Result<(), HostError> {
        if permit.is_all() {
            return Ok(());
        }
        permit.judge(&self.path, asked)?;
        let mount = mounts::mount_of(&self.dir);
        // A file system mounted below a permitted folder may also exist elsewhere.
        if permit.roots(&self.path).iter().any(|root| mounts::mount_at(root) == mount) {
            return Ok(());
        }
        for alias in mounts::aliases(mount, &self.path)? {
            permit.judge_alias(&alias, &self.path, asked)?;
        }
        Ok(())
    }

    /// The other paths of the place, where its file system is mounted twice.
    pub(crate) fn aliases(&self) -> Result<Vec<OsString>, HostError> {
        mounts::aliases(mounts::mount_of(&self.dir), &self.path)
    }

    /// The path of the place; complete if that was requested.
    pub(crate) fn path(&self) -> &OsStr {
        &self.path
    }

    /// The target of a link at this place, if there is one that may be followed.
    pub(crate) fn link(&self) -> Result<Option<OsString>, Stopped> {
        let read = || -> Result<Option<OsString>, Refused> {
            let entry = match openat(&self.dir, &self.name, LOOK | OFlags::NOFOLLOW, Mode::empty()) {
                Err(Errno::NOENT) => return Ok(None),
                entry => entry?,
            };
            let stat = statat(&entry, "", AtFlags::EMPTY_PATH)?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::Symlink {
                return Ok(None);
            }
            let above = statat(&self.dir, "", AtFlags::EMPTY_PATH)?;
            followed(&entry, &stat, &above).map(Some)
        };
        read().map_err(|why| Stopped { why, place: self.path.clone() })
    }

    pub(super) fn is(&self, wanted: FileType) -> bool {
        statat(&self.dir, &self.name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == wanted)
    }
}

/// Resolves a path without checking permissions. `exactly`: with the complete path.
pub(super) fn find(exactly: bool, path: &str, last: Last) -> Result<Place, Stopped> {
    let native = native(path);
    let stop = |errno| Stopped::here(errno, &native);
    if exactly && !native.as_bytes().starts_with(b"/") {
        let here =
            std::env::current_dir().map_err(|error| stop(Errno::from_io_error(&error).unwrap_or(Errno::NOENT)))?;
        return walk(here.join(&*native).as_os_str(), last);
    }
    let Some((parent, name)) = split(&native) else { return walk(&native, last) };
    let dir = match openat2(CWD, parent, LOOK | OFlags::DIRECTORY, Mode::empty(), NO_LINKS) {
        Ok(dir) => dir,
        // The path contains a link, or the kernel lacks the call: walk part by part.
        Err(Errno::LOOP | Errno::NOSYS | Errno::PERM | Errno::AGAIN) => return walk(&native, last),
        // A missing entry is reported with its place.
        Err(Errno::NOENT | Errno::NOTDIR) if exactly => return walk(&native, last),
        Err(errno) => return Err(stop(errno)),
    };
    let mut place = Place { dir, name: name.to_owned(), found: None, path: plain(&native) };
    if last == Last::Followed {
        match statat(&place.dir, &place.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => return walk(&native, last),
            Ok(stat) => place.found = Some(stat),
            Err(Errno::NOENT) => {}
            Err(errno) => return Err(stop(errno)),
        }
    }
    Ok(place)
}

fn walk(path: &OsStr, last: Last) -> Result<Place, Stopped> {
    Walk::along(path).and_then(|mut walk| walk.end(last))
}

/// Resolves the existing part of a path, and returns the rest as written, with the places of the links on the way.
/// `None` if a link may not be followed.
pub(crate) fn lead(path: &Path) -> Option<(PathBuf, Vec<OsString>)> {
    let mut walk = Walk::along(path.as_os_str()).ok()?;
    let place = match walk.end(Last::Followed) {
        Ok(place) => place.path,
        Err(stopped) if stopped.is_missing() => stopped.place,
        Err(_) => return None,
    };
    Some((place.into(), walk.links))
}

/// Resolves the target of a link at a place, and checks its permission. A link to a directory needs permission for everything
/// in it, since paths through the link lead there.
pub(super) fn judge_target(permit: Permit, link: &Place, target: &str) -> Result<(), HostError> {
    if permit.is_all() {
        return Ok(());
    }
    permit.judge_text(target)?;
    let above = Path::new(&link.path).parent().unwrap_or(Path::new("/"));
    let ahead = above.join(&*native(target));
    match walk(ahead.as_os_str(), Last::Followed) {
        Ok(place) => {
            place.judge(permit, target)?;
            let is_dir = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            if place.found.is_some_and(is_dir) { permit.judge_below(&place.path) } else { Ok(()) }
        }
        Err(stopped) if stopped.is_missing() => permit.judge(&stopped.place, target),
        Err(stopped) => Err(stopped.explain("link to", target)),
    }
}

/// A path or name of the brain as a native string.
pub(crate) fn native(text: &str) -> Cow<'_, OsStr> {
    match path::native(text) {
        Cow::Borrowed(bytes) => Cow::Borrowed(OsStr::from_bytes(bytes)),
        Cow::Owned(bytes) => Cow::Owned(OsString::from_vec(bytes)),
    }
}

/// The directory and the name of a path; `None` if a walk is needed: it ends without a name, or contains `..`.
fn split(path: &OsStr) -> Option<(&OsStr, &OsStr)> {
    let bytes = path.as_bytes();
    let end = bytes.iter().rposition(|byte| *byte != b'/')? + 1;
    let begin = bytes[..end].iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let (above, name) = (&bytes[..begin], &bytes[begin..end]);
    if name == b"." || fields(&bytes[..end]).any(|part| part == b"..") {
        return None;
    }
    let above = if above.is_empty() { b"." } else { above };
    Some((OsStr::from_bytes(above), OsStr::from_bytes(name)))
}

/// Normalizes a path without links and `..`.
fn plain(path: &OsStr) -> OsString {
    let bytes = path.as_bytes();
    let mut place = Vec::with_capacity(bytes.len());
    for part in fields(bytes) {
        if !place.is_empty() || bytes.starts_with(b"/") {
            place.push(b'/');
        }
        place.extend_from_slice(part);
    }
    OsString::from_vec(place)
}

impl Stopped {
    pub(crate) fn explain(self, verb: &str, path: &str) -> HostError {
        let refuse = |why: &str| {
            let link = path::escaped(self.place.as_bytes()).into_owned();
            let (path, link) = (path::shown(path), path::shown(&link));
            HostError::new(
                HostErrorKind::Refused,
                format!("{verb} {path}: `{link}` is {why}; such links are not followed"),
            )
        };
        match self.why {
            Refused::System(errno) => failed(verb, path, errno),
            Refused::ForeignLink(owner) => refuse(&format!("a symbolic link owned by user {owner}")),
            Refused::MagicLink => refuse("a kernel link to an open file of a process"),
        }
    }
}

/// The time of the last change of the content, in nanoseconds since 1970.
pub(super) fn mtime_ns(stat: &Stat) -> i64 {
    stat.st_mtime.saturating_mul(1_000_000_000).saturating_add(stat.st_mtime_nsec as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_splits_where_no_walk_is_needed() {
        let parts = |path: &'static str| {
            split(OsStr::new(path)).map(|(above, name)| (above.to_str().unwrap(), name.to_str().unwrap()))
        };
        assert_eq!(parts("/a//b/"), Some(("/a//", "b")));
        assert_eq!((parts("/a"), parts("a"), parts("a/b")), (Some(("/", "a")), Some((".", "a")), Some(("a/", "b"))));
        assert_eq!(
            (parts("/"), parts(""), parts("/a/."), parts("/a/../b"), parts("/a/..")),
            (None, None, None, None, None)
        );
        assert_eq!(plain(OsStr::new("//a/./b/")), "/a/b");
    }
}
