//! `test.fastcount` and `test.one_stream`.

use crate::corelib::bytes::{MAX_TEXT, too_long};
use crate::corelib::ticks::periods;
use crate::corelib::{Args, CallContext, CallState, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static FASTCOUNT: FnDef = FnDef {
    path: "test.fastcount",
    sig: Sig::Fixed("func() int"),
    doc: "Returns a counter that increases every millisecond.",
    examples: &[
        Example { call: "test.fastcount()", gives: "0" },
        Example { call: "test.fastcount() >= 0", gives: "true" },
        Example { call: "test.fastcount() < 0", gives: "false" },
    ],
    shape: Shape::DYNAMIC,
    // Counting as fast as possible would leave no time for anything else.
    run: Run::World(|world, _| Ok(Some(Value::Int(periods(world, 1) as i64)))),
};

pub(super) static ONE_STREAM: FnDef = FnDef {
    path: "test.one_stream",
    sig: Sig::Fixed("func(count int) str"),
    doc: "Returns the letter x repeated `count` times. It is used to test that a constant arrives only once.",
    examples: &[
        Example { call: "test.one_stream(3)", gives: r#""xxx""# },
        Example { call: "test.one_stream(0)", gives: r#""""# },
        Example { call: "test.one_stream(-1)", gives: "error: cannot use a negative count" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(one_stream),
};

fn one_stream(world: &mut dyn CallContext, args: &Args) -> Result<Option<Value>, FnError> {
    let count = args.int(0)?;
    if count < 0 {
        return Err(FnError::fatal("cannot use a negative count"));
    }
    let n_letters = usize::try_from(count).unwrap_or(usize::MAX);
    if n_letters > MAX_TEXT {
        return Err(too_long());
    }
    let state = world.state();
    if let Some(known) = state.as_ref().and_then(CallState::get::<i64>).filter(|known| **known != count) {
        let changed = format!("you can only pass in a single input, got: {count}, previously: {known}");
        return Err(FnError::fatal(changed));
    }
    *state = Some(CallState::new(count));
    Ok(Some(Value::from("x".repeat(n_letters))))
}
