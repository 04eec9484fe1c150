//! [`Quiet`], [`has_opened`], [`is_written`]: whether another program writes a file.
//!
//! A lease (`lease.rs`) is exact. Without leases, a file counts as not being written if it has not changed for
//! [`SETTLED`] and no visible process has it open for writing. Only root sees all processes, and only those of this
//! machine: another writer that pauses for longer is not detected.

use super::lease::{Asked, Lease, ask};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Without leases: the time without a change.
const SETTLED: Duration = Duration::from_millis(300);
/// A program that has resolved the path opens the file within this time.
const SEEN: Duration = Duration::from_millis(2);
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// Several checks of the file at a path, until it is not being written.
pub(super) struct Quiet {
    pause: Duration,
    /// Without leases: the last version, and when it was first seen.
    seen: Option<(Version, Instant)>,
}

/// Changes with each write, also if a program sets the modification time.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Version {
    dev: u64,
    ino: u64,
    len: u64,
    changed: (i64, i64),
}

impl Quiet {
    pub(super) fn new() -> Quiet {
        Quiet { pause: PAUSES.0, seen: None }
    }

    /// Whether no program writes the file, as far as that can be known.
    pub(super) fn is_reached(&mut self, file: &File) -> bool {
        match ask(file) {
            Asked::Granted(_) => true,
            Asked::Written => false,
            Asked::Unknown => {
                let Some(now) = Version::of(file) else { return false };
                let since = self.seen.filter(|(seen, _)| *seen == now).map(|(_, since)| since);
                if since.is_some_and(|since| since.elapsed() >= SETTLED) && !is_open_for_writing(file) {
                    return true;
                }
                let goes_on = since.filter(|since| since.elapsed() < SETTLED);
                self.seen = Some((now, goes_on.unwrap_or_else(Instant::now)));
                false
            }
        }
    }

    /// The pause before the next check.
    pub(super) fn rest(&mut self) {
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(PAUSES.1);
    }
}

impl Version {
    fn of(file: &File) -> Option<Version> {
        let stat = file.metadata().ok()?;
        let changed = (stat.ctime(), stat.ctime_nsec());
        Some(Version { dev: stat.dev(), ino: stat.ino(), len: stat.len(), changed })
    }
}

/// Whether a program that had resolved the path before it led elsewhere may write to this file. Known only with a
/// lease.
pub(super) fn has_opened(lease: Option<Lease>) -> bool {
    let Some(lease) = lease else { return true };
    let began = Instant::now();
    while began.elapsed() < SEEN {
        if lease.is_wanted() {
            return true;
        }
        std::thread::sleep(SEEN / 4);
    }
    lease.is_wanted()
}

/// Whether a program is known to have the file open for writing.
pub(super) fn is_written(file: &File) -> bool {
    match ask(file) {
        Asked::Granted(_) => false,
        Asked::Written => true,
        Asked::Unknown => is_open_for_writing(file),
    }
}

/// The same according to `/proc`.
fn is_open_for_writing(file: &File) -> bool {
    let itself = format!("/proc/self/fdinfo/{}", file.as_raw_fd());
    let (Ok(info), Ok(stat)) = (std::fs::read_to_string(itself), file.metadata()) else { return false };
    let inode = field(&info, "ino:").map(str::to_owned);
    let is_here = |process: &Path| {
        let mut descriptors = std::fs::read_dir(process.join("fdinfo")).into_iter().flatten().flatten();
        descriptors.any(|descriptor| {
            let Ok(info) = std::fs::read_to_string(descriptor.path()) else { return false };
            // Asking for the file itself may hang if its file system is dead, so the inode is compared first.
            writes(&info)
                && field(&info, "ino:").is_none_or(|found| Some(found) == inode.as_deref())
                && std::fs::metadata(process.join("fd").join(descriptor.file_name()))
                    .is_ok_and(|found| (found.dev(), found.ino()) == (stat.dev(), stat.ino()))
        })
    };
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut processes = processes.filter(|entry| entry.file_name().as_encoded_bytes().iter().all(u8::is_ascii_digit));
    processes.any(|process| is_here(&process.path()))
}

/// Whether an open file is writable, according to its `fdinfo`.
fn writes(info: &str) -> bool {
    let flags = field(info, "flags:").and_then(|flags| i32::from_str_radix(flags, 8).ok());
    flags.is_some_and(|flags| flags & libc::O_ACCMODE != libc::O_RDONLY && flags & libc::O_PATH == 0)
}

fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::scratch::Scratch;

    #[test]
    fn who_has_a_file_open_for_writing_is_found_by_its_process() {
        let dir = Scratch::new("writers");
        let path = dir.join("a");
        std::fs::write(&path, "a").unwrap();
        let file = File::open(&path).unwrap();
        assert!(!is_open_for_writing(&file), "readers do not count");
        let appends = File::options().append(true).open(&path).unwrap();
        assert!(is_open_for_writing(&file));
        drop(appends);
        let both = File::options().read(true).write(true).open(&path).unwrap();
        assert!(is_open_for_writing(&file));
        drop(both);
        assert!(!is_open_for_writing(&file));
    }

    #[test]
    fn the_fields_of_an_open_file() {
        let info = "pos:\t0\nflags:\t0100002\nmnt_id:\t29\nino:\t1234\n";
        assert_eq!((field(info, "ino:"), writes(info)), (Some("1234"), true));
        assert!(!writes(&info.replace("0100002", "0100000")) && !writes(&info.replace("0100002", "012100000")));
        assert!(!writes("pos:\t0\n"));
    }
}
