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

/// The ticks of a process and of the children that it has waited for. `None`: it has ended, or this is no process.
fn ticks_of(name: &str) -> Option<u64> {
    let pid: u32 = name.parse().ok()?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may contain anything; the state and ten numbers come before these four.
    let fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11).take(4);
    let fields: Vec<u64> = fields.map_while(|field| field.parse().ok()).collect();
    let [user, system, of_children, of_children_in_system] = fields.as_slice() else { return None };
    let own = if pid == std::process::id() { 0 } else { user + system };
    Some(own + of_children + of_children_in_system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_child_counts_and_that_of_this_process_does_not() {
        let own = std::process::id().to_string();
        let before = ticks_of(&own).expect("/proc is mounted");
        mclive_kit::until(
            "the child is counted",
            || {
                let work = "n=0; while [ $n -lt 100000 ]; do n=$((n + 1)); done";
                let ended = std::process::Command::new("/bin/sh").args(["-c", work]).status();
                assert!(ended.is_ok_and(|status| status.success()));
                ticks_of(&own).is_some_and(|now| now > before)
            },
            String::new,
        );
        assert!(used() > Duration::ZERO);
        assert_eq!((ticks_of("self"), ticks_of("meminfo")), (None, None));
    }
}
