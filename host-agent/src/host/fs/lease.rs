//! [`Lease`]: detects whether a file is open for writing, and when another process opens it to write.
//!
//! The kernel grants a read lease (fcntl(2), `F_SETLEASE`) while the file is not open for writing. A program that opens
//! it for writing, or truncates it, waits in the kernel until the lease is released, and the holder sees that. Network
//! file systems have no leases, and a lease of another user's file needs `CAP_LEASE`.

use rustix::fd::{AsRawFd, BorrowedFd};
use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The kernel's answer to a request for a lease.
pub(super) enum Asked<'a> {
    Granted(Lease<'a>),
    /// The file is open for writing.
    Written,
    /// Leases are not supported.
    Unknown,
}

/// Held until it is dropped.
pub(super) struct Lease<'a>(BorrowedFd<'a>);

/// Selects the signal of a lease that must be released; `F_SETSIG` of fcntl(2).
const SET_SIGNAL: libc::c_int = 10;

/// Requests a lease of a file that is open for reading only.
pub(super) fn ask(file: &File) -> Asked<'_> {
    // The default signal is SIGIO, which ends a process; SIGURG does nothing.
    let asked = control(file.as_fd(), SET_SIGNAL, libc::SIGURG)
        .and_then(|_| control(file.as_fd(), libc::F_SETLEASE, libc::F_RDLCK));
    match asked {
        Ok(_) => Asked::Granted(Lease(file.as_fd())),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Asked::Written,
        Err(_) => Asked::Unknown,
    }
}

/// Whether the file at a path is open for writing, as far as the kernel tells.
pub(crate) fn is_being_written(path: &Path) -> bool {
    // A pipe would block.
    let opened = File::options().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    opened.is_ok_and(|file| file.metadata().is_ok_and(|meta| meta.is_file()) && matches!(ask(&file), Asked::Written))
}

impl Lease<'_> {
    /// Whether a writer waits.
    pub(super) fn is_wanted(&self) -> bool {
        control(self.0, libc::F_GETLEASE, 0).is_ok_and(|lease| lease != libc::F_RDLCK)
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let _ = control(self.0, libc::F_SETLEASE, libc::F_UNLCK);
    }
}

fn control(file: BorrowedFd, command: libc::c_int, word: libc::c_int) -> std::io::Result<libc::c_int> {
    // SAFETY: the descriptor is open, and these commands take and return only numbers.
    #[allow(unsafe_code)]
    let said = unsafe { libc::fcntl(file.as_raw_fd(), command, word) };
    if said < 0 { Err(std::io::Error::last_os_error()) } else { Ok(said) }
}
