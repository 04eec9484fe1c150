//! The processes of this machine, as `/proc` tells them.

use std::fs;

/// A process that runs: a zombie is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub parent: u32,
    /// When it began, in ticks since the machine started: the number of a process that is gone comes again, with
    /// another beginning.
    pub start: u64,
    /// Short, in brackets for a thread of the kernel.
    pub name: String,
    /// Its words; empty for a thread of the kernel.
    pub argv: Vec<String>,
}

impl Process {
    pub fn of(pid: u32) -> Option<Process> {
        let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let stat = String::from_utf8_lossy(&stat);
        // The name may hold anything, brackets too; what comes after it is numbers.
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

    /// A variable of the environment that it was started with.
    pub fn variable(&self, name: &str) -> Option<String> {
        let environment = fs::read(format!("/proc/{}/environ", self.pid)).ok()?;
        let environment = String::from_utf8_lossy(&environment);
        environment
            .split('\0')
            .find_map(|line| Some(line.split_once('=')?).filter(|(it, _)| *it == name)?.1.to_owned().into())
    }
}

/// Those that this process can see, by their numbers.
pub fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut found: Vec<Process> = pids.filter_map(Process::of).collect();
    found.sort_by_key(|process| process.pid);
    found
}

/// Those that a process started, and those that they started.
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

/// Ends one at once; it may have ended already.
pub fn kill(pid: u32) {
    if let Some(pid) = rustix::process::Pid::from_raw(pid.cast_signed()).filter(|_| pid > 1) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}
