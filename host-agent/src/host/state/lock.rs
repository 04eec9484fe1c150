//! [`Lock`]: only one agent at a time uses a state directory.
//!
//! The directory itself is locked, and a file in it that names the holder. The file alone is not enough: if it were
//! removed while its agent runs, a second agent could create and lock a new one. Anyone who can open a directory can
//! lock it: if other users can, a directory in it that they cannot open takes its place.

use super::entry::{clear, own_dir};
use crate::host::errno::{failed, io_failed};
use mclive_base::vocab::{HostError, HostErrorKind};
use rustix::fs::{AtFlags, CWD, FlockOperation, Mode, OFlags, flock, openat, statat};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, test_kill_process};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const NAME: &str = "lock";
/// A directory of the agent, which [`own_dir`] closes.
const OWN: &str = "engine";
/// The bits of a directory that other users can open.
const READABLE: u32 = 0o044;

/// How long a lock may outlive its agent. A command that a killed agent was starting holds the lock until its `exec`.
const OUTLIVES: Duration = Duration::from_secs(5);

/// Held until it is dropped. The system releases it if the process is killed.
pub(super) struct Lock {
    dir: File,
    file: File,
}

impl Drop for Lock {
    /// Closing would not release it while a command that is being started has both open, until its `exec`.
    fn drop(&mut self) {
        for held in [&self.file, &self.dir] {
            let _ = flock(held, FlockOperation::Unlock);
        }
    }
}

impl Lock {
    /// Locks the directory, or reports the holder.
    pub(super) fn take(prefix: &Path) -> Result<Lock, HostError> {
        let path = prefix.join(NAME);
        clear(&path)?;
        let name = path.to_string_lossy();
        let opened = |at: &Path, flags: OFlags| {
            let opened = openat(CWD, at, flags | OFlags::CLOEXEC, Mode::from_raw_mode(0o600));
            opened.map(File::from).map_err(|errno| failed("open", &at.to_string_lossy(), errno))
        };
        let holds = |held: &File| hold(held, prefix, &path);
        let closed = closed(prefix)?;
        let dir = opened(&closed, OFlags::RDONLY | OFlags::DIRECTORY)?;
        match holds(&dir) {
            // Some network file systems lock only files that are open for writing: there the file has to do.
            Ok(()) | Err(Stopped::By(Errno::BADF | Errno::INVAL | Errno::OPNOTSUPP)) => {}
            Err(stopped) => return Err(stopped.told(&closed.to_string_lossy())),
        }
        let mut file = opened(&path, OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW)?;
        holds(&file).map_err(|stopped| stopped.told(&name))?;
        let fails = |error| io_failed("write", &name, &error);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        file.set_len(0).and_then(|()| file.rewind()).map_err(fails)?;
        file.write_all(format!("{} {now}\n", std::process::id()).as_bytes()).map_err(fails)?;
        Ok(Lock { dir, file })
    }
}

/// The prefix, or the directory in it that no other user can open.
fn closed(prefix: &Path) -> Result<PathBuf, HostError> {
    let stat =
        statat(CWD, prefix, AtFlags::empty()).map_err(|errno| failed("stat", &prefix.to_string_lossy(), errno))?;
    if stat.st_mode & READABLE == 0 {
        return Ok(prefix.to_owned());
    }
    let own = prefix.join(OWN);
    own_dir(&own)?;
    Ok(own)
}

/// Why a lock is not available.
enum Stopped {
    Held(HostError),
    By(Errno),
}

impl Stopped {
    fn told(self, name: &str) -> HostError {
        match self {
            Stopped::Held(error) => error,
            Stopped::By(errno) => failed("lock", name, errno),
        }
    }
}

/// Locks an open file, and waits for a holder that is ending.
fn hold(what: &File, prefix: &Path, path: &Path) -> Result<(), Stopped> {
    let deadline = Instant::now() + OUTLIVES;
    loop {
        match flock(what, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(Errno::WOULDBLOCK) => {
                let holder = Holder::read(path);
                if Instant::now() >= deadline || !holder.is_gone() {
                    return Err(Stopped::Held(holder.has(prefix)));
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(errno) => return Err(Stopped::By(errno)),
        }
    }
}

/// The holder named in the lock file.
struct Holder {
    pid: Option<Pid>,
    since: Option<SystemTime>,
}

impl Holder {
    fn read(path: &Path) -> Holder {
        let mut said = String::new();
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        if let Ok(file) = openat(CWD, path, flags, Mode::empty()) {
            let _ = File::from(file).take(64).read_to_string(&mut said);
        }
        let mut words = said.split_whitespace();
        let pid = words.next().and_then(|pid| Pid::from_raw(pid.parse().ok()?));
        let since = words.next().and_then(|since| UNIX_EPOCH.checked_add(Duration::from_secs(since.parse().ok()?)));
        Holder { pid, since }
    }

    /// Whether the process has ended, or was killed and is about to end.
    fn is_gone(&self) -> bool {
        self.pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH) || is_ending(pid))
    }

    fn has(&self, prefix: &Path) -> HostError {
        let who = match (self.pid, self.since) {
            (Some(pid), Some(since)) => {
                format!("pid {}, since {}", pid.as_raw_nonzero(), httpdate::fmt_http_date(since))
            }
            _ => "it has just started, or its `lock` file was removed".to_owned(),
        };
        let remedy = "stop it, or use another --prefix";
        HostError::new(HostErrorKind::Exists, format!("another agent is using {} ({who}); {remedy}", prefix.display()))
    }
}

/// It is a zombie, is releasing its resources, or was killed and has not ended yet.
fn is_ending(pid: Pid) -> bool {
    const EXITING: u64 = 4;
    const KILL: u64 = 1 << (Signal::KILL.as_raw() - 1);
    let read = |name| std::fs::read_to_string(format!("/proc/{}/{name}", pid.as_raw_nonzero())).unwrap_or_default();
    let stat = read("stat");
    let mut fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    let (state, flags) = (fields.next().unwrap_or_default(), fields.nth(5));
    let is_exiting = flags.and_then(|flags| flags.parse::<u64>().ok()).is_some_and(|flags| flags & EXITING != 0);
    let status = read("status");
    let pending = status.lines().filter_map(|line| line.strip_prefix("ShdPnd:").or(line.strip_prefix("SigPnd:")));
    let mut pending = pending.filter_map(|set| u64::from_str_radix(set.trim(), 16).ok());
    matches!(state, "Z" | "X") || is_exiting || pending.any(|set| set & KILL != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{Condition, Purpose, Start};

    fn dir(name: &str) -> std::path::PathBuf {
        let dir = std::env::temp_dir().join(format!("mclive-lock-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[test]
    fn the_owner_of_the_directory_is_reported_immediately() {
        let dir = dir("told");
        let first = Lock::take(&dir).unwrap();
        let begun = Instant::now();
        let refused = Lock::take(&dir).err().unwrap().to_string();
        assert!(refused.contains(&format!("pid {}, since", std::process::id())), "{refused}");
        assert!(begun.elapsed() < OUTLIVES, "a holder that lives is not waited for");
        drop(first);
        assert!(Lock::take(&dir).is_ok());
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_lock_is_held_without_its_file() {
        let dir = dir("unlinked");
        let first = Lock::take(&dir).unwrap();
        std::fs::remove_file(dir.join(NAME)).unwrap();
        let refused = Lock::take(&dir).err().unwrap().to_string();
        assert!(refused.contains("another agent is using"), "{refused}");
        assert!(!dir.join(NAME).exists(), "who is refused leaves nothing there");
        drop(first);
        assert!(Lock::take(&dir).is_ok());
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn nobody_else_can_lock_an_agent_out() {
        use std::os::unix::fs::PermissionsExt;
        let dir = dir("strangers");
        let mode = |mode| std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(mode)).unwrap();
        let stranger = File::open(&dir).unwrap();
        flock(&stranger, FlockOperation::NonBlockingLockExclusive).unwrap();
        mode(0o755);
        let first = Lock::take(&dir).unwrap();
        std::fs::remove_file(dir.join(NAME)).unwrap();
        assert!(Lock::take(&dir).is_err(), "it is held without its file as well");
        drop(first);
        assert_eq!(std::fs::metadata(dir.join(OWN)).unwrap().permissions().mode() & 0o777, 0o700);
        mode(0o700);
        assert!(Lock::take(&dir).is_err(), "only an agent can have opened it");
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn who_was_killed_is_about_to_end_whether_or_not_he_was_asked_after() {
        let child =
            Start::new("/bin/sleep", Purpose::Look).args(["60"]).begin().unwrap_or_else(|_| panic!("it sleeps"));
        let pid = child.leader();
        assert!(!is_ending(pid) && !is_ending(rustix::process::getpid()));
        child.group().stop(Signal::KILL);
        assert!(is_ending(pid), "it was killed");
        while child.group().condition() == Condition::Runs {
            std::thread::yield_now();
        }
        assert!(is_ending(pid), "its status was not requested");
    }

    #[test]
    fn a_lock_that_outlives_its_agent_is_waited_for() {
        let dir = dir("outlives");
        // Larger than any process number of the kernel.
        const NOBODY: u32 = 1 << 30;
        std::fs::write(dir.join(NAME), format!("{NOBODY} 1700000000\n")).unwrap();
        let child = File::open(dir.join(NAME)).unwrap();
        flock(&child, FlockOperation::NonBlockingLockExclusive).unwrap();
        let child = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(child);
        });
        assert!(Lock::take(&dir).is_ok());
        child.join().unwrap();
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_dropped_lock_is_free_though_others_have_it_open() {
        let dir = dir("dropped");
        let lock = Lock::take(&dir).unwrap();
        // What a command has that another thread is starting.
        let copies = [&lock.dir, &lock.file].map(|held| held.try_clone().unwrap());
        drop(lock);
        assert!(Lock::take(&dir).is_ok());
        drop(copies);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
