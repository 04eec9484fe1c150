//! Removing whole trees, also those that somebody made to be in our way: of any depth, with one directory open
//! at a time, and without ever leaving the tree through a link or a directory that is moved meanwhile.

use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat, unlinkat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// A directory on the way down to the one that is open.
struct Level {
    /// Device and inode, by which it is known again on the way up.
    identity: (u64, u64),
    /// The directories in it that are still to be removed; we are in the last one, or it is next.
    dirs: Vec<OsString>,
}

/// Removes a directory with all that is in it.
pub(super) fn remove_tree(parent: OwnedFd, name: &OsStr) -> Result<(), Errno> {
    let mut levels = vec![Level { identity: identity(&parent)?, dirs: vec![name.to_owned()] }];
    let mut open = parent;
    while let Some(level) = levels.last_mut() {
        if let Some(name) = level.dirs.last() {
            match enter(&open, name) {
                Ok(inner) => {
                    open = inner;
                    levels.push(Level { identity: identity(&open)?, dirs: empty(&open)? });
                }
                // It went, or became something else, while we looked.
                Err(Errno::NOENT) => drop(level.dirs.pop()),
                Err(errno) => return Err(errno),
            }
            continue;
        }
        levels.pop();
        let Some(above) = levels.last_mut() else { break };
        // Only to name what is in it: it may well be one that nobody may read.
        open = openat(&open, "..", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        if identity(&open)? != above.identity {
            return Err(Errno::AGAIN);
        }
        if let Some(name) = above.dirs.pop() {
            match unlinkat(&open, &name, AtFlags::REMOVEDIR) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(errno) => return Err(errno),
            }
        }
        // The directory that the tree is in is only where we began.
        if levels.len() == 1 {
            break;
        }
    }
    Ok(())
}

fn enter(dir: &OwnedFd, name: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(dir, name, flags, Mode::empty())
}

fn identity(dir: &OwnedFd) -> Result<(u64, u64), Errno> {
    let stat = fstat(dir)?;
    Ok((stat.st_dev, stat.st_ino))
}

/// Removes what is no directory; the answer is the directories that are left.
fn empty(dir: &OwnedFd) -> Result<Vec<OsString>, Errno> {
    let mut dirs = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let name = OsStr::from_bytes(name.to_bytes());
        match unlinkat(dir, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR | Errno::PERM) if is_dir(dir, name) => dirs.push(name.to_owned()),
            Err(errno) => return Err(errno),
        }
    }
    Ok(dirs)
}

pub(super) fn is_dir(dir: &OwnedFd, name: &OsStr) -> bool {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;
    use rustix::fs::{CWD, mkdirat};

    #[test]
    fn a_tree_of_any_depth_goes() {
        let (dir, all) = (Scratch::new("remove"), Mode::from_raw_mode(0o700));
        let above = openat(CWD, &*dir, OFlags::DIRECTORY, Mode::empty()).unwrap();
        mkdirat(&above, "tree", all).unwrap();
        let mut open = enter(&above, OsStr::new("tree")).unwrap();
        // Deeper than a path may be long, and than a small stack would bear.
        for _ in 0..600 {
            mkdirat(&open, "one-that-has-a-long-name", all).unwrap();
            mkdirat(&open, "beside", all).unwrap();
            open = enter(&open, OsStr::new("one-that-has-a-long-name")).unwrap();
        }
        let stack = std::thread::Builder::new().stack_size(64 << 10);
        stack.spawn(move || remove_tree(above, OsStr::new("tree")).unwrap()).unwrap().join().unwrap();
        assert!(!dir.join("tree").exists());
    }
}
