//! The processor time that a room has used: whether what a scenario waits for is still at work, however little of a
//! processor the machine gives it.

use std::fs;
use std::time::Duration;

/// The time of all processes of the room, ended ones included, without that of its first process, which plays the scenario.
pub(super) fn used() -> Duration {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ticks: u64 = entries.filter_map(|entry| ticks_of(entry.file_name().to_str()?)).sum();
    Duration::from_millis(ticks * 1000 / rustix::param::clock_ticks_per_second().max(1))
}

/// `None`: it has ended, or this is no process.
fn ticks_of(name: &str) -> Option<u64> {
    let pid: u32 = name.parse().ok()?;
    ticks(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?, pid == std::process::id())
}

/// The ticks of the children that a process has waited for, and its own ones unless it is this one.
fn ticks(stat: &str, is_this: bool) -> Option<u64> {
    // The name in parentheses may contain anything; the state and ten numbers come before these four.
    let fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11).take(4);
    let fields: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
    let [user, system, of_children, of_children_in_system] = fields.as_slice() else { return None };
    let own = if is_this { 0 } else { user + system };
    Some(own + of_children + of_children_in_system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_counts_but_the_own_time_of_this_process() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 100 200 0 0 30 4 500 6000 20 0 1 0 100";
        assert_eq!((ticks(stat, false), ticks(stat, true)), (Some(6534), Some(6500)));
        assert_eq!((ticks("7 (a", false), ticks("7 (a) S 1", false)), (None, None));
        assert_eq!((ticks_of("self"), ticks_of("meminfo")), (None, None));
        assert!(ticks_of(&std::process::id().to_string()).is_some());
    }
}
