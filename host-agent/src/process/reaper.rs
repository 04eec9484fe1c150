//! A small process that outlives the agent, and ends what nobody has a use for without it.
//!
//! An agent that is killed with SIGKILL stops nothing. With the first child that is to end with it, it starts this program
//! once more, as a reaper. The two share a table of process groups in memory. A child enters itself, between `fork` and
//! `exec`, into a slot that was taken for it before: there is no moment at which it runs and is not in the table.
//!
//! The reaper sleeps until the agent has ended, and nobody ever waits for it. Then it kills the groups of the table. A child
//! that was being started in that moment still holds the agent's end of a pipe, which `exec` closes: when the pipe ends,
//! whoever was on the way is in the table, and the reaper goes through it once more.
//!
//! The parent-death signal of Linux is no substitute: it reaches the child but nothing that the child started, comes with
//! the end of the thread that started it, and is lost when the child changes its user.

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

/// The subcommand that is the reaper.
pub(crate) const NAME: &str = "reap-groups";

static REAPER: Mutex<Option<Reaper>> = Mutex::new(None);

/// The agent's side.
struct Reaper {
    /// The number of a group in each slot, or 0.
    table: Arc<File>,
    taken: Vec<bool>,
    child: std::process::Child,
    /// Open as long as the agent lives, and in a child of it until that runs its program.
    _life: OwnedFd,
}

const SLOT: u64 = size_of::<i32>() as u64;

/// A place in the table for a child that is started next; until it is dropped, the child does not outlive the agent. That
/// must be before the child is reaped: afterwards its number may be another group's.
pub(super) struct Slot {
    nth: usize,
    table: Arc<File>,
}

/// What a child needs to enter itself.
pub(super) struct Mark {
    at: u64,
    table: Arc<File>,
}

/// Takes a slot. Without a reaper a child may outlive the agent, which is told.
pub(super) fn slot() -> Option<Slot> {
    let mut reaper = REAPER.lock();
    let fails = |error| {
        let why = "commands will keep running if this agent is killed";
        crate::output::tell(&format!("mclive: warning: {why}: {error}"));
    };
    Reaper::running(&mut reaper).map(Reaper::slot).map_err(fails).ok()
}

/// Ends the children that are to end with the agent, which does so now.
pub(crate) fn finish() {
    // Under the lock no slot is left, so nobody is reaped whose number is read here.
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
    /// Called by the child, the leader of a group of its own. It makes system calls and nothing else.
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

impl Reaper {
    /// The one that runs. One that was killed has a successor, who minds the same groups.
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
        // Where the kernel has no descriptors of processes, the pipe alone tells.
        let agent = pidfd_open(getpid(), PidfdFlags::empty()).or_else(|_| fcntl_dupfd_cloexec(&life, 0))?;
        let mut command = command("/proc/self/exe".as_ref());
        command.arg0("mclive").arg(NAME).current_dir("/");
        command.stdin(life).stdout(table.try_clone()?).stderr(agent);
        Ok(Reaper { table, taken, child: command.spawn()?, _life })
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

/// Kills the groups of a table, and forgets them: later their numbers may be others'.
fn end(table: impl AsFd) {
    let mut number = [0; SLOT as usize];
    for nth in 0.. {
        match pread(&table, &mut number, nth * SLOT) {
            Ok(n) if n == number.len() => {}
            Ok(_) | Err(_) => return,
        }
        // 0 is nobody, and 1 is everybody's.
        if let Some(group) = Pid::from_raw(i32::from_ne_bytes(number).max(0)).filter(|group| !group.is_init()) {
            let _ = kill_process_group(group, Signal::KILL);
            let _ = put(&table, nth * SLOT, 0);
        }
    }
}

/// The reaper's side. Standard input ends with the agent and all that it was starting, standard output is the table, and
/// standard error can be waited for until the agent itself has ended.
pub(crate) fn reap() {
    // A manager of services asks all processes of a unit to end; this one does when the agent has.
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
