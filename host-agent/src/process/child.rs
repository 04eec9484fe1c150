//! [`Child`]: a started process, and [`Group`], by which others may signal it while it exists.

use super::Purpose;
use super::reaper::Slot;
use crate::lock::Mutex;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::Result;
use std::process::{ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::Arc;

/// A child process, the leader of its group. Dropping it kills the group.
pub(crate) struct Child {
    child: std::process::Child,
    group: Group,
}

/// The process group of a child. It can be signalled only until the child is reaped: then its number may belong to
/// another group.
#[derive(Clone)]
pub(crate) struct Group(Arc<Mutex<Option<Led>>>);

struct Led {
    leader: Pid,
    purpose: Purpose,
    /// It was asked to end, with all its descendants.
    is_to_end: bool,
    _slot: Option<Slot>,
}

/// The state of a child.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    Runs,
    /// By itself or by a signal, and not reaped yet.
    Ended,
    Reaped,
}

impl Group {
    pub(super) fn of(child: &std::process::Child, purpose: Purpose, slot: Option<Slot>) -> Group {
        let led = Led { leader: Pid::from_child(child), purpose, is_to_end: false, _slot: slot };
        Group(Arc::new(Mutex::new(Some(led))))
    }

    pub(crate) fn condition(&self) -> Condition {
        match &*self.0.lock() {
            None => Condition::Reaped,
            Some(led) if has_ended(led.leader, WaitIdOptions::NOHANG) => Condition::Ended,
            Some(_) => Condition::Runs,
        }
    }

    /// Asks the whole group to end. The rest is killed when the leader has ended.
    pub(crate) fn stop(&self, signal: Signal) {
        if let Some(led) = &mut *self.0.lock() {
            led.is_to_end = true;
            let _ = kill_process_group(led.leader, signal);
        }
    }

    /// Sends a signal to the leader alone.
    pub(crate) fn signal_leader(&self, signal: Signal) {
        if let Some(led) = &*self.0.lock() {
            let _ = rustix::process::kill_process(led.leader, signal);
        }
    }

    /// Waits for the leader's end, and releases its number.
    fn retire(&self) {
        let leader = self.0.lock().as_ref().map(|led| led.leader);
        // Unlocked, so that it can be stopped in the meantime.
        if let Some(leader) = leader {
            has_ended(leader, WaitIdOptions::empty());
        }
        if let Some(led) = self.0.lock().take()
            && (led.is_to_end || led.purpose == Purpose::Look)
        {
            let _ = kill_process_group(led.leader, Signal::KILL);
        }
    }
}

fn has_ended(leader: Pid, more: WaitIdOptions) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | more;
    loop {
        match waitid(WaitId::Pid(leader), options) {
            Err(rustix::io::Errno::INTR) => {}
            found => return matches!(found, Ok(Some(_))),
        }
    }
}

impl Child {
    pub(super) fn new(child: std::process::Child, group: Group) -> Child {
        Child { child, group }
    }

    pub(crate) fn group(&self) -> &Group {
        &self.group
    }

    pub(crate) fn leader(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub(super) fn stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    pub(crate) fn stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    pub(crate) fn stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Its exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        match self.group.condition() {
            Condition::Runs => None,
            Condition::Ended | Condition::Reaped => self.reap().ok(),
        }
    }

    /// Waits for its end. From then on its number gets no signals.
    pub(super) fn reap(&mut self) -> Result<ExitStatus> {
        self.group.retire();
        self.child.wait()
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.group.stop(Signal::KILL);
        let _ = self.reap();
    }
}
