//! Edits a part of a file that other programs write too, without losing their changes.
//!
//! ```text
//! wait for no writer --> read --> write the new file beside --> still no writer, still unchanged?
//!          ^                                                            |
//!          |                                          exchange the two (RENAME_EXCHANGE)
//!          |                                                            |
//!          +-- exchange back <-- yes -- has the replaced file changed, or does a writer wait?
//!          |                                                            | no
//!          +-- its text is the source <-- yes -- did a program that had opened it write after all?
//! ```
//!
//! `writers.rs` detects writers: by leases, otherwise by changes and open files. Where files cannot be exchanged, the
//! new one is renamed over the old one right after a last check of the path: only a file that another program renames
//! to it between these two calls is lost. `tests/agent/editors.rs` runs editors with different ways of saving, with and
//! without these calls.

use super::lease::{Asked, Lease, ask};
use super::look::{Stopped, open_regular, was_stopped};
use super::place::{Last, Place, locate};
use super::write::{Bytes, Draft, draft};
use super::writers::{Quiet, has_opened, is_written};
use crate::host::errno::{failed, io_failed};
use crate::policy::Permit;
use mclive_base::vocab::{Attributes, HostError, HostErrorKind, path as paths};
use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat, fstat, linkat, openat, renameat, renameat_with, statat,
    unlinkat,
};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

/// How long to wait for a writer.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The file to edit, and how.
pub(crate) struct Editing<'a> {
    pub(crate) path: &'a str,
    pub(crate) reads: Permit<'a>,
    pub(crate) changes: Permit<'a>,
    /// For a file that does not exist yet.
    pub(crate) attributes: &'a Attributes,
    pub(crate) umask: u32,
    /// A larger file is an error. Units: bytes.
    pub(crate) limit: u64,
    pub(crate) patience: Duration,
    pub(crate) stopped: Stopped<'a>,
}

/// Replaces the text of a file by the result of `edit`; `None` leaves it unchanged. A missing file counts as empty.
/// Errors: another program keeps writing it for too long.
pub(crate) fn edit_file(editing: &Editing, edit: &dyn Fn(&[u8]) -> Option<Vec<u8>>) -> Result<(), HostError> {
    let until = Instant::now() + editing.patience;
    let mut late = None;
    let edited = attempts(editing, edit, until, &mut late);
    match (edited, late) {
        // The late text exists nowhere else.
        (Err(_), Some(Late { theirs, .. })) => Err(editing.keep(&theirs)),
        (edited, _) => edited,
    }
}

fn attempts(
    editing: &Editing,
    edit: &dyn Fn(&[u8]) -> Option<Vec<u8>>,
    until: Instant,
    late: &mut Option<Late>,
) -> Result<(), HostError> {
    loop {
        let original = editing.quiet(until)?;
        let text: &[u8] = original.as_ref().map_or(b"", |original| &original.text);
        let new = match late {
            None => edit(text),
            Some(Late { theirs, ours }) if ours == text => Some(edit(theirs).unwrap_or_else(|| theirs.clone())),
            Some(Late { theirs, .. }) => {
                let kept = Err(editing.keep(theirs));
                *late = None;
                return kept;
            }
        };
        let Some(new) = new else { return Ok(()) };
        match editing.replace(original.as_ref(), &new, until)? {
            Put::Done => {
                *late = None;
                return Ok(());
            }
            Put::Not => editing.go_on(until)?,
            Put::Late(theirs) => *late = Some(Late { theirs, ours: new }),
        }
    }
}

/// Text that another program wrote into the replaced file, and its replacement.
struct Late {
    theirs: Vec<u8>,
    ours: Vec<u8>,
}

/// A file as read while no program wrote it.
struct Original {
    file: File,
    text: Vec<u8>,
    stat: Stat,
}

/// The outcome of placing a new file.
enum Put {
    Done,
    /// The file had changed: the exchange was undone.
    Not,
    /// It is in place, and this was written into the replaced file.
    Late(Vec<u8>),
}

impl Editing<'_> {
    /// Waits until no program writes, and reads.
    fn quiet(&self, until: Instant) -> Result<Option<Original>, HostError> {
        let mut quiet = Quiet::new();
        loop {
            // Opened each time: a program may rename a new file to the path.
            let mut file = match open_regular(self.reads, self.path) {
                Err(error) if error.kind == HostErrorKind::NotFound => return Ok(None),
                file => file?,
            };
            if quiet.is_reached(&file) {
                let stat = fstat(&file).map_err(|errno| failed("stat", self.path, errno))?;
                let text = self.text(&mut file)?;
                return Ok(Some(Original { file, text, stat }));
            }
            self.go_on(until)?;
            quiet.rest();
        }
    }

    /// Errors: a stop, or the time limit was reached.
    fn go_on(&self, until: Instant) -> Result<(), HostError> {
        if (self.stopped)() {
            return Err(was_stopped("edit", self.path));
        }
        if Instant::now() < until {
            return Ok(());
        }
        let (path, waited) = (paths::shown(self.path), self.patience.as_secs());
        let why = format!(
            "edit {path}: another process has had it open for writing for {waited} s; waiting until it closes the file"
        );
        Err(HostError::new(HostErrorKind::TimedOut, why))
    }

    fn text(&self, file: &mut File) -> Result<Vec<u8>, HostError> {
        let mut text = Vec::new();
        let read = file.rewind().and_then(|()| file.take(self.limit.saturating_add(1)).read_to_end(&mut text));
        read.map_err(|error| io_failed("read", self.path, &error))?;
        if text.len() as u64 > self.limit {
            let why = format!("read {}: more than {} bytes", paths::shown(self.path), self.limit);
            return Err(HostError::new(HostErrorKind::Other, why));
        }
        Ok(text)
    }

    fn replace(&self, original: Option<&Original>, new: &[u8], until: Instant) -> Result<Put, HostError> {
        let place = locate(self.changes, "open", self.path, Last::Followed)?;
        let fails = |errno| failed("write", self.path, errno);
        let kept = Attributes::default();
        let attributes = if original.is_some() { &kept } else { self.attributes };
        let is_original = place.found.as_ref().map(id) == original.map(|original| id(&original.stat));
        if !is_original {
            return Ok(Put::Not);
        }
        let draft = match draft(self.changes, &place, self.path, &Bytes::These(new), attributes, self.umask) {
            // It was removed or replaced while its attributes were read.
            Err(_) if !stands(&place, original) => return Ok(Put::Not),
            draft => draft?,
        };
        let Some(original) = original else {
            return match draft.put_new(&place) {
                Ok(()) => Ok(Put::Done),
                Err(Errno::EXIST) => Ok(Put::Not),
                Err(errno) => Err(fails(errno)),
            };
        };
        let (name, ours) = draft.name(&place).map_err(fails)?;
        let put = self.exchange(&place, (&name, &ours, new), original, until);
        // This name may belong to the other program's file, which must not be removed.
        let left = statat(&place.dir, name.as_str(), AtFlags::SYMLINK_NOFOLLOW);
        if left.is_ok_and(|left| fstat(&ours).is_ok_and(|ours| id(&ours) == id(&left))) {
            let _ = unlinkat(&place.dir, name.as_str(), AtFlags::empty());
        }
        put
    }

    /// `name`, next to the original, is the new file `ours` with the text `new`.
    fn exchange(
        &self,
        place: &Place,
        (name, ours, new): (&str, &File, &[u8]),
        original: &Original,
        until: Instant,
    ) -> Result<Put, HostError> {
        let fails = |errno| failed("write", self.path, errno);
        let lease = match ask(&original.file) {
            Asked::Granted(lease) => Some(lease),
            Asked::Written => return Ok(Put::Not),
            // Writing the new file took a while.
            Asked::Unknown if is_written(&original.file) => return Ok(Put::Not),
            Asked::Unknown => None,
        };
        // From here on other writers wait until the lease ends.
        if !stands(place, Some(original)) || self.text(&mut again(&original.file, self.path)?)? != original.text {
            return Ok(Put::Not);
        }
        let swap = || renameat_with(&place.dir, name, &place.dir, &place.name, RenameFlags::EXCHANGE);
        match swap() {
            Ok(()) => {}
            Err(Errno::NOENT) => return Ok(Put::Not),
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                // Reading the text took a while as well.
                if lease.as_ref().is_some_and(Lease::is_wanted) || !stands(place, Some(original)) {
                    return Ok(Put::Not);
                }
                renameat(&place.dir, name, &place.dir, &place.name).map_err(fails)?;
                let theirs = match self.written(lease, &original.file, &original.text, until) {
                    // It has no name any more: what was written so far is all that can be taken in.
                    Err(_) => {
                        Some(self.text(&mut again(&original.file, self.path)?)?).filter(|it| *it != original.text)
                    }
                    theirs => theirs?,
                };
                return Ok(theirs.map_or(Put::Done, Put::Late));
            }
            Err(errno) => return Err(fails(errno)),
        }
        let of_ours = match ask(ours) {
            Asked::Granted(lease) => Some(lease),
            Asked::Written | Asked::Unknown => None,
        };
        let is_theirs =
            statat(&place.dir, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| id(&stat) != id(&original.stat));
        if is_theirs || lease.as_ref().is_some_and(Lease::is_wanted) {
            // If a program has opened the new file in the meantime, taking it away would lose its changes.
            let is_ours_opened = of_ours.as_ref().is_none_or(Lease::is_wanted) && lease.is_some();
            if is_ours_opened || swap().is_err() {
                return self.conflict(place, name, &original.stat);
            }
            drop(lease);
            // Or it opened it just before the second exchange.
            return match self.written(of_ours, ours, new, until) {
                Ok(None) => Ok(Put::Not),
                Ok(Some(_)) | Err(_) => self.conflict(place, name, &fstat(ours).map_err(fails)?),
            };
        }
        match self.written(lease, &original.file, &original.text, until) {
            Ok(theirs) => {
                let removed = unlinkat(&place.dir, name, AtFlags::empty()).map_err(fails);
                theirs.map_or_else(|| removed.map(|()| Put::Done), |theirs| Ok(Put::Late(theirs)))
            }
            // It is still being written: it keeps a name.
            Err(_) => self.conflict(place, name, &original.stat),
        }
    }

    /// What another program has written to a file that lost its place, instead of `text`. Errors: it is still writing,
    /// and the time limit was reached.
    fn written(
        &self,
        lease: Option<Lease>,
        file: &File,
        text: &[u8],
        until: Instant,
    ) -> Result<Option<Vec<u8>>, HostError> {
        if !has_opened(lease) {
            return Ok(None);
        }
        // Waiting programs now continue in that file.
        let mut quiet = Quiet::new();
        while !quiet.is_reached(file) {
            if let Err(error) = self.go_on(until) {
                if is_written(file) {
                    return Err(error);
                }
                break;
            }
            quiet.rest();
        }
        let now = self.text(&mut again(file, self.path)?)?;
        Ok((now != text).then_some(now))
    }

    /// Two programs wrote at once, one to the old file and one to the new one. The old one is kept under another name.
    fn conflict(&self, place: &Place, name: &str, stat: &Stat) -> Result<Put, HostError> {
        let fails = |errno| failed("rename", self.path, errno);
        let mut n = 0;
        loop {
            let mut kept = place.name.clone();
            kept.push(format!(".mclive-{}{}", stat.st_ino, if n == 0 { String::new() } else { format!("-{n}") }));
            match renameat_with(&place.dir, name, &place.dir, &kept, RenameFlags::NOREPLACE) {
                // An earlier one is still there.
                Err(Errno::EXIST) => n += 1,
                Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                    renameat(&place.dir, name, &place.dir, &kept).map_err(fails)?;
                    return Err(self.two_wrote(&kept.to_string_lossy()));
                }
                renamed => {
                    renamed.map_err(fails)?;
                    return Err(self.two_wrote(&kept.to_string_lossy()));
                }
            }
        }
    }

    /// The same when one of them has finished: its text goes into a separate file.
    fn keep(&self, theirs: &[u8]) -> HostError {
        let write = || {
            let place = locate(self.changes, "open", self.path, Last::Followed)?;
            let draft = draft(self.changes, &place, self.path, &Bytes::These(theirs), &Attributes::default(), 0o077)?;
            let stat = draft.stat().map_err(|errno| failed("stat", self.path, errno))?;
            let (name, _) = draft.name(&place).map_err(|errno| failed("write", self.path, errno))?;
            self.conflict(&place, &name, &stat)
        };
        write().err().unwrap_or_else(|| self.two_wrote("?"))
    }

    fn two_wrote(&self, kept: &str) -> HostError {
        let path = paths::shown(self.path);
        let why = format!(
            "edit {path}: two other processes wrote it at the same time; the content from one of them was saved to {kept}"
        );
        HostError::new(HostErrorKind::Other, why)
    }
}

/// The identity of a file.
fn id(stat: &Stat) -> (u64, u64) {
    (stat.st_dev, stat.st_ino)
}

/// Whether the path still leads to the original.
fn stands(place: &Place, original: Option<&Original>) -> bool {
    let now = statat(&place.dir, &place.name, AtFlags::SYMLINK_NOFOLLOW).ok();
    let is_regular = now.as_ref().is_none_or(|now| FileType::from_raw_mode(now.st_mode) == FileType::RegularFile);
    is_regular && now.as_ref().map(id) == original.map(|original| id(&original.stat))
}

/// The same open file.
fn again(file: &File, path: &str) -> Result<File, HostError> {
    file.try_clone().map_err(|error| io_failed("dup", path, &error))
}

impl Draft {
    /// Puts it where nothing exists.
    fn put_new(self, place: &Place) -> Result<(), Errno> {
        if !self.named {
            return self.link(place, &place.name);
        }
        let own_name = self.own_name.as_str();
        let put = renameat_with(&place.dir, own_name, &place.dir, &place.name, RenameFlags::NOREPLACE);
        let put = match put {
            Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                linkat(&place.dir, own_name, &place.dir, &place.name, AtFlags::empty())
            }
            put => put,
        };
        // After a rename it has no such name.
        let _ = unlinkat(&place.dir, own_name, AtFlags::empty());
        put
    }

    /// Gives it its temporary name, and closes it for writing.
    fn name(self, place: &Place) -> Result<(String, File), Errno> {
        self.link_own(place)?;
        let Draft { file, own_name, .. } = self;
        let itself = format!("/proc/self/fd/{}", file.as_raw_fd());
        // Without the right to read it, it stays open for writing, and a lease is never granted.
        let reader = openat(CWD, itself.as_str(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty());
        Ok((own_name, File::from(reader.unwrap_or(file))))
    }

    fn stat(&self) -> Result<Stat, Errno> {
        fstat(&self.file)
    }
}

#[cfg(test)]
mod tests;
