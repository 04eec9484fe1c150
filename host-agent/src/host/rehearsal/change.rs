//! The predicted outcome of a file step, and the state after it.

use super::look::{body, content, list};
use super::tree::{Body, Node, Spot, Tree};
use crate::host::errno::failed;
use crate::host::fs::{self, Last, native};
use crate::host::subject::{Context, judge_table, warn_of_later};
use crate::policy::Permit;
use mclive_base::vocab::file::{Attributes, Step};
use mclive_base::vocab::path::clean;
use mclive_base::vocab::{Content, FileKind, FileStat, HostError, HostErrorKind};
use rustix::fs::{Access, AtFlags, CWD, PROC_SUPER_MAGIC, StatxAttributes, StatxFlags, accessat, statfs, statx};
use rustix::io::Errno;
use std::path::Path;

/// The maximum size of a file to edit.
const LARGEST: u64 = 64 << 20;
/// What a replaced file frees beyond its size. Units: bytes.
const ROUNDING: u64 = 64 << 10;

pub(super) fn step(tree: &mut Tree, at: &Context, step: &Step) -> Result<(), HostError> {
    let mut stage = Stage::new(tree, at);
    match step {
        Step::Write { path, content, attributes } => {
            let (body, size) = match content {
                Content::Bytes(bytes) => (Body::Bytes(bytes.clone()), bytes.len() as u64),
                Content::CopyOf(source) => {
                    let (body, size) = stage.copied(at, source)?;
                    stage.has_room(source, path, &body)?;
                    (body, size)
                }
            };
            stage.write(path, body, size, attributes)?;
            if let (Content::Bytes(text), "sysctl") = (content, &*at.id.kind) {
                warn_of_later(at, path, text, &|file| stage.tree.is_touched(file));
            }
            Ok(())
        }
        Step::Edit { path, edit, mode } => {
            stage.permit = judge_table(at, path, edit, true)?.unwrap_or(stage.permit);
            let spot = stage.tree.find("open", path, Last::Followed)?;
            let (old, attributes) = match &spot.found {
                None => (Vec::new(), Attributes::of_mode(*mode)),
                Some(_) => (content(stage.tree, &spot, path, LARGEST)?, Attributes::default()),
            };
            match edit.apply(&old) {
                Some(new) => {
                    let size = new.len() as u64;
                    stage.write(path, Body::Bytes(new), size, &attributes)
                }
                None => Ok(()),
            }
        }
        Step::Create { path, mode } => stage.create(path, *mode),
        Step::MakeDir { path, parents, mode } => {
            let trimmed = path.trim_end_matches('/');
            if *parents {
                let above = trimmed.match_indices('/').map(|(at, _)| &trimmed[..at]).filter(|above| !above.is_empty());
                above.into_iter().try_for_each(|above| stage.make_dir(above, None))?;
            }
            stage.make_dir(trimmed, *mode)
        }
        Step::Remove { path, recursive } => stage.remove(path, *recursive),
        Step::Symlink { path, target } => stage.symlink(path, target, at.shared.policy.targets()),
        Step::SetMode { path, mode } => stage.attribute("chmod", path, Last::Followed, |node| {
            node.stat.mode = mode & 0o7777;
        }),
        Step::SetOwner { path, uid, gid } => stage.attribute("chown", path, Last::Followed, |node| {
            let stat = &mut node.stat;
            (stat.uid, stat.gid) = (uid.unwrap_or(stat.uid), gid.unwrap_or(stat.gid));
            // The kernel clears the set-ID bits of a file.
            if stat.kind == FileKind::File {
                stat.mode &= !0o6000;
            }
        }),
        Step::SetLabel { path, label } => {
            stage.attribute("label", path, Last::Itself, |node| node.label.clone_from(label))
        }
    }
}

/// A file could be created or replaced at this path.
pub(super) fn takes_file(tree: &mut Tree, at: &Context, path: &str) -> Result<(), HostError> {
    Stage::new(tree, at).seat(path).map(drop)
}

/// The file exists and may be read.
pub(super) fn is_readable(tree: &mut Tree, at: &Context, path: &str) -> Result<(), HostError> {
    Stage::new(tree, at).copied(at, path).map(drop)
}

/// Errors: the host's file at a place is immutable or append-only (`chattr +i`, `+a`), which stops even root.
fn immutable(verb: &str, path: &str, place: &str) -> Result<(), HostError> {
    let flags = AtFlags::EACCESS | AtFlags::SYMLINK_NOFOLLOW;
    let access = accessat(CWD, &*native(place), Access::WRITE_OK, flags);
    match access == Err(Errno::PERM) || attributes(place).contains(StatxAttributes::APPEND) {
        true => Err(failed(verb, path, Errno::PERM)),
        false => Ok(()),
    }
}

/// Errors: something is mounted at a place of the host, which can then be neither replaced nor removed.
fn mounted(verb: &str, path: &str, place: &str) -> Result<(), HostError> {
    match attributes(place).contains(StatxAttributes::MOUNT_ROOT) {
        true => Err(failed(verb, path, Errno::BUSY)),
        false => Ok(()),
    }
}

/// What the host knows of a place beyond its mode; nothing where the kernel does not say.
fn attributes(place: &str) -> StatxAttributes {
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT;
    let stat = statx(CWD, &*native(place), flags, StatxFlags::TYPE);
    stat.map_or(StatxAttributes::empty(), |stat| stat.stx_attributes)
}

struct Stage<'a> {
    tree: &'a mut Tree,
    permit: Permit<'a>,
    umask: u32,
}

impl<'a> Stage<'a> {
    fn new(tree: &'a mut Tree, at: &Context<'a>) -> Stage<'a> {
        Stage { tree, permit: at.shared.policy.changes(), umask: at.shared.umask }
    }

    /// Resolves the place of a step, if it is permitted.
    fn locate(&self, verb: &str, path: &str, last: Last) -> Result<Spot, HostError> {
        let spot = self.tree.find(verb, path, last)?;
        // An untouched place is resolved on the host as in a run, including its policy.
        match spot.is_touched {
            true => self.permit.judge(&native(&spot.place), path)?,
            false => drop(fs::locate(self.permit, verb, path, last)?),
        }
        Ok(spot)
    }

    /// Checks that an entry may be added to, or removed from, the directory of a place.
    fn opens(&self, verb: &str, path: &str, spot: &Spot) -> Result<(), HostError> {
        let above = spot.place.rfind('/').map_or("/", |slash| &spot.place[..slash.max(1)]);
        if self.tree.has(above) || self.tree.is_anew(above) {
            return Ok(());
        }
        // The kernel makes the entries of `/proc` and `/sys`.
        if statfs(&*native(above)).is_ok_and(|fs| [PROC_SUPER_MAGIC, 0x6265_6572].contains(&fs.f_type)) {
            return Err(failed(verb, path, Errno::NOENT));
        }
        accessat(CWD, &*native(above), Access::WRITE_OK | Access::EXEC_OK, AtFlags::EACCESS)
            .map_err(|errno| failed(verb, path, errno))
    }

    /// Checks that the host's file at a place is not immutable.
    fn is_mutable(&self, verb: &str, path: &str, spot: &Spot) -> Result<(), HostError> {
        if spot.is_touched || spot.found.is_none() {
            return Ok(());
        }
        immutable(verb, path, &spot.place)
    }

    /// The same, and that nothing is mounted there.
    fn is_replaceable(&self, verb: &str, path: &str, spot: &Spot) -> Result<(), HostError> {
        self.is_mutable(verb, path, spot)?;
        if spot.is_touched || spot.found.is_none() || self.tree.unmounted.contains(&spot.place) {
            return Ok(());
        }
        mounted(verb, path, &spot.place)
    }

    /// The content of another file, which may be read.
    fn copied(&self, at: &Context, source: &str) -> Result<(Body, u64), HostError> {
        let spot = self.tree.find("open", source, Last::Followed)?;
        at.shared.policy.reads().judge(&native(&spot.place), source)?;
        let size = spot.found.as_ref().map_or(0, |stat| stat.size);
        Ok((body(self.tree, &spot, source)?, size))
    }

    /// Errors: a copy of the host's file certainly does not fit on its disk.
    fn has_room(&self, source: &str, path: &str, body: &Body) -> Result<(), HostError> {
        let Body::As(from) = body else { return Ok(()) };
        let spot = self.seat(path)?;
        let place = native(&spot.place);
        // Planned directories will be on the disk of the nearest one that exists.
        match Path::new(&place).ancestors().skip(1).find(|above| above.is_dir()) {
            Some(above) => fs::foresee_room(&native(from), above, self.tree.freed, (source, path)),
            None => Ok(()),
        }
    }

    /// The place of a file that would be created or replaced.
    fn seat(&self, path: &str) -> Result<Spot, HostError> {
        let spot = self.locate("open", path, Last::Followed)?;
        match &spot.found {
            None => {}
            Some(stat) => match stat.kind {
                FileKind::File => self.is_replaceable("open", path, &spot)?,
                FileKind::Dir => return Err(failed("open", path, Errno::ISDIR)),
                FileKind::Symlink | FileKind::Other => {
                    return Err(HostError::new(HostErrorKind::Exists, format!("open {path}: not a regular file")));
                }
            },
        }
        self.opens("open", path, &spot)?;
        Ok(spot)
    }

    fn write(&mut self, path: &str, body: Body, size: u64, attributes: &Attributes) -> Result<(), HostError> {
        let spot = self.seat(path)?;
        let mut stat = self.tree.new_stat(FileKind::File, 0o666 & !self.umask, size, None);
        if let Some(old) = &spot.found {
            (stat.mode, stat.uid, stat.gid) = (old.mode, old.uid, old.gid);
            self.tree.freed = self.tree.freed.saturating_add(old.size).saturating_add(ROUNDING);
        }
        if attributes.uid.is_some_and(|uid| uid != stat.uid) {
            // The previous owner's set-ID bits must not grant rights of the new owner.
            stat.mode &= 0o777;
        }
        stat.mode = attributes.mode.unwrap_or(stat.mode);
        self.permit.judge_mode(stat.mode, path)?;
        self.may_give(path, &stat, attributes)?;
        (stat.uid, stat.gid) = (attributes.uid.unwrap_or(stat.uid), attributes.gid.unwrap_or(stat.gid));
        self.tree.put(&spot.place, Node { stat, body, label: attributes.label.clone() });
        Ok(())
    }

    /// Only root may change the owner of a file.
    fn may_give(&self, path: &str, stat: &FileStat, attributes: &Attributes) -> Result<(), HostError> {
        let gives = attributes.uid.is_some_and(|uid| uid != stat.uid);
        if gives && !rustix::process::geteuid().is_root() {
            return Err(failed("chown", path, Errno::PERM));
        }
        Ok(())
    }

    fn create(&mut self, path: &str, mode: Option<u32>) -> Result<(), HostError> {
        self.permit.judge_mode(mode.unwrap_or(0), path)?;
        let spot = self.locate("open", path, Last::Followed)?;
        match &spot.found {
            Some(stat) if stat.kind == FileKind::File => return Ok(()),
            Some(_) => return Err(failed("open", path, Errno::EXIST)),
            None => {}
        }
        self.opens("open", path, &spot)?;
        let stat = self.tree.new_stat(FileKind::File, mode.unwrap_or(0o666 & !self.umask), 0, None);
        self.tree.put(&spot.place, Node { stat, body: Body::Bytes(Vec::new()), label: None });
        Ok(())
    }

    fn make_dir(&mut self, path: &str, mode: Option<u32>) -> Result<(), HostError> {
        if path.is_empty() {
            return Ok(());
        }
        let spot = self.tree.find("mkdir", path, Last::Followed)?;
        match &spot.found {
            // An existing directory is not changed, so it needs no permission.
            Some(stat) if stat.kind == FileKind::Dir => return Ok(()),
            Some(_) => return Err(failed("mkdir", path, Errno::EXIST)),
            None => {}
        }
        let spot = self.locate("mkdir", path, Last::Followed)?;
        // No directory is made where a link leads.
        if self.tree.find("mkdir", path, Last::Itself)?.found.is_some() {
            return Err(failed("mkdir", path, Errno::EXIST));
        }
        self.opens("mkdir", path, &spot)?;
        let stat = self.tree.new_stat(FileKind::Dir, mode.unwrap_or(0o777 & !self.umask) & 0o7777, 4096, None);
        self.tree.put(&spot.place, Node { stat, body: Body::NewDir, label: None });
        Ok(())
    }

    fn remove(&mut self, path: &str, recursive: bool) -> Result<(), HostError> {
        let spot = match self.locate("remove", path, Last::Itself) {
            Err(error) if error.kind == HostErrorKind::NotFound => return Ok(()),
            spot => spot?,
        };
        if spot.place == "/" {
            return Err(HostError::new(HostErrorKind::Refused, "remove /: refusing to remove the root directory"));
        }
        let Some(stat) = &spot.found else { return Ok(()) };
        self.opens("remove", path, &spot)?;
        self.is_replaceable("remove", path, &spot)?;
        if stat.kind == FileKind::Dir {
            let inside = list(self.tree, &spot, path, recursive)?;
            if !recursive && !inside.is_empty() {
                return Err(failed("remove", path, Errno::NOTEMPTY));
            }
            fs::judge_mounts(&native(&spot.place), path, &self.tree.unmounted)?;
            for (below, _) in inside {
                let place = format!("{}/{below}", spot.place);
                self.permit.judge(&native(&place), path)?;
                if !self.tree.has(&place) && !self.tree.is_anew(&place) {
                    immutable("remove", path, &place)?;
                }
            }
        }
        self.tree.remove(&spot.place);
        self.tree.freed = u64::MAX;
        Ok(())
    }

    fn symlink(&mut self, path: &str, target: &str, targets: Permit) -> Result<(), HostError> {
        let spot = self.locate("symlink", path, Last::Itself)?;
        if !targets.is_all() {
            let above = spot.place.rfind('/').map_or("", |slash| &spot.place[..slash]);
            let ahead = if target.starts_with('/') { target.to_owned() } else { format!("{above}/{target}") };
            targets.judge_text(target)?;
            let (place, found) = match self.tree.find("link to", &ahead, Last::Followed) {
                Ok(spot) => (spot.place, spot.found),
                Err(_) => (clean(&ahead), None),
            };
            targets.judge(&native(&place), target)?;
            if found.is_some_and(|stat| stat.kind == FileKind::Dir) {
                targets.judge_below(&native(&place))?;
            }
        }
        if spot.found.as_ref().is_some_and(|stat| stat.kind != FileKind::Symlink) {
            return Err(failed("symlink", path, Errno::EXIST));
        }
        self.opens("symlink", path, &spot)?;
        self.is_replaceable("symlink", path, &spot)?;
        let stat = self.tree.new_stat(FileKind::Symlink, 0o777, target.len() as u64, Some(target.to_owned()));
        self.tree.put(&spot.place, Node { stat, body: Body::Link, label: None });
        Ok(())
    }

    fn attribute(
        &mut self,
        verb: &str,
        path: &str,
        last: Last,
        change: impl FnOnce(&mut Node),
    ) -> Result<(), HostError> {
        let spot = self.locate(verb, path, last)?;
        if !spot.is_touched && spot.found.is_some() {
            fs::may_change(self.permit, verb, path, last)?;
        }
        let Some(stat) = spot.found.clone() else { return Err(failed(verb, path, Errno::NOENT)) };
        self.is_mutable(verb, path, &spot)?;
        if !spot.is_touched && last == Last::Followed {
            // It may have other names, for which the policy says nothing.
            drop(fs::open_entry(self.permit, verb, path, last)?);
        }
        let me = rustix::process::geteuid();
        if !me.is_root() && stat.uid != me.as_raw() {
            return Err(failed(verb, path, Errno::PERM));
        }
        let uid = stat.uid;
        let mut node = self.tree.changed(&spot, stat);
        let before = node.stat.mode;
        change(&mut node);
        if node.stat.kind != FileKind::Dir && node.stat.mode != before {
            self.permit.judge_mode(node.stat.mode, path)?;
        }
        if !me.is_root() && node.stat.uid != uid {
            return Err(failed(verb, path, Errno::PERM));
        }
        self.tree.put(&spot.place, node);
        Ok(())
    }
}
