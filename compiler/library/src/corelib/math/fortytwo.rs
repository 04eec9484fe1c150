//! `math.fortytwo`: 42, as int or float.

use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::types::Type;
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "math.fortytwo",
    sig: Sig::OneOf { sig: "func() ?1", accepts: &["func() int", "func() float"] },
    doc: "Returns 42, or 42.0 where a float is expected.",
    examples: &[
        Example { call: "math.fortytwo() + 1", gives: "43" },
        Example { call: "math.fortytwo() + 0.5", gives: "42.5" },
        Example { call: "math.fortytwo() == 42", gives: "true" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(if args.ty.ret == Type::Float { Value::Float(42.0) } else { Value::Int(42) })),
};
