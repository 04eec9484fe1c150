//! [`Turn`]: how long the simulation runs for one request, so that the page gets its answer soon on a slow machine too.

/// The maximum number of steps of a turn.
const MAX_STEPS: usize = 20_000;
/// The steps between two looks at the clock.
const BATCH: usize = 100;
/// The end of a turn. Units: milliseconds.
const LONGEST_MS: f64 = 200.0;

/// The simulation's turn.
pub(super) struct Turn {
    /// Units: milliseconds.
    clock: fn() -> f64,
}

impl Turn {
    /// Turns by this clock, in milliseconds.
    pub(super) fn by(clock: fn() -> f64) -> Turn {
        Turn { clock }
    }

    /// Whether this time has passed since this call. Units: milliseconds.
    pub(super) fn timer(&self, ms: f64) -> impl Fn() -> bool {
        let (clock, begin) = (self.clock, (self.clock)());
        move || clock() - begin >= ms
    }

    /// Continues, a number of steps at a time, until there is a result or the turn has ended.
    pub(super) fn take<R>(&self, mut go_on: impl FnMut(usize) -> Option<R>) -> Option<R> {
        let begin = (self.clock)();
        for _ in 0..MAX_STEPS / BATCH {
            let result = go_on(BATCH);
            if result.is_some() || (self.clock)() - begin >= LONGEST_MS {
                return result;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    thread_local!(static NOW_MS: Cell<f64> = const { Cell::new(0.0) });

    #[test]
    fn a_turn_ends_with_a_result_or_by_time_or_by_steps() {
        let (mut n_steps, turn) = (0, Turn::by(|| NOW_MS.get()));
        let mut steps = |ms: f64, last: usize| {
            n_steps = 0;
            let result = turn.take(|n| {
                n_steps += n;
                NOW_MS.set(NOW_MS.get() + ms);
                (n_steps >= last).then_some("there")
            });
            (result, n_steps)
        };
        assert_eq!(steps(1.0, 1_000), (Some("there"), 1_000));
        assert_eq!(steps(50.0, 1_000), (None, 400));
        assert_eq!(steps(0.0, usize::MAX), (None, MAX_STEPS));
    }
}
