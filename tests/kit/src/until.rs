//! [`until`]: waits for a condition, never for a fixed time.

use std::time::{Duration, Instant};

/// The limit for a machine with a small share of a processor. Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(240);

/// The pauses between two looks.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(250));

/// Waits until a condition holds; `state` describes the actual state.
#[track_caller]
pub fn until(what: &str, mut met: impl FnMut() -> bool, state: impl FnOnce() -> String) {
    let began = Instant::now();
    loop {
        let looked = Instant::now();
        if met() {
            return;
        }
        let waited = began.elapsed();
        assert!(waited < PATIENCE, "timed out: {what}\n{}", state());
        std::thread::sleep(pause(waited, looked.elapsed()));
    }
}

/// The pause after a look that took this long. Looks must not take the processor from what they wait for: a script in a
/// machine costs several milliseconds. So they take a third of the time at most, and a wait becomes at most an eighth
/// longer.
fn pause(waited: Duration, look: Duration) -> Duration {
    (look * 2).max(waited / 8).clamp(PAUSES.0, PAUSES.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_become_rarer_and_leave_time_to_others() {
        let ms = Duration::from_millis;
        assert_eq!(pause(ms(0), ms(0)), ms(2));
        assert_eq!(pause(ms(80), ms(1)), ms(10));
        assert_eq!(pause(ms(80), ms(12)), ms(24));
        assert_eq!(pause(ms(90_000), ms(700)), ms(250));
    }

    #[test]
    fn a_condition_that_comes_true_ends_it() {
        let mut looks = 0;
        until("the third look", || (looks += 1, looks == 3).1, String::new);
        assert_eq!(looks, 3);
    }
}
