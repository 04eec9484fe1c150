//! Copies the bytes of a file: holes are kept, blocks are shared where the file system can, free space is checked
//! first, and a stop takes effect immediately.

use super::look::{Stopped, was_stopped};
use crate::host::errno::{failed, io_failed};
use mclive_base::vocab::path::shown;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::fd::OwnedFd;
use rustix::fs::{
    SeekFrom, Stat, StatVfs, copy_file_range, fdatasync, fstat, fstatvfs, ftruncate, ioctl_ficlone, seek, statfs,
    statvfs,
};
use rustix::io::{Errno, pread, pwrite};
use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Files up to this size are read completely, whatever size they report: files in `/proc` report none.
const SMALL: u64 = 64 << 10;
/// Copied between two checks for a stop.
const PIECE: u64 = 8 << 20;
/// Written to the disk at a time, to avoid a long wait at the end.
const SYNCED: u64 = 256 << 20;

/// The source and target of a copy, with their paths for messages.
pub(super) struct Copy<'a> {
    pub(super) from: &'a File,
    pub(super) to: &'a OwnedFd,
    pub(super) source: &'a str,
    pub(super) path: &'a str,
}

impl Copy<'_> {
    /// Copies everything into an empty file.
    pub(super) fn run(&self, stopped: Stopped) -> Result<(), HostError> {
        let stat = fstat(self.from).map_err(|errno| failed("stat", self.source, errno))?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        if size <= SMALL {
            return self.whole(stopped);
        }
        if ioctl_ficlone(self.to, self.from).is_ok() {
            return Ok(());
        }
        if let Ok(system) = fstatvfs(self.to) {
            ask_for_room(&system, 0, &stat, (self.source, self.path))?;
        }
        ftruncate(self.to, size).map_err(|errno| self.fails(errno))?;
        let (mut at, mut by_kernel, mut unsynced) = (0, true, 0);
        while let Some((begin, end)) = self.data_from(at)? {
            at = begin;
            while at < end {
                if stopped() {
                    return Err(was_stopped("copy", self.path));
                }
                let n = self.piece(at, (end - at).min(PIECE), &mut by_kernel)?;
                if n == 0 {
                    return Err(self.cut());
                }
                (at, unsynced) = (at + n, unsynced + n);
                if unsynced >= SYNCED {
                    fdatasync(self.to).map_err(|errno| self.fails(errno))?;
                    unsynced = 0;
                }
            }
        }
        // A hole at the end looks like the end of a file that was truncated.
        let now = fstat(self.from).map_err(|errno| failed("stat", self.source, errno))?;
        if u64::try_from(now.st_size).unwrap_or(0) < size { Err(self.cut()) } else { Ok(()) }
    }

    /// The rest of the copy would be zeros that were never in the source.
    fn cut(&self) -> HostError {
        let (source, path) = (shown(self.source), shown(self.path));
        HostError::new(HostErrorKind::Other, format!("copy {source} to {path}: {source} was truncated in the meantime"))
    }

    fn whole(&self, stopped: Stopped) -> Result<(), HostError> {
        let (mut from, mut at) = (self.from, 0);
        let mut buffer = vec![0; SMALL as usize];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(_) if stopped() => return Err(was_stopped("copy", self.path)),
                Ok(n) => at += self.write_all(&buffer[..n], at)?,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io_failed("read", self.source, &error)),
            }
        }
    }

    /// The next range that is not a hole.
    fn data_from(&self, at: u64) -> Result<Option<(u64, u64)>, HostError> {
        let fails = |errno| failed("read", self.source, errno);
        let begin = match seek(self.from, SeekFrom::Data(at)) {
            Ok(begin) => begin,
            Err(Errno::NXIO) => return Ok(None),
            // This file system has no holes.
            Err(Errno::INVAL | Errno::OPNOTSUPP) => {
                let end = fstat(self.from).map_err(fails)?.st_size as u64;
                return Ok((at < end).then_some((at, end)));
            }
            Err(errno) => return Err(fails(errno)),
        };
        match seek(self.from, SeekFrom::Hole(begin)) {
            Ok(end) => Ok(Some((begin, end))),
            Err(Errno::NXIO) => Ok(None),
            Err(errno) => Err(fails(errno)),
        }
    }

    /// Copies some bytes and returns how many. Between file systems that the kernel cannot copy between, it copies
    /// through a buffer.
    fn piece(&self, at: u64, len: u64, by_kernel: &mut bool) -> Result<u64, HostError> {
        while *by_kernel {
            let (mut from_at, mut to_at) = (at, at);
            match copy_file_range(self.from, Some(&mut from_at), self.to, Some(&mut to_at), len as usize) {
                Ok(0) => *by_kernel = false,
                Ok(n) => return Ok(n as u64),
                Err(Errno::INTR) => {}
                Err(errno @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG | Errno::IO)) => return Err(self.fails(errno)),
                Err(_) => *by_kernel = false,
            }
        }
        let mut buffer = vec![0; len.min(1 << 20) as usize];
        loop {
            match pread(self.from, &mut buffer, at) {
                Ok(n) => return self.write_all(&buffer[..n], at),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(failed("read", self.source, errno)),
            }
        }
    }

    fn write_all(&self, bytes: &[u8], at: u64) -> Result<u64, HostError> {
        let mut done = 0;
        while done < bytes.len() {
            match pwrite(self.to, &bytes[done..], at + done as u64) {
                Ok(n) => done += n,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(self.fails(errno)),
            }
        }
        Ok(done as u64)
    }

    fn fails(&self, errno: Errno) -> HostError {
        failed("write", self.path, errno)
    }
}

/// Errors: a copy of the file at `from` certainly does not fit below a directory, even if this many bytes are freed
/// before. A copy may need no room where files can share blocks, so only file systems without this are judged.
pub(crate) fn foresee_room(from: &OsStr, dir: &Path, freed: u64, names: (&str, &str)) -> Result<(), HostError> {
    let (Ok(stat), Ok(kind), Ok(system)) = (rustix::fs::stat(from), statfs(dir), statvfs(dir)) else { return Ok(()) };
    // ext2 to ext4, and tmpfs.
    let is_judged = [0xEF53, 0x0102_1994].contains(&kind.f_type) && u64::try_from(stat.st_size).unwrap_or(0) > SMALL;
    if is_judged { ask_for_room(&system, freed, &stat, names) } else { Ok(()) }
}

/// Errors: a file system has fewer free blocks than a file uses, even with the bytes that are freed before. `names`: the
/// file and its copy.
fn ask_for_room(system: &StatVfs, freed: u64, stat: &Stat, names: (&str, &str)) -> Result<(), HostError> {
    let blocks = if rustix::process::geteuid().is_root() { system.f_bfree } else { system.f_bavail };
    let free = blocks.saturating_mul(system.f_frsize);
    let needed = u64::try_from(stat.st_size).unwrap_or(0).min(stat.st_blocks as u64 * 512);
    // A file system without a limit counts no blocks.
    if system.f_blocks == 0 || needed <= free.saturating_add(freed) {
        return Ok(());
    }
    let (source, path) = (shown(names.0), shown(names.1));
    let message = format!("copy {source} to {path}: not enough space: {needed} bytes needed, {free} available");
    Err(HostError::new(HostErrorKind::Other, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;
    use std::cell::Cell;
    use std::os::unix::fs::{FileExt, MetadataExt};

    fn copy(dir: &Scratch, stopped: Stopped) -> Result<(), HostError> {
        let from = File::open(dir.join("from")).unwrap();
        let to = OwnedFd::from(File::create(dir.join("to")).unwrap());
        Copy { from: &from, to: &to, source: "from", path: "to" }.run(stopped)
    }

    #[test]
    fn holes_stay_holes_and_bytes_stay_where_they_are() {
        let dir = Scratch::new("copy-holes");
        let from = File::create(dir.join("from")).unwrap();
        let size = 1 << 40;
        from.set_len(size).unwrap();
        for at in [0, 5 << 20, size - 3] {
            from.write_all_at(b"abc", at).unwrap();
        }
        copy(&dir, &|| false).unwrap();
        let to = File::open(dir.join("to")).unwrap();
        for at in [0, 5 << 20, size - 3] {
            let mut read = [0; 3];
            to.read_exact_at(&mut read, at).unwrap();
            assert_eq!(&read, b"abc");
        }
        let meta = to.metadata().unwrap();
        assert_eq!(meta.len(), size);
        assert!(meta.blocks() * 512 < 1 << 20, "{} blocks", meta.blocks());
    }

    #[test]
    fn a_copy_needs_the_blocks_of_its_source() {
        let dir = Scratch::new("copy-room");
        let from = File::create(dir.join("from")).unwrap();
        from.set_len(1 << 40).unwrap();
        from.write_all_at(&[1; 64 << 10], 0).unwrap();
        let stat = fstat(&from).unwrap();
        let needed = stat.st_blocks as u64 * 512;
        let enough = needed.div_ceil(4096);
        assert!(enough > 0);
        let mut system = statvfs(&*dir).unwrap();
        let mut fits = |size: u64, free: u64, freed: u64| {
            (system.f_frsize, system.f_blocks, system.f_bfree, system.f_bavail) = (4096, size, free, free);
            ask_for_room(&system, freed, &stat, ("from", "to"))
        };
        fits(1 << 20, enough, 0).unwrap();
        let error = fits(1 << 20, enough - 1, 0).unwrap_err();
        assert!(error.message.starts_with("copy from to to: not enough space: "), "{error}");
        // What is freed before, and no limit.
        for (size, freed) in [(1 << 20, needed), (1 << 20, u64::MAX), (0, 0)] {
            fits(size, 0, freed).unwrap();
        }
    }

    #[test]
    fn it_ends_when_it_is_stopped() {
        let dir = Scratch::new("copy-stop");
        std::fs::write(dir.join("from"), vec![1; 64 << 20]).unwrap();
        let asked = Cell::new(0);
        let stopped = || asked.replace(asked.get() + 1) >= 2;
        let from = File::open(dir.join("from")).unwrap();
        let to = OwnedFd::from(File::create(dir.join("to")).unwrap());
        // Sharing blocks cannot be interrupted.
        if ioctl_ficlone(&to, &from).is_err() {
            assert_eq!(copy(&dir, &stopped).unwrap_err().kind, HostErrorKind::Cancelled);
            assert_eq!(asked.get(), 3);
        }
    }

    #[test]
    fn what_is_truncated_meanwhile_is_not_filled_up_with_zeros() {
        let dir = Scratch::new("copy-cut");
        // In MiB: the data, after which there is a hole, and what is left of it.
        for (data, left) in [(32_usize, 0_u64), (32, 9), (8, 8)] {
            std::fs::write(dir.join("from"), vec![1; data << 20]).unwrap();
            let source = File::options().read(true).write(true).open(dir.join("from")).unwrap();
            source.set_len(32 << 20).unwrap();
            let to = OwnedFd::from(File::create(dir.join("to")).unwrap());
            // Sharing blocks takes no time.
            if ioctl_ficlone(&to, &source).is_ok() {
                return;
            }
            let asked = Cell::new(0);
            let truncates = || {
                if asked.replace(asked.get() + 1) == 0 {
                    source.set_len(left << 20).unwrap();
                }
                false
            };
            let error = copy(&dir, &truncates).unwrap_err();
            assert_eq!(error.message, "copy from to to: from was truncated in the meantime", "{data} {left}");
            assert_eq!(error.kind, HostErrorKind::Other);
        }
    }

    #[test]
    fn what_claims_no_size_is_read_to_its_end() {
        let dir = Scratch::new("copy-proc");
        let from = File::open("/proc/self/status").unwrap();
        let to = OwnedFd::from(File::create(dir.join("to")).unwrap());
        Copy { from: &from, to: &to, source: "from", path: "to" }.run(&|| false).unwrap();
        assert!(std::fs::read_to_string(dir.join("to")).unwrap().starts_with("Name:"));
    }
}
