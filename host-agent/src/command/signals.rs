//! The signals that stop a run.

use crate::host::Events;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;

/// Sends signals to the driver, from a thread that waits for them.
pub(super) fn listen(events: Arc<Events>) -> std::io::Result<()> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut stops = vec![SIGINT, SIGTERM];
    // `nohup` starts a run that outlives its terminal.
    if !ignores(&status, SIGHUP) {
        stops.push(SIGHUP);
    }
    let mut signals = Signals::new(stops)?;
    std::thread::Builder::new().name("signals".into()).stack_size(64 << 10).spawn(move || {
        signals.forever().for_each(|signal| events.put_signal(signal));
    })?;
    Ok(())
}

/// Whether a process with this `status` of `/proc` ignores a signal.
fn ignores(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_a_mask() {
        let status = "Name:\tmclive\nSigBlk:\tffffffffffffffff\nSigIgn:\t0000000000001001\nSigCgt:\t0000000000000000\n";
        assert!(ignores(status, SIGHUP) && !ignores(status, SIGINT) && !ignores(status, SIGTERM));
        assert!(!ignores("", SIGHUP) && !ignores("SigIgn:\t\n", SIGHUP));
    }
}
