//! [`Lease`]: whether somebody has a file open for writing, and who wants to.
//!
//! The kernel grants a read lease (fcntl(2), `F_SETLEASE`) while nobody has the file open for writing. Whoever opens
//! it for writing, or cuts it, while we hold the lease waits in the kernel until we give it back, and we see that
//! somebody waits. File systems of other hosts have no leases, and a file of another user's takes `CAP_LEASE`.

use rustix::fd::{AsRawFd, BorrowedFd};
use std::fs::File;
use std::os::fd::AsFd;

/// What the kernel says to the wish for a lease.
pub(super) enum Asked<'a> {
    Granted(Lease<'a>),
    /// Somebody has the file open for writing.
    Written,
    /// There are no leases here.
    Unknown,
}

/// Held until it is dropped.
pub(super) struct Lease<'a>(BorrowedFd<'a>);

/// The signal of a lease that is to be given back; `F_SETSIG` of fcntl(2).
const SET_SIGNAL: libc::c_int = 10;

/// Asks for a lease of a file that is open for reading alone.
pub(super) fn ask(file: &File) -> Asked<'_> {
    // Unless another is chosen the signal is SIGIO, which ends a process; SIGURG does nothing.
    let asked = control(file.as_fd(), SET_SIGNAL, libc::SIGURG)
        .and_then(|_| control(file.as_fd(), libc::F_SETLEASE, libc::F_RDLCK));
    match asked {
        Ok(_) => Asked::Granted(Lease(file.as_fd())),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Asked::Written,
        Err(_) => Asked::Unknown,
    }
}

impl Lease<'_> {
    /// Does somebody wait to write?
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
    // SAFETY: the descriptor is open, and these commands take and give numbers alone.
    #[allow(unsafe_code)]
    let said = unsafe { libc::fcntl(file.as_raw_fd(), command, word) };
    if said < 0 { Err(std::io::Error::last_os_error()) } else { Ok(said) }
}
