//! `example.flipflop`: alternates between true and false.

use crate::corelib::ticks::periods;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "example.flipflop",
    sig: Sig::Fixed("func() bool"),
    doc: "Returns a bool that flips every 5 seconds, starting with true.",
    examples: &[
        Example { call: "example.flipflop()", gives: "true" },
        Example { call: "not example.flipflop()", gives: "false" },
        Example { call: "example.flipflop() == true", gives: "true" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| Ok(Some(Value::Bool(periods(world, 5000).is_multiple_of(2))))),
};
