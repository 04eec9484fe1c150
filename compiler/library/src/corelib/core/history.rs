//! `history`: a value as it was some time ago. Functions spec, section 6.

use crate::corelib::{Args, CallContext, CallState, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;
use std::collections::VecDeque;

pub(super) static DEF: FnDef = FnDef {
    path: "history",
    sig: Sig::Fixed("func(value ?1, index int) ?1"),
    doc: "Returns the value that `value` had `index` milliseconds ago, or the oldest one on record.\n\nThe history \
          starts with the program, and is cleared when `index` changes.",
    examples: &[
        Example { call: r#"history("a", 1000)"#, gives: r#""a""# },
        Example { call: "history(1, 0)", gives: "1" },
        Example { call: "history(1, -5)", gives: "error: can't use a negative interval of -5" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(run),
};

/// The values so far, each with the moment it was set, oldest first.
#[derive(Clone)]
struct Samples {
    index: i64,
    kept: VecDeque<(u64, Value)>,
}

fn run(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let (value, index) = (&args.values[0], args.int(1)?);
    if index < 0 {
        return Err(FnError::fatal(format!("can't use a negative interval of {index}")));
    }
    let (now, age) = (world.now_ns(), (index as u64).saturating_mul(1_000_000));
    let state = world.state();
    let mut samples = state.take().and_then(CallState::take::<Samples>);
    if samples.as_ref().is_none_or(|samples| samples.index != index) {
        samples = Some(Samples { index, kept: VecDeque::new() });
    }
    let mut samples = samples.expect("was just made");
    if samples.kept.back().is_none_or(|(_, last)| !last.is_same(value)) {
        samples.kept.push_back((now, value.clone()));
    }
    // The newest value that is old enough is the answer; earlier ones are no longer needed.
    while samples.kept.get(1).is_some_and(|(at, _)| at.saturating_add(age) <= now) {
        samples.kept.pop_front();
    }
    let answer = samples.kept.front().map(|(_, value)| value.clone());
    let next = samples.kept.get(1).map(|(at, _)| at.saturating_add(age));
    *state = Some(CallState::new(samples));
    if let Some(next) = next {
        world.wake_at_ns(next);
    }
    Ok(answer)
}
