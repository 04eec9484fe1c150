//! A small process that outlives the agent, and ends what nobody has a use for without it.
//!
//! Commands that are followed and downloads run until they are stopped, and an agent that is killed with SIGKILL stops
//! nothing. With the first of them the agent starts this program once more, as a reaper. The two share a table of
//! process groups in memory, and a pipe whose only writing end is the agent's: the kernel closes it however the agent
//! ends, and then the reaper kills the groups of the table. Until then it sleeps, and nobody ever waits for it.
//!
//! The parent-death signal of Linux is no substitute: it reaches the command but nothing that the command started, and
//! is lost when the command changes its user.

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::pread;
use rustix::process::{Pid, Signal, kill_process_group};
use std::fs::File;
use std::io::{Read, Result};
use std::os::unix::fs::FileExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};

/// The subcommand that is the reaper.
pub(crate) const NAME: &str = "reap-groups";

static REAPER: Mutex<Option<Reaper>> = Mutex::new(None);

/// The agent's side.
struct Reaper {
    /// The number of a group in each slot, or 0.
    table: File,
    taken: Vec<bool>,
    child: Child,
    /// Open as long as the agent lives.
    _life: Option<ChildStdin>,
}

const SLOT: u64 = size_of::<i32>() as u64;

/// A process group that does not outlive the agent, until this is dropped. That must be before its leader is reaped:
/// afterwards the number may be another group's.
pub(crate) struct Minded {
    slot: usize,
}

/// Starts the reaper, so that a command that is started next is minded at once. What keeps it from running is told when
/// a group is to be minded. An agent that is killed between the start of a command and the next line of its own leaves
/// that command behind.
pub(crate) fn ready() {
    let _ = Reaper::running(&mut REAPER.lock().expect("no holder panics"));
}

/// Minds a process group. Without a reaper it may outlive the agent, which is told.
pub(crate) fn mind(group: Pid) -> Option<Minded> {
    let mut reaper = REAPER.lock().expect("no holder panics");
    let minded = Reaper::running(&mut reaper).and_then(|reaper| reaper.mind(group));
    let fails = |error| {
        crate::output::tell(&format!(
            "mclive: warning: process {} goes on if this agent is killed: {error}",
            group.as_raw_nonzero()
        ));
    };
    minded.map_err(fails).ok()
}

impl Drop for Minded {
    fn drop(&mut self) {
        if let Some(reaper) = &mut *REAPER.lock().expect("no holder panics") {
            reaper.taken[self.slot] = reaper.put(self.slot, 0).is_err();
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
                None => (File::from(memfd_create("mclive-groups", MemfdFlags::CLOEXEC)?), Vec::new()),
            };
            *known = Some(Reaper::start(table, taken)?);
        }
        known.as_mut().ok_or_else(|| std::io::Error::other("there is no reaper"))
    }

    fn start(table: File, taken: Vec<bool>) -> Result<Reaper> {
        let mut command = Command::new("/proc/self/exe");
        command.arg0("mclive").arg(NAME).env_clear().current_dir("/");
        // Out of reach of a terminal's ^C, which ends the agent in its own time.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(table.try_clone()?).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let _life = child.stdin.take();
        Ok(Reaper { table, taken, child, _life })
    }

    fn mind(&mut self, group: Pid) -> Result<Minded> {
        let slot = self.taken.iter().position(|is_taken| !is_taken).unwrap_or(self.taken.len());
        self.put(slot, group.as_raw_nonzero().get())?;
        self.taken.resize(self.taken.len().max(slot + 1), false);
        self.taken[slot] = true;
        Ok(Minded { slot })
    }

    fn put(&self, slot: usize, number: i32) -> Result<()> {
        self.table.write_all_at(&number.to_ne_bytes(), slot as u64 * SLOT)
    }
}

/// The reaper's side: standard input ends with the agent, and standard output is the table.
pub(crate) fn reap() {
    // A manager of services asks all processes of a unit to end; this one does when the agent has.
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        let _ = signal_hook::flag::register(signal, Arc::default());
    }
    let mut life = std::io::stdin().lock();
    while life.read(&mut [0]).is_err_and(|error| error.kind() == std::io::ErrorKind::Interrupted) {}
    let table = std::io::stdout();
    let mut number = [0; size_of::<i32>()];
    for slot in 0.. {
        match pread(&table, &mut number, slot * SLOT) {
            Ok(n) if n == number.len() => {}
            Ok(_) | Err(_) => return,
        }
        // 0 is nobody, and 1 is everybody's.
        if let Some(group) = Pid::from_raw(i32::from_ne_bytes(number).max(0)).filter(|group| !group.is_init()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
