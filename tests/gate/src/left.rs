//! Leftovers of a suite: processes that outlive it. They become children of this process, the reaper of all its
//! orphans; they are killed, and a suite with any fails.

use rustix::process::{Pid, Signal, WaitOptions, kill_process, wait};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

/// How long a process may take to end after its suite, or after another one: on a busy machine, those of a browser take
/// some seconds.
const GRACE: Duration = Duration::from_secs(15);

/// Waits a moment for remaining processes, kills them, and describes them; empty for a clean suite.
pub(crate) fn end_all() -> Vec<String> {
    let own = std::process::id();
    let (mut fewest, mut since) = (usize::MAX, Instant::now());
    loop {
        bury();
        let left = descendants(own);
        if left.is_empty() {
            return Vec::new();
        }
        if left.len() < fewest {
            (fewest, since) = (left.len(), Instant::now());
        }
        if since.elapsed() > GRACE {
            let told = left.iter().map(|pid| words(*pid)).collect();
            kill_all(own);
            bury();
            return told;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Kills all descendants of a process.
pub(crate) fn kill_all(of: u32) {
    // Processes started in the meantime are found in a further round.
    for _ in 0..20 {
        let left = descendants(of);
        let alive: Vec<Pid> = left.iter().filter(|pid| is_alive(**pid)).filter_map(|pid| Pid::from_raw(*pid)).collect();
        if alive.is_empty() {
            return;
        }
        for pid in alive {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Kills the children of a process, but not their descendants.
pub(crate) fn kill_children(of: u32) {
    for pid in children(of).into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process(pid, Signal::KILL);
    }
}

/// Reaps the orphans that have ended.
fn bury() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

fn descendants(of: u32) -> BTreeSet<i32> {
    let mut found = BTreeSet::new();
    let mut ahead = vec![of.cast_signed()];
    while let Some(pid) = ahead.pop() {
        ahead.extend(children(pid.cast_unsigned()).into_iter().filter(|pid| found.insert(*pid)));
    }
    found
}

fn children(of: u32) -> Vec<i32> {
    let tasks = fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten();
    let listed = tasks.map(|task| fs::read_to_string(task.path().join("children")).unwrap_or_default());
    listed.flat_map(|line| line.split_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>()).collect()
}

/// A zombie is still listed.
fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn words(pid: i32) -> String {
    let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let line: String = line.replace('\0', " ").chars().take(200).collect();
    format!("process {pid}: {}", line.trim_end())
}
