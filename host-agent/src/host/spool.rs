//! [`SpoolFile`]: a file without a name for received data, which checks for free space first.

use crate::lock::Mutex;
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::fs::{CWD, Mode, OFlags, fstatvfs, openat};
use std::fs::File;
use std::io::{Error, ErrorKind, Result, Seek, Write};
use std::path::Path;

/// The total size of all spools. Units: bytes.
static HELD: Mutex<u64> = Mutex::new(0);

/// It disappears when it is dropped, or with the process.
pub(in crate::host) struct SpoolFile {
    file: File,
    held: Mutex<u64>,
}

impl SpoolFile {
    pub(in crate::host) fn new(prefix: &Path) -> std::result::Result<SpoolFile, HostError> {
        let flags = OFlags::TMPFILE | OFlags::RDWR | OFlags::CLOEXEC;
        let dirs = [prefix.to_owned(), std::env::temp_dir()];
        let mut opened = dirs.iter().map(|dir| openat(CWD, dir, flags, Mode::from_raw_mode(0o600)));
        match opened.find_map(std::result::Result::ok) {
            Some(file) => Ok(SpoolFile { file: file.into(), held: Mutex::new(0) }),
            None => Err(HostError::new(HostErrorKind::Unavailable, "no directory for temporary files found")),
        }
    }

    pub(in crate::host) fn file(&self) -> &File {
        &self.file
    }

    /// Appends received bytes. Errors: there is no room.
    pub(in crate::host) fn add(&self, bytes: &[u8]) -> Result<()> {
        let n = bytes.len() as u64;
        {
            let mut all = HELD.lock();
            self.judge(*all, n)?;
            *all += n;
            *self.held.lock() += n;
        }
        (&self.file).write_all(bytes)
    }

    /// Errors: there is no room for this many more bytes.
    pub(in crate::host) fn has_room(&self, n: u64) -> Result<()> {
        self.judge(*HELD.lock(), n)
    }

    /// Drops the received bytes.
    pub(in crate::host) fn empty(&self) -> Result<()> {
        self.file.set_len(0)?;
        (&self.file).rewind()?;
        self.give_back();
        Ok(())
    }

    fn judge(&self, held: u64, n: u64) -> Result<()> {
        // Without a reported size there is no limit to keep.
        let Some(space) = fstatvfs(&self.file).ok().filter(|space| space.f_blocks > 0) else { return Ok(()) };
        let free = space.f_bavail.saturating_mul(space.f_frsize);
        if fits(held, n, free) {
            return Ok(());
        }
        let why = format!(
            "not enough disk space: at most half of the free space may be used, which is {} bytes",
            (free + held) / 2
        );
        Err(Error::new(ErrorKind::StorageFull, why))
    }

    fn give_back(&self) {
        let held = std::mem::take(&mut *self.held.lock());
        let mut all = HELD.lock();
        *all = all.saturating_sub(held);
    }
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        self.give_back();
    }
}

/// All spools together take at most half of the space that would be free without them: their content is copied to its
/// place, and other programs need space as well.
fn fits(held: u64, n: u64, free: u64) -> bool {
    held.saturating_add(n) <= free.saturating_add(held) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_stays_free() {
        assert!(fits(0, 150, 300));
        assert!(!fits(0, 151, 300));
        // Piece by piece.
        assert!(fits(100, 50, 200));
        assert!(!fits(100, 51, 200));
        assert!(!fits(0, u64::MAX, 300));
    }
}
