//! [`Walk`]: follows a path from the root, part by part, each opened relative to the previous one.
//!
//! Links are read and followed here, never by the kernel: only links that belong to root or to this user (a user who
//! may write to a directory must not be able to redirect the agent), and none of the links in `/proc` to open files,
//! whose text is not their target. `..` returns to the previous directory of the walk; if a directory was moved
//! in the meantime, the walk ends.

use super::place::{LOOK, Last, Place};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, PROC_SUPER_MAGIC, Stat, fstatfs, openat, readlinkat, statat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// The same limit as the kernel's.
const MAX_LINKS: usize = 40;
/// The inode number of the root of `/proc`.
const PROC_ROOT: u64 = 1;

pub(super) struct Walk {
    dir: OwnedFd,
    /// The state of the open directory.
    stat: Stat,
    /// The directories from the root to it.
    trail: Vec<Passed>,
    /// The remaining parts, last first.
    ahead: Vec<OsString>,
    /// The places of the followed links.
    pub(super) links: Vec<OsString>,
}

struct Passed {
    name: OsString,
    /// Its parent directory.
    above: Stat,
}

/// Why a walk ended, and where.
#[derive(Debug)]
pub(crate) struct Stopped {
    pub(super) why: Refused,
    /// The place that stopped it; for a missing entry, where it would be.
    pub(super) place: OsString,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Refused {
    System(Errno),
    /// A link of another user.
    ForeignLink(u32),
    /// A link in `/proc` to an open file.
    MagicLink,
}

impl Stopped {
    pub(super) fn here(errno: Errno, place: &OsStr) -> Stopped {
        Stopped { why: Refused::System(errno), place: place.to_owned() }
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self.why, Refused::System(Errno::NOENT | Errno::NOTDIR))
    }
}

impl From<Errno> for Refused {
    fn from(errno: Errno) -> Refused {
        Refused::System(errno)
    }
}

/// The parts of a path that are names, or `..`.
pub(super) fn fields(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

impl Walk {
    /// Starts at the root or the current directory.
    pub(super) fn along(path: &OsStr) -> Result<Walk, Stopped> {
        let bytes = path.as_bytes();
        if bytes.is_empty() {
            return Err(Stopped::here(Errno::NOENT, path));
        }
        let absolute = bytes.starts_with(b"/").then(|| path.to_owned());
        let absolute =
            absolute.map_or_else(|| std::env::current_dir().map(|here| here.join(path).into_os_string()), Ok);
        let begin = || -> Result<(OwnedFd, Stat, OsString), Errno> {
            let absolute = absolute.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::NOENT))?;
            let (dir, stat) = root()?;
            Ok((dir, stat, absolute))
        };
        let (dir, stat, absolute) = begin().map_err(|errno| Stopped::here(errno, path))?;
        let mut walk = Walk { dir, stat, trail: Vec::new(), ahead: Vec::new(), links: Vec::new() };
        walk.head_for(absolute.as_bytes());
        Ok(walk)
    }

    fn head_for(&mut self, path: &[u8]) {
        self.ahead.extend(fields(path).rev().map(|part| OsStr::from_bytes(part).to_owned()));
    }

    /// Walks to the end of the path.
    pub(super) fn end(&mut self, last: Last) -> Result<Place, Stopped> {
        while let Some(part) = self.ahead.pop() {
            let passed = self.pass(&part, last);
            match passed {
                Ok(None) => {}
                Ok(Some(place)) => return Ok(place),
                Err(why @ Refused::System(_)) => return Err(Stopped { why, place: self.place_ahead(&part) }),
                Err(why) => return Err(Stopped { why, place: self.place_of(Some(&part)) }),
            }
        }
        // It ended with `..`, or at the root.
        let stat = self.stat;
        let name = self.trail.last().map_or(".".into(), |passed| passed.name.clone());
        let path = self.place_of(None);
        self.back().map_err(|why| Stopped { why, place: path.clone() })?;
        Ok(Place { dir: self.taken()?, name, found: Some(stat), path })
    }

    /// Passes one part; returns the place if it is the end.
    fn pass(&mut self, part: &OsStr, last: Last) -> Result<Option<Place>, Refused> {
        if part == ".." {
            self.back()?;
            return Ok(None);
        }
        let is_last = self.ahead.is_empty();
        let end = |walk: &mut Walk, found| -> Result<Option<Place>, Refused> {
            let path = walk.place_of(Some(part));
            let dir = walk.taken().map_err(|stopped| stopped.why)?;
            Ok(Some(Place { dir, name: part.to_owned(), found, path }))
        };
        let entry = match openat(&self.dir, part, LOOK | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(entry) => entry,
            Err(Errno::NOENT) if is_last => return end(self, None),
            Err(errno) => return Err(errno.into()),
        };
        let stat = statat(&entry, "", AtFlags::EMPTY_PATH)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink if is_last && last == Last::Itself => end(self, None),
            FileType::Symlink => self.follow(part, &entry, &stat).map(|()| None),
            _ if is_last => end(self, Some(stat)),
            FileType::Directory => {
                self.trail.push(Passed { name: part.to_owned(), above: self.stat });
                (self.dir, self.stat) = (entry, stat);
                Ok(None)
            }
            _ => Err(Errno::NOTDIR.into()),
        }
    }

    fn follow(&mut self, part: &OsStr, link: &OwnedFd, stat: &Stat) -> Result<(), Refused> {
        self.links.push(self.place_of(Some(part)));
        if self.links.len() > MAX_LINKS {
            return Err(Errno::LOOP.into());
        }
        let target = followed(link, stat, &self.stat)?;
        if target.as_bytes().starts_with(b"/") {
            (self.dir, self.stat) = root()?;
            self.trail.clear();
        }
        self.head_for(target.as_bytes());
        Ok(())
    }

    /// Returns to the previous directory. The parent of the root is the root.
    fn back(&mut self) -> Result<(), Refused> {
        let Some(passed) = self.trail.pop() else { return Ok(()) };
        let above = openat(&self.dir, "..", LOOK | OFlags::DIRECTORY, Mode::empty())?;
        let stat = statat(&above, "", AtFlags::EMPTY_PATH)?;
        if (stat.st_dev, stat.st_ino) != (passed.above.st_dev, passed.above.st_ino) {
            return Err(Errno::AGAIN.into());
        }
        (self.dir, self.stat) = (above, stat);
        Ok(())
    }

    /// A duplicate of the directory's descriptor: the walk keeps its own.
    fn taken(&self) -> Result<OwnedFd, Stopped> {
        self.dir
            .as_fd()
            .try_clone_to_owned()
            .map_err(|error| Stopped::here(Errno::from_io_error(&error).unwrap_or(Errno::MFILE), &self.place_of(None)))
    }

    /// The place of an entry of the open directory, or of the directory itself.
    fn place_of(&self, part: Option<&OsStr>) -> OsString {
        written(self.trail.iter().map(|passed| passed.name.as_bytes()).chain(part.map(OsStr::as_bytes)))
    }

    /// The place of the rest of the path, assuming that its missing parts are not links.
    fn place_ahead(&self, part: &OsStr) -> OsString {
        let mut parts: Vec<&[u8]> = self.trail.iter().map(|passed| passed.name.as_bytes()).collect();
        for part in std::iter::once(part).chain(self.ahead.iter().rev().map(OsString::as_os_str)) {
            match part.as_bytes() {
                b".." => drop(parts.pop()),
                name => parts.push(name),
            }
        }
        written(parts.into_iter())
    }
}

fn written<'a>(parts: impl Iterator<Item = &'a [u8]>) -> OsString {
    let mut path = Vec::new();
    for part in parts {
        path.push(b'/');
        path.extend_from_slice(part);
    }
    if path.is_empty() {
        path.push(b'/');
    }
    OsString::from_vec(path)
}

fn root() -> Result<(OwnedFd, Stat), Errno> {
    let root = openat(CWD, "/", LOOK | OFlags::DIRECTORY, Mode::empty())?;
    let stat = statat(&root, "", AtFlags::EMPTY_PATH)?;
    Ok((root, stat))
}

/// The target of an opened link, if it may be followed. `above`: its directory.
pub(super) fn followed(link: &OwnedFd, stat: &Stat, above: &Stat) -> Result<OsString, Refused> {
    if stat.st_uid != 0 && stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(Refused::ForeignLink(stat.st_uid));
    }
    // Except in the root of `/proc`, every link there leads to an open file.
    if above.st_ino != PROC_ROOT && fstatfs(link)?.f_type == PROC_SUPER_MAGIC {
        return Err(Refused::MagicLink);
    }
    Ok(OsString::from_vec(readlinkat(link, "", Vec::new())?.into_bytes()))
}
