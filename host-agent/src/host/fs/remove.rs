//! Removes whole trees, including hostile ones: of any depth, with one directory open at a time, and without ever
//! leaving the tree through a link, a mount or a directory that is moved in the meantime.

use super::mounts::{self, mount_of};
use super::place::Place;
use crate::host::errno::{failed, io_failed};
use crate::policy::Permit;
use mclive_base::vocab::path::{escaped, shown};
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2, statat, unlinkat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A directory between the root of the tree and the open directory.
struct Level {
    /// Device and inode, to recognize it on the way up.
    identity: (u64, u64),
    /// Its subdirectories that are still to be removed; the last one is current or next.
    dirs: Vec<OsString>,
}

/// A tree that is being removed.
struct Removal<'a> {
    permit: Permit<'a>,
    /// The path as requested.
    path: &'a str,
    /// The place of the open directory.
    here: PathBuf,
    /// Nothing is removed, but everything is judged.
    is_trial: bool,
}

/// Removes a directory with all that is in it. Each entry must be permitted, and nothing may be mounted in it. That is
/// known before the first one is removed: half a tree may be worse than none.
pub(super) fn remove_tree(permit: Permit, place: Place, path: &str) -> Result<(), HostError> {
    if let Some(point) = mounts::below(&place.path)? {
        return Err(mounted(path, &point));
    }
    if permit.judge_below(&place.path).is_err() {
        let dir = place.dir.try_clone().map_err(|error| io_failed("dup", path, &error))?;
        Removal::of(permit, &place, path, true).tree(dir, place.name.clone())?;
    }
    Removal::of(permit, &place, path, false).tree(place.dir, place.name)
}

impl<'a> Removal<'a> {
    fn of(permit: Permit<'a>, place: &Place, path: &'a str, is_trial: bool) -> Removal<'a> {
        let here = Path::new(&place.path).parent().map(PathBuf::from).unwrap_or_default();
        Removal { permit, path, here, is_trial }
    }

    /// Removes this entry of an open directory.
    fn tree(mut self, dir: OwnedFd, name: OsString) -> Result<(), HostError> {
        let first = identity(&dir).map_err(|errno| self.fails(errno))?;
        self.run(dir, Level { identity: first, dirs: vec![name] })
    }

    fn run(&mut self, mut open: OwnedFd, first: Level) -> Result<(), HostError> {
        let mut levels = vec![first];
        while let Some(level) = levels.last_mut() {
            if let Some(name) = level.dirs.last() {
                match enter(&open, name) {
                    Ok(inner) => {
                        open = inner;
                        self.here.push(name);
                        let identity = identity(&open).map_err(|errno| self.fails(errno))?;
                        levels.push(Level { identity, dirs: self.empty(&open)? });
                    }
                    // It was removed or replaced in the meantime.
                    Err(Errno::NOENT) => drop(level.dirs.pop()),
                    Err(Errno::XDEV) => return Err(mounted(self.path, &self.here.join(name))),
                    Err(errno) => return Err(self.fails(errno)),
                }
                continue;
            }
            levels.pop();
            let Some(above) = levels.last_mut() else { break };
            self.here.pop();
            open = leave(&open, above.identity).map_err(|errno| self.fails(errno))?;
            if let Some(name) = above.dirs.pop()
                && !self.is_trial
            {
                match unlinkat(&open, &name, AtFlags::REMOVEDIR) {
                    Ok(()) | Err(Errno::NOENT) => {}
                    Err(errno) => return Err(self.fails(errno)),
                }
            }
            // The parent directory of the tree is only the start.
            if levels.len() == 1 {
                break;
            }
        }
        Ok(())
    }

    /// Removes the entries that are not directories; returns the directories.
    fn empty(&self, dir: &OwnedFd) -> Result<Vec<OsString>, HostError> {
        let fails = |errno| self.fails(errno);
        let mut dirs = Vec::new();
        for entry in Dir::read_from(dir).map_err(fails)? {
            let entry = entry.map_err(fails)?;
            let name = entry.file_name();
            if name == c"." || name == c".." {
                continue;
            }
            let name = OsStr::from_bytes(name.to_bytes());
            if !self.permit.is_all() {
                self.permit.judge(self.here.join(name).as_os_str(), self.path)?;
            }
            if self.is_trial {
                dirs.extend(is_dir(dir, name).then(|| name.to_owned()));
                continue;
            }
            match unlinkat(dir, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(Errno::ISDIR | Errno::PERM) if is_dir(dir, name) => dirs.push(name.to_owned()),
                Err(errno) => return Err(fails(errno)),
            }
        }
        Ok(dirs)
    }

    fn fails(&self, errno: Errno) -> HostError {
        failed("remove", self.path, errno)
    }
}

/// Whether mounts keep a directory from being removed, beside those at `gone`, which go before.
pub(in crate::host) fn judge_mounts(place: &OsStr, path: &str, gone: &BTreeSet<String>) -> Result<(), HostError> {
    let stays = |point: &PathBuf| !gone.contains(&*escaped(point.as_os_str().as_bytes()));
    match mounts::within(place)?.into_iter().find(stays) {
        None => Ok(()),
        Some(point) if point.as_os_str() == place => Err(failed("remove", path, Errno::BUSY)),
        Some(point) => Err(mounted(path, &point)),
    }
}

fn mounted(path: &str, place: &Path) -> HostError {
    let (path, place) = (shown(path), escaped(place.as_os_str().as_bytes()));
    let message = format!("remove {path}: another file system is mounted at `{}`; unmount it first", shown(&place));
    HostError::new(HostErrorKind::Other, message)
}

const INNER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens a directory of this file system.
fn enter(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    match openat2(dir, name, INNER, Mode::empty(), ResolveFlags::NO_XDEV | ResolveFlags::NO_SYMLINKS) {
        Err(Errno::NOSYS | Errno::PERM) => enter_and_compare(dir, name),
        opened => opened,
    }
}

/// The same where the kernel or a filter of system calls, such as that of a container, lacks this call.
fn enter_and_compare(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let inner = openat(dir, name, INNER, Mode::empty())?;
    let is_same = match (mount_of(dir), mount_of(&inner)) {
        (Some(above), Some(here)) => above == here,
        (None, _) | (_, None) => fstat(dir)?.st_dev == fstat(&inner)?.st_dev,
    };
    if is_same { Ok(inner) } else { Err(Errno::XDEV) }
}

/// Goes back to the parent directory, if it is still the same one.
fn leave(dir: &OwnedFd, above: (u64, u64)) -> Result<OwnedFd, Errno> {
    // `O_PATH`, as the directory may be unreadable.
    let open = openat(dir, "..", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    if identity(&open)? == above { Ok(open) } else { Err(Errno::AGAIN) }
}

fn identity(dir: &OwnedFd) -> Result<(u64, u64), Errno> {
    let stat = fstat(dir)?;
    Ok((stat.st_dev, stat.st_ino))
}

pub(super) fn is_dir(dir: &OwnedFd, name: &OsStr) -> bool {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::fs::remove;
    use crate::host::scratch::Scratch;
    use crate::policy::Policy;
    use rustix::fs::{CWD, mkdirat};

    #[test]
    fn a_tree_with_an_entry_that_must_stay_stays_whole() {
        let dir = Scratch::new("remove-whole");
        std::fs::create_dir_all(dir.join("tree/sub/more")).unwrap();
        for name in ["tree/one", "tree/two", "tree/sub/three", "tree/sub/more/four"] {
            std::fs::write(dir.join(name), "").unwrap();
        }
        let path = dir.join("tree").display().to_string();
        let removes = |paths: &str| {
            let paths = paths.replace("TREE", &path);
            remove(Policy::parse(&format!("paths = [{paths}]")).unwrap().changes(), &path, true)
        };
        for paths in ["'TREE', 'TREE/*'", "'TREE', 'TREE/*', 'TREE/*/*'"] {
            assert_eq!(removes(paths).unwrap_err().kind, HostErrorKind::Refused, "{paths}");
            for name in ["one", "two", "sub/three", "sub/more/four"] {
                assert!(dir.join("tree").join(name).exists(), "{name} after {paths}");
            }
        }
        removes("'TREE', 'TREE/*', 'TREE/*/*', 'TREE/*/*/*'").unwrap();
        assert!(!dir.join("tree").exists());
    }

    #[test]
    fn a_mounted_file_system_is_never_entered() {
        let opened = |path: &std::path::Path| openat(CWD, path, OFlags::DIRECTORY, Mode::empty()).unwrap();
        let root = opened(std::path::Path::new("/"));
        let dir = Scratch::new("remove-enter");
        std::fs::create_dir(dir.join("inner")).unwrap();
        let above = opened(&dir);
        for enters in [enter, enter_and_compare] {
            assert_eq!(enters(&root, OsStr::new("proc")).map(drop), Err(Errno::XDEV));
            enters(&above, OsStr::new("inner")).unwrap();
        }
    }

    #[test]
    fn a_tree_of_any_depth_goes() {
        let (dir, all) = (Scratch::new("remove"), Mode::from_raw_mode(0o700));
        let above = openat(CWD, &*dir, OFlags::DIRECTORY, Mode::empty()).unwrap();
        mkdirat(&above, "tree", all).unwrap();
        let mut open = enter(&above, OsStr::new("tree")).unwrap();
        // Deeper than the maximum path length, and than a small stack allows.
        for _ in 0..600 {
            mkdirat(&open, "one-that-has-a-long-name", all).unwrap();
            mkdirat(&open, "beside", all).unwrap();
            open = enter(&open, OsStr::new("one-that-has-a-long-name")).unwrap();
        }
        let stack = std::thread::Builder::new().stack_size(64 << 10);
        let path = dir.join("tree").to_str().unwrap().to_owned();
        let place = Place { dir: above, name: "tree".into(), found: None, path: path.clone().into() };
        stack.spawn(move || remove_tree(Permit::ALL, place, &path).unwrap()).unwrap().join().unwrap();
        assert!(!dir.join("tree").exists());
    }
}
