//! A small process that outlives the agent, and ends processes that are useless without it.
//!
//! An agent killed with SIGKILL stops nothing. With the first child that must end with it, it starts this program again
//! as a reaper. The two share a table of process groups in memory. A child enters itself, between `fork` and `exec`,
//! into a slot that was reserved for it: it never runs without being in the table.
//!
//! The reaper sleeps until the agent has ended, and nothing ever waits for it. Then it kills the groups of the table. A
//! child that was being started in that moment still holds the agent's end of a pipe, which `exec` closes: when the
//! pipe ends, every child is in the table, and the reaper goes through it once more.
//!
//! A reaper that is killed before the agent is replaced immediately, not only with the next child: the agent may be
//! killed before it starts another.
//!
//! The parent-death signal of Linux is not a substitute: it reaches the child but not its descendants, is sent when the
//! thread that started it ends, and is lost when the child changes its user.

use super::start::command;
use crate::lock::Mutex;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::OwnedFd;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::{Errno, fcntl_dupfd_cloexec, pread, pwrite};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, kill_process_group, pidfd_open};
use std::fs::File;
use std::io::{ErrorKind, Read, Result};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The subcommand of the reaper.
pub(crate) const NAME: &str = "reap-groups";

static REAPER: Mutex<Option<Reaper>> = Mutex::new(None);

/// The agent's side.
struct Reaper {
    /// The number of the group in each slot, or 0.
    table: Arc<File>,
    taken: Vec<bool>,
    child: std::process::Child,
    /// Open during the agent's life, and in its children until `exec`.
    _life: OwnedFd,
}

/// A reaper that ends sooner is replaced after this time.
const SHORT_LIFE: Duration = Duration::from_secs(1);

const SLOT: u64 = size_of::<i32>() as u64;

/// A slot of the table for the next child; until it is dropped, the child does not outlive the agent. Drop it before
/// the child is reaped: afterwards its number may belong to another group.
pub(super) struct Slot {
    nth: usize,
    table: Arc<File>,
}

/// The data that a child needs to enter itself.
pub(super) struct Mark {
    at: u64,
    table: Arc<File>,
}

/// Reserves a slot. Without a reaper a child may outlive the agent, which is reported.
pub(super) fn slot() -> Option<Slot> {
    let mut reaper = REAPER.lock();
    let fails = |error| {
        let why = "commands will keep running if this agent is killed";
        crate::output::tell(&format!("mclive: warning: {why}: {error}"));
    };
    Reaper::running(&mut reaper).map(Reaper::slot).map_err(fails).ok()
}

/// Kills the children that must end with the agent, at its end.
pub(crate) fn finish() {
    // No slot is dropped under the lock, so the numbers read here are not reaped.
    if let Some(reaper) = &*REAPER.lock() {
        end(&*reaper.table);
    }
}

impl Slot {
    pub(super) fn mark(&self) -> Mark {
        Mark { at: self.nth as u64 * SLOT, table: self.table.clone() }
    }
}

impl Mark {
    /// Called by the child, the leader of a new group. It makes only system calls.
    pub(super) fn enter(&self) -> Result<()> {
        put(&*self.table, self.at, getpid().as_raw_nonzero().get())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(reaper) = &mut *REAPER.lock() {
            reaper.taken[self.nth] = put(&*self.table, self.nth as u64 * SLOT, 0).is_err();
        }
    }
}

/// Replaces the reaper when it has ended. If that fails, the next child tries again.
fn replace_when_it_ends(reaper: &OwnedFd) {
    let begun = Instant::now();
    while poll(&mut [PollFd::new(reaper, PollFlags::IN)], None) == Err(Errno::INTR) {}
    // One that ends repeatedly is not started in a loop.
    if begun.elapsed() < SHORT_LIFE {
        std::thread::sleep(SHORT_LIFE);
    }
    let _ = Reaper::running(&mut REAPER.lock());
}

impl Reaper {
    /// The running reaper. If it was killed, a new one is started for the same table.
    fn running(known: &mut Option<Reaper>) -> Result<&mut Reaper> {
        let is_alive = known.as_mut().is_some_and(|reaper| matches!(reaper.child.try_wait(), Ok(None)));
        if !is_alive {
            let (table, taken) = match known.take() {
                Some(Reaper { table, taken, .. }) => (table, taken),
                None => (Arc::new(memfd_create("mclive-groups", MemfdFlags::CLOEXEC)?.into()), Vec::new()),
            };
            *known = Some(Reaper::start(table, taken)?);
        }
        known.as_mut().ok_or_else(|| std::io::Error::other("no reaper is running"))
    }

    fn start(table: Arc<File>, taken: Vec<bool>) -> Result<Reaper> {
        let (life, _life) = pipe_with(PipeFlags::CLOEXEC)?;
        // Without process descriptors in the kernel, only the pipe marks the end.
        let agent = pidfd_open(getpid(), PidfdFlags::empty()).or_else(|_| fcntl_dupfd_cloexec(&life, 0))?;
        let mut command = command("/proc/self/exe".as_ref());
        command.process_group(0).arg0("mclive").arg(NAME).current_dir("/");
        command.stdin(life).stdout(table.try_clone()?).stderr(agent);
        let child = command.spawn()?;
        // Without process descriptors it is replaced with the next child.
        if let Ok(reaper) = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()) {
            let minds = move || replace_when_it_ends(&reaper);
            let _ = std::thread::Builder::new().name("reaper".into()).stack_size(64 << 10).spawn(minds);
        }
        Ok(Reaper { table, taken, child, _life })
    }

    fn slot(&mut self) -> Slot {
        let nth = self.taken.iter().position(|is_taken| !is_taken).unwrap_or(self.taken.len());
        self.taken.resize(self.taken.len().max(nth + 1), false);
        self.taken[nth] = true;
        Slot { nth, table: self.table.clone() }
    }
}

fn put(table: impl AsFd, at: u64, number: i32) -> Result<()> {
    match pwrite(table, &number.to_ne_bytes(), at) {
        Ok(n) if n as u64 == SLOT => Ok(()),
        Ok(_) => Err(ErrorKind::WriteZero.into()),
        Err(errno) => Err(errno.into()),
    }
}

/// Kills the groups of a table, and clears it: later their numbers may belong to others.
fn end(table: impl AsFd) {
    let mut number = [0; SLOT as usize];
    for nth in 0.. {
        match pread(&table, &mut number, nth * SLOT) {
            Ok(n) if n == number.len() => {}
            Ok(_) | Err(_) => return,
        }
        // 0 is an empty slot, and 1 must never be signalled.
        if let Some(group) = Pid::from_raw(i32::from_ne_bytes(number).max(0)).filter(|group| !group.is_init()) {
            let _ = kill_process_group(group, Signal::KILL);
            let _ = put(&table, nth * SLOT, 0);
        }
    }
}

/// The reaper process. Standard input ends with the agent and the children it was starting, standard output is the
/// table, and standard error becomes ready when the agent has ended.
pub(crate) fn reap() {
    // A service manager asks all processes of a unit to end; this one ends after the agent.
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    let (agent, table) = (std::io::stderr(), std::io::stdout());
    while poll(&mut [PollFd::new(&agent, PollFlags::IN)], None) == Err(Errno::INTR) {}
    end(&table);
    let mut life = std::io::stdin().lock();
    while life.read(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::Interrupted) {}
    end(&table);
}
