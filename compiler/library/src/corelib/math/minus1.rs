//! `math.minus1`: subtracts one.

use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "math.minus1",
    sig: Sig::Fixed("func(x int) int"),
    doc: "Subtracts one. The smallest int wraps around to the largest.",
    examples: &[
        Example { call: "math.minus1(3)", gives: "2" },
        Example { call: "math.minus1(0)", gives: "-1" },
        Example { call: "math.minus1(-9223372036854775808)", gives: "9223372036854775807" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Int(args.int(0)?.wrapping_sub(1)))),
};
