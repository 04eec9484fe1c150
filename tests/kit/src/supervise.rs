//! [`supervised!`](crate::supervised): everything that a test binary starts ends with it, however it ends.
//!
//! ```text
//! first            the started process: waits, and ends with the harness's status
//!   supervisor     kills everything when the first or the harness has ended, and cleans up
//!     keeper       process 1 of a pid and mount namespace
//!       harness    the tests, with everything they start
//! ```
//!
//! The kernel ends a pid namespace with its process 1, and that one with the supervisor. The supervisor notices the end
//! of the first by a pipe; SIGKILL closes its end as well. First and harness stay in their process group, so that ^C
//! reaches them; supervisor and keeper leave it, so that it does not.
//!
//! Without root there is no keeper. Then orphans become children of the supervisor, which kills all its descendants, or
//! the first does when the supervisor is lost. Only if both are killed at the same moment something remains, until the
//! next start finds it ([`crate::clear`]).

#![allow(unsafe_code, reason = "`fork`, namespaces and signals, each with its reason at the call")]

use crate::run::Run;
use crate::{clear, processes};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::Mode;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait, waitpid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Puts a test binary under a supervisor; used once in its main file.
///
/// The temporary folder of the tests is private to the run and removed with it; after a failure it is kept until the
/// next start.
#[macro_export]
macro_rules! supervised {
    () => {
        // Before `main`, while there is only one thread: forking and entering namespaces require that.
        #[used]
        #[allow(unsafe_code)]
        #[unsafe(link_section = ".init_array")]
        static SUPERVISED: extern "C" fn() = {
            extern "C" fn begin() {
                $crate::supervise::begin();
            }
            begin
        };
    };
}

/// Messages to the supervisor from its child, and to the first from the supervisor.
const IS_READY: u8 = b'r';
const HAS_NO_ROOM: u8 = b'n';
const HAS_ENDED: u8 = b'e';

#[derive(Clone, Copy, PartialEq, Eq)]
enum Room {
    /// Private pid and mount namespaces.
    Apart,
    /// The namespaces of the machine.
    Shared,
}

/// The end of an attempt, as reported to the first.
enum Verdict {
    /// The status as from `waitpid`.
    Ended(i32),
    NoRoom,
    /// The supervisor is lost.
    None,
}

/// Returns only in the harness.
pub fn begin() {
    if std::env::var_os(Run::VARIABLE).is_some() {
        return;
    }
    let run = Run::own();
    let base = std::env::temp_dir();
    clear::dead_runs(&base);
    let folder = base.join(run.to_string());
    // With the permissions of its parent: tests run as several users.
    let made =
        rustix::fs::mkdir(&folder, Mode::RWXU).and_then(|()| rustix::fs::chmod(&folder, Mode::from_raw_mode(0o1777)));
    if let Err(error) = made {
        leave(&format!("no directory for temporary files: {}: {error}", folder.display()));
    }
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    for room in [Room::Apart, Room::Shared] {
        match attempt(room, run, &folder) {
            Err(error) => leave(&format!("cannot supervise the tests: {error}")),
            Ok(None) => return,
            Ok(Some(Verdict::NoRoom)) => {}
            Ok(Some(Verdict::Ended(status))) => end_as(status),
            Ok(Some(Verdict::None)) => {
                end_descendants();
                clear::run(run, &folder);
                leave("the test supervisor was killed, together with everything that the tests started");
            }
        }
    }
    leave("cannot supervise the tests");
}

/// `None`: this is the harness.
fn attempt(room: Room, run: Run, folder: &Path) -> io::Result<Option<Verdict>> {
    let (life_ends, life) = pipe()?;
    let (mut verdict, mut tells) = pipe()?;
    let Some(supervisor) = fork()? else {
        drop((life, verdict));
        let Some(told) = supervise(room, &life_ends) else {
            let_others_hear();
            // SAFETY: there is one thread.
            unsafe {
                std::env::set_var(Run::VARIABLE, run.to_string());
                std::env::set_var("TMPDIR", folder);
            }
            return Ok(None);
        };
        // A killed run has nothing to show.
        let status = told.strip_prefix(&[HAS_ENDED]).and_then(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
        let has_failed = status.is_some_and(|status| libc::WIFEXITED(status) && libc::WEXITSTATUS(status) != 0);
        if has_failed && clear::keep(run, folder) {
            eprintln!("files of the failed tests are in {} until the next run", folder.display());
        } else if told != [HAS_NO_ROOM] && !has_failed {
            clear::run(run, folder);
        }
        let _ = tells.write_all(&told);
        exit(0);
    };
    drop((life_ends, tells));
    let mut told = Vec::new();
    verdict.read_to_end(&mut told)?;
    let _ = waitpid(Some(supervisor), WaitOptions::empty());
    drop(life);
    Ok(Some(match told[..] {
        [HAS_NO_ROOM] => Verdict::NoRoom,
        [HAS_ENDED, a, b, c, d] => Verdict::Ended(i32::from_ne_bytes([a, b, c, d])),
        _ => Verdict::None,
    }))
}

/// The supervisor: starts the harness, and returns when nothing of it is left, with its report. `None`: this is the
/// harness.
fn supervise(room: Room, life: &File) -> Option<Vec<u8>> {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    // SAFETY: there is one thread, and only future processes are affected.
    if room == Room::Apart && unsafe { unshare_unsafe(UnshareFlags::NEWPID) }.is_err() {
        return Some(vec![HAS_NO_ROOM]);
    }
    let started = pipe().and_then(|(said, says)| Ok((said, says, fork()?)));
    let (mut said, says, child) =
        started.unwrap_or_else(|error| leave(&format!("cannot start the supervisor: {error}")));
    let Some(child) = child else {
        drop(said);
        become_harness(room, says);
        return None;
    };
    drop(says);
    let _ = rustix::process::setpgid(None, None);
    for signal in [libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: no handler is called.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
    let mut told = Vec::new();
    while listen(life, &mut said, &mut told) {}
    let _ = kill_process(child, Signal::KILL);
    let status = waitpid(Some(child), WaitOptions::empty()).ok().flatten();
    end_descendants();
    Some(match (room, told.strip_prefix(&[IS_READY])) {
        (Room::Apart, Some(rest)) => rest.to_vec(),
        (Room::Shared, Some(_)) => status.map_or_else(Vec::new, |(_, status)| ended(status)),
        (_, None) => Vec::new(),
    })
}

/// In the supervisor's child; returns only in the harness.
fn become_harness(room: Room, mut says: File) {
    // It ends with the supervisor. One that has already ended does not read.
    let ends = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    if ends.is_err() || says.write_all(&[IS_READY]).is_err() {
        exit(1);
    }
    match room {
        Room::Apart => keep(says),
        // Stays open while the harness lives, and is not inherited.
        Room::Shared => std::mem::forget(says),
    }
}

/// The harness may have inherited ignored signals, from `nohup` or as a background job, and children inherit them too.
/// The harness keeps ignoring them; its children do not, since a signal handler is reset by `exec`.
fn let_others_hear() {
    extern "C" fn nothing(_: libc::c_int) {}
    for signal in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM] {
        let mut now = std::mem::MaybeUninit::<libc::sigaction>::uninit();
        // SAFETY: there is one thread, the result is written before it is read, and the handler does nothing.
        unsafe {
            if libc::sigaction(signal, std::ptr::null(), now.as_mut_ptr()) == 0
                && now.assume_init().sa_sigaction == libc::SIG_IGN
            {
                libc::signal(signal, nothing as *const () as libc::sighandler_t);
            }
        }
    }
}

/// Waits for a message. `false`: the first, or the supervisor's child, has ended.
fn listen(life: &File, said: &mut File, told: &mut Vec<u8>) -> bool {
    let mut both = [PollFd::new(life, PollFlags::IN), PollFd::new(&*said, PollFlags::IN)];
    if poll(&mut both, None).is_err() {
        return true;
    }
    let [is_over, is_said] = both.map(|one| !one.revents().is_empty());
    let mut bytes = [0; 16];
    match is_said.then(|| said.read(&mut bytes)) {
        _ if is_over => false,
        Some(Ok(n_read)) => {
            told.extend(&bytes[..n_read]);
            n_read > 0
        }
        Some(Err(_)) | None => true,
    }
}

/// Process 1 of the namespace: starts the harness, reaps orphans, and ends with the harness. Returns only in the
/// harness.
fn keep(mut says: File) {
    let apart = || -> io::Result<()> {
        // SAFETY: there is one thread.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS)? };
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        Ok(mount("proc", "/proc", "proc", MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC, None)?)
    };
    let harness = match apart().and_then(|()| fork()) {
        Ok(None) => return,
        Ok(Some(harness)) => harness,
        Err(_) => {
            let _ = says.write_all(&[HAS_NO_ROOM]);
            exit(1);
        }
    };
    let _ = rustix::process::setpgid(None, None);
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == harness => {
                let _ = says.write_all(&ended(status));
                exit(0);
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => exit(1),
        }
    }
}

fn ended(status: WaitStatus) -> Vec<u8> {
    [&[HAS_ENDED][..], &status.as_raw().to_ne_bytes()].concat()
}

/// Kills all descendants of this process, including orphans: they are reparented to a process like this one. Reports
/// those that do not end.
fn end_descendants() {
    const LIMIT: Duration = Duration::from_secs(30);
    let began = Instant::now();
    loop {
        let descendants = processes::below(std::process::id());
        descendants.iter().for_each(|one| processes::kill(one.pid));
        // Reaping makes room for the children they leave.
        while matches!(wait(WaitOptions::NOHANG), Ok(Some(_))) {}
        if descendants.is_empty() {
            return;
        }
        if began.elapsed() > LIMIT {
            return eprintln!("mclive-kit: these processes do not exit: {descendants:?}");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Ends this process with the status of another one.
fn end_as(status: i32) -> ! {
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        let none = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: these C library calls affect only this process. A crashed process has already left its core.
        unsafe {
            libc::setrlimit(libc::RLIMIT_CORE, &none);
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
    exit(libc::WEXITSTATUS(status));
}

fn leave(why: &str) -> ! {
    eprintln!("mclive-kit: {why}");
    exit(70);
}

fn pipe() -> io::Result<(File, File)> {
    let (reads, writes) = pipe_with(PipeFlags::CLOEXEC)?;
    Ok((reads.into(), writes.into()))
}

/// `None` in the child.
fn fork() -> io::Result<Option<Pid>> {
    // SAFETY: there is one thread, so the child may do everything that the parent may.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// Without the exit handlers of the C library, which belong to the harness.
fn exit(code: i32) -> ! {
    // SAFETY: it ends this process.
    unsafe { libc::_exit(code) }
}
