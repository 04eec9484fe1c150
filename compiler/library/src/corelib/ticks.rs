//! Functions that change over time: the number of periods since the first evaluation.

use super::{CallContext, CallState};

/// When the first evaluation was.
#[derive(Clone)]
struct Started(u64);

/// The number of full periods since the first evaluation; requests an evaluation at the next one.
pub(crate) fn periods(world: &mut dyn CallContext, period_ms: u64) -> u64 {
    let (now, period) = (world.now_ns(), period_ms * 1_000_000);
    let state = world.state();
    let started = match state.as_ref().and_then(CallState::get::<Started>) {
        Some(started) => started.0,
        None => {
            *state = Some(CallState::new(Started(now)));
            now
        }
    };
    let n_periods = now.saturating_sub(started) / period;
    world.wake_at_ns(started + (n_periods + 1) * period);
    n_periods
}
