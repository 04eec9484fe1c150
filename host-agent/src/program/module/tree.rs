//! [`Files`]: a module's files, and [`Slot`]: their place on disk.
//!
//! They are written next to their place and renamed to it. No symbolic link below the directory that the user named is
//! followed, so a program's folder cannot redirect them.

use rustix::fd::{AsRawFd, OwnedFd};
use rustix::fs::{
    AtFlags, CWD, Mode, OFlags, RenameFlags, ResolveFlags, fstat, mkdirat, openat, openat2, renameat, renameat_with,
};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Component, Path, PathBuf};

#[derive(Default)]
pub(super) struct Files(BTreeMap<String, File>);

pub(super) struct File {
    pub(super) content: Vec<u8>,
    pub(super) is_executable: bool,
}

impl Files {
    pub(super) fn add(&mut self, path: &str, file: File) {
        self.0.insert(path.to_owned(), file);
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// The identity of these files: a hash over paths, contents and executable bits.
    pub(super) fn digest(&self) -> String {
        let mut hash = Sha256::new();
        for (path, file) in &self.0 {
            hash.update((path.len() as u64).to_be_bytes());
            hash.update(path);
            hash.update([u8::from(file.is_executable)]);
            hash.update((file.content.len() as u64).to_be_bytes());
            hash.update(&file.content);
        }
        hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Writes all of them, below this directory only: other users with write access to it cannot redirect the writes.
    fn write(&self, dir: &OwnedFd) -> Result<(), String> {
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
        for (path, file) in &self.0 {
            let fails = |errno: Errno| format!("{path}: {errno}");
            for (at, _) in path.match_indices('/') {
                let (above, name) = path[..at].rsplit_once('/').unwrap_or((".", &path[..at]));
                let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
                let above = openat2(dir, above, flags, Mode::empty(), inside).map_err(fails)?;
                make_dir(&above, Path::new(name)).map_err(fails)?;
            }
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let mode = Mode::from_raw_mode(if file.is_executable { 0o755 } else { 0o644 });
            let place = openat2(dir, path.as_str(), flags, mode, inside).map_err(fails)?;
            std::fs::File::from(place).write_all(&file.content).map_err(|error| format!("{path}: {error}"))?;
        }
        Ok(())
    }
}

/// The digest of a directory's current content; `None` if it contains something other than files and directories, or is
/// larger than this, as no module is.
pub(super) fn digest_on_disk(dir: &Path, most: u64) -> Result<Option<String>, String> {
    let mut files = Files::default();
    let mut left = most;
    let mut ahead = vec![PathBuf::new()];
    while let Some(below) = ahead.pop() {
        let fails = |error: std::io::Error| format!("{}: {error}", dir.join(&below).display());
        for entry in std::fs::read_dir(dir.join(&below)).map_err(fails)? {
            let entry = entry.map_err(fails)?;
            let (path, meta) = (below.join(entry.file_name()), entry.metadata().map_err(fails)?);
            if meta.is_dir() {
                ahead.push(path);
                continue;
            }
            let (Some(name), true) = (path.to_str(), meta.is_file()) else { return Ok(None) };
            // It may have been replaced since: never block.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            let file = openat(CWD, entry.path(), flags, Mode::empty()).map_err(|errno| fails(errno.into()))?;
            let mut content = Vec::new();
            std::fs::File::from(file).take(left + 1).read_to_end(&mut content).map_err(fails)?;
            let Some(rest) = left.checked_sub(content.len() as u64) else { return Ok(None) };
            left = rest;
            files.add(name, File { content, is_executable: meta.permissions().mode() & 0o100 != 0 });
        }
    }
    Ok(Some(files.digest()))
}

/// A place in an opened directory.
pub(super) struct Slot {
    above: OwnedFd,
    name: OsString,
    canonical: PathBuf,
}

impl Slot {
    /// Opens the parent of the place; creates missing directories.
    pub(super) fn make(base: &Path, below: &Path) -> Result<Slot, String> {
        let base = if base.as_os_str().is_empty() { Path::new(".") } else { base };
        let fails = |error: std::io::Error| format!("{}: {error}", base.display());
        std::fs::create_dir_all(base).map_err(fails)?;
        let base = std::fs::canonicalize(base).map_err(fails)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let mut above = openat(CWD, &base, flags, Mode::empty()).map_err(|errno| fails(errno.into()))?;
        let mut path = base;
        let mut parts = Vec::new();
        for part in below.components() {
            match part {
                Component::Normal(part) => parts.push(part),
                Component::CurDir => {}
                _ => return Err("its path is outside the modules directory".into()),
            }
        }
        let name = parts.pop().ok_or("it has no separate directory")?;
        for part in parts {
            path.push(part);
            make_dir(&above, Path::new(part)).map_err(|errno| format!("{}: {errno}", path.display()))?;
            above = openat(&above, part, flags | OFlags::NOFOLLOW, Mode::empty()).map_err(|errno| match errno {
                Errno::LOOP | Errno::NOTDIR => format!("{} is not a directory", path.display()),
                errno => format!("{}: {errno}", path.display()),
            })?;
        }
        Ok(Slot { above, canonical: path.join(name), name: name.to_owned() })
    }

    /// The absolute path of the place, without links.
    pub(super) fn canonical(&self) -> PathBuf {
        self.canonical.clone()
    }

    /// Writes the files to a path at which nothing exists.
    pub(super) fn put(&self, files: &Files) -> Result<(), String> {
        let put = |staged: &OsString| renameat(&self.above, staged, &self.above, &self.name);
        self.beside(files, |staged| put(staged).map_err(|errno| self.fails(errno)))
    }

    /// Replaces the existing files. `judge` gets the path of their directory before and after it is moved aside, so
    /// that concurrent changes are kept.
    pub(super) fn replace(&self, files: &Files, judge: &dyn Fn(&Path) -> Result<(), String>) -> Result<(), String> {
        let fails = |errno| self.fails(errno);
        self.beside(files, |staged| {
            judge(&self.path(&self.name))?;
            let exchange = || renameat_with(&self.above, staged, &self.above, &self.name, RenameFlags::EXCHANGE);
            match exchange() {
                // A file system without exchanges: for a moment the place is empty.
                Err(Errno::INVAL | Errno::NOSYS) => {
                    let removed = self.remove(&self.name);
                    removed.and_then(|()| renameat(&self.above, staged, &self.above, &self.name)).map_err(fails)
                }
                exchanged => {
                    exchanged.map_err(fails)?;
                    judge(&self.path(staged)).or_else(|why| {
                        // The new files may be gone by now.
                        let back = exchange().or_else(|_| renameat(&self.above, staged, &self.above, &self.name));
                        back.map_err(fails).and(Err(why))
                    })
                }
            }
        })
    }

    fn fails(&self, errno: Errno) -> String {
        format!("{}: {errno}", self.canonical.display())
    }

    /// The path of an entry of this name next to the place.
    fn path(&self, name: &OsString) -> PathBuf {
        Path::new("/proc/self/fd").join(self.above.as_raw_fd().to_string()).join(name)
    }

    /// Writes files next to the place, and moves them there. Leftovers are removed.
    fn beside(&self, files: &Files, put: impl Fn(&OsString) -> Result<(), String>) -> Result<(), String> {
        let mut staged = OsString::from(".");
        staged.push(&self.name);
        staged.push(".mclive-download");
        let fails = |errno: Errno| self.fails(errno);
        self.remove(&staged).map_err(fails)?;
        let written = mkdirat(&self.above, &staged, Mode::from_raw_mode(0o755)).map_err(fails).and_then(|()| {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let dir = openat(&self.above, &staged, flags, Mode::empty()).map_err(fails)?;
            // Another user with write access could have created this directory.
            if fstat(&dir).map_err(fails)?.st_uid != rustix::process::geteuid().as_raw() {
                return Err(format!(
                    "{}: the written files were replaced by another process",
                    self.canonical.display()
                ));
            }
            files.write(&dir)?;
            put(&staged)
        });
        let removed = self.remove(&staged).map_err(fails);
        written.and(removed)
    }

    /// Removes the entry of this name next to the place, with everything below it.
    fn remove(&self, name: &OsString) -> rustix::io::Result<()> {
        match rustix::fs::statat(&self.above, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(errno),
            Ok(_) => {}
        }
        match std::fs::remove_dir_all(self.path(name)) {
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                rustix::fs::unlinkat(&self.above, name, AtFlags::empty())
            }
            done => done.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        }
    }
}

fn make_dir(above: &OwnedFd, name: &Path) -> rustix::io::Result<()> {
    match mkdirat(above, name, Mode::from_raw_mode(0o755)) {
        Err(Errno::EXIST) => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Scratch;
    use std::cell::Cell;

    fn module(text: &str) -> Files {
        let mut files = Files::default();
        files.add("main.mcl", File { content: text.into(), is_executable: false });
        files
    }

    #[test]
    fn what_somebody_changes_during_an_update_stays() {
        let dir = Scratch::new("module-update");
        let slot = Slot::make(&dir, Path::new("module/")).unwrap();
        slot.put(&module("old")).unwrap();
        let own = dir.join("module/own");
        // It is changed after a look at each stage of the update, and then not at all.
        for stage in 1..=3 {
            let n_looks = Cell::new(0);
            let judge = |place: &Path| {
                n_looks.set(n_looks.get() + 1);
                let is_same = digest_on_disk(place, 1 << 20)? == Some(module("old").digest());
                if n_looks.get() == 1 && stage == 1 {
                    std::fs::write(&own, "theirs").unwrap();
                }
                if is_same { Ok(()) } else { Err("modified".to_owned()) }
            };
            let replaced = slot.replace(&module("new"), &judge);
            let text = std::fs::read_to_string(dir.join("module/main.mcl")).unwrap();
            assert_eq!(std::fs::read_dir(&*dir).unwrap().count(), 1, "nothing is left over");
            if stage == 3 {
                assert_eq!((replaced, text.as_str()), (Ok(()), "new"));
                break;
            }
            assert_eq!((replaced, text.as_str()), (Err("modified".to_owned()), "old"), "stage {stage}");
            assert_eq!(std::fs::read_to_string(&own).unwrap(), "theirs");
            if stage == 2 {
                std::fs::remove_file(&own).unwrap();
            }
        }
    }

    #[test]
    fn what_somebody_has_changed_comes_back_without_the_new_files() {
        let dir = Scratch::new("module-back");
        let slot = Slot::make(&dir, Path::new("module/")).unwrap();
        slot.put(&module("old")).unwrap();
        let n_looks = Cell::new(0);
        let judge = |_: &Path| {
            n_looks.set(n_looks.get() + 1);
            if n_looks.get() == 1 {
                return Ok(());
            }
            std::fs::remove_dir_all(dir.join("module")).unwrap();
            Err("modified".to_owned())
        };
        assert_eq!(slot.replace(&module("new"), &judge), Err("modified".to_owned()));
        assert_eq!(std::fs::read_to_string(dir.join("module/main.mcl")).unwrap(), "old");
    }
}
