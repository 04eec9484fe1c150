//! Processes and control groups.

use super::State;
use crate::cgroup;
use crate::processes::{self, Process};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Only new ones count: it is normal that processes end or that a manager removes a group, and a service ended by a
/// test shows among the units.
pub(super) fn is_left(was: Option<&str>, is: Option<&str>) -> bool {
    was.is_none() && is.is_some()
}

/// Groups without processes, even below them. A group with processes is as new as they are, and managers of machines,
/// sessions and jobs make some all the time; a leftover of a test is empty, or its processes are reported.
pub(super) fn groups() -> Result<State, String> {
    let mut state = State::new();
    for root in cgroup::mounted() {
        fill(&root, &mut state);
    }
    Ok(state)
}

/// Whether a group, including those below it, has processes.
fn fill(group: &Path, state: &mut State) -> bool {
    let below: Vec<bool> = cgroup::folders_in(group).iter().map(|folder| fill(folder, state)).collect();
    let members = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    let is_used = !members.is_empty() || below.contains(&true);
    if !is_used && group.exists() {
        state.insert(group.display().to_string(), String::new());
    }
    is_used
}

/// Orphaned processes, and those started by the caller of this program. A process started and watched by something else
/// is unrelated: an editor, a build. So are services of the machine's own manager.
pub(super) fn processes() -> Result<State, String> {
    let all: BTreeMap<u32, Process> = processes::all().into_iter().map(|process| (process.pid, process)).collect();
    let own = std::process::id();
    let caller = all.get(&own).map_or(0, |process| process.parent);
    let own_groups = groups_of(own);
    let is_minder = |pid: u32| pid == 1 || all.get(&pid).is_some_and(|process| process.name == "systemd");
    let is_left = |process: &Process| is_minder(process.parent) && !is_of_service(&groups_of(process.pid), &own_groups);
    let comes_from_caller = |process: &Process| {
        let mut above = std::iter::successors(Some(process), |one| all.get(&one.parent));
        above.any(|one| one.parent == caller && one.pid != own)
    };
    let ours = all.values().filter(|one| one.pid != own && !one.argv.is_empty());
    let ours = ours.filter(|one| is_left(one) || comes_from_caller(one));
    Ok(ours.map(|one| (format!("process {} since {}", one.pid, one.start), one.argv.join(" "))).collect())
}

/// The groups of a process in systemd's hierarchy.
fn groups_of(pid: u32) -> String {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
    let path = groups.lines().find_map(|line| Some(line.split_once("::").or(line.split_once(":name=systemd:"))?.1));
    path.unwrap_or_default().to_owned()
}

/// Whether a manager runs the processes of this group, rather than our caller.
fn is_of_service(groups: &str, own: &str) -> bool {
    groups.contains(".service") && !groups.starts_with(own)
}

#[cfg(test)]
mod tests {
    use super::is_of_service;

    #[test]
    fn what_a_manager_runs_is_not_what_the_tests_left() {
        let own = "/user.slice/user-0.slice/session-1.scope";
        assert!(is_of_service("/system.slice/cron.service", own));
        assert!(is_of_service("/user.slice/user-0.slice/user@0.service/app.slice/a.service", own));
        assert!(!is_of_service(own, own) && !is_of_service("/", "/"));
        let job = "/system.slice/builder.service";
        assert!(
            !is_of_service("/system.slice/builder.service/mclive-1-2-3-test", job),
            "the tests are run by a service"
        );
    }
}
