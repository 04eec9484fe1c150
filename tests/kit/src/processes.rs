//! The processes of this machine, from `/proc`.

use std::fs;

/// A running process; zombies do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its id.
    pub pid: u32,
    /// The id of its parent.
    pub parent: u32,
    /// When it started, in ticks since boot: process ids are reused, with another start.
    pub start: u64,
    /// The short name, in brackets for a kernel thread.
    pub name: String,
    /// Its arguments; empty for a kernel thread.
    pub argv: Vec<String>,
}

impl Process {
    /// The process with this id.
    pub fn of(pid: u32) -> Option<Process> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name may contain anything, even brackets; after it come numbers.
        let (head, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let state = *fields.first()?;
        let argv = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let argv = String::from_utf8_lossy(&argv);
        let process = Process {
            pid,
            parent: fields.get(1)?.parse().ok()?,
            start: fields.get(19)?.parse().ok()?,
            name: head.split_once('(')?.1.to_owned(),
            argv: argv.split_terminator('\0').map(str::to_owned).collect(),
        };
        (!["Z", "X"].contains(&state)).then_some(process)
    }

    /// A variable of its initial environment.
    pub fn variable(&self, name: &str) -> Option<String> {
        let environment = fs::read(format!("/proc/{}/environ", self.pid)).ok()?;
        let environment = String::from_utf8_lossy(&environment);
        environment
            .split('\0')
            .find_map(|line| Some(line.split_once('=')?).filter(|(it, _)| *it == name)?.1.to_owned().into())
    }
}

/// All processes visible to this one, by id.
pub fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut found: Vec<Process> = pids.filter_map(Process::of).collect();
    found.sort_by_key(|process| process.pid);
    found
}

/// The descendants of a process.
pub fn below(pid: u32) -> Vec<Process> {
    let all = all();
    let mut family = vec![pid];
    let mut found = Vec::new();
    // Parents come in any order.
    loop {
        let more = all.iter().filter(|one| family.contains(&one.parent) && !family.contains(&one.pid));
        let more: Vec<Process> = more.cloned().collect();
        if more.is_empty() {
            return found;
        }
        family.extend(more.iter().map(|one| one.pid));
        found.extend(more);
    }
}

/// Kills a process; it may have ended already.
pub fn kill(pid: u32) {
    if let Some(pid) = rustix::process::Pid::from_raw(pid.cast_signed()).filter(|_| pid > 1) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}
