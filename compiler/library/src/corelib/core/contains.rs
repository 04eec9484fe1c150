//! `contains`: the `in` operator compiles to it. Functions spec, sections 4 and 6.

use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "contains",
    sig: Sig::Fixed("func(needle ?1, haystack []?1) bool"),
    doc: "Reports whether a list contains a value.\n\n`x in list` compiles to this call.",
    examples: &[
        Example { call: r#"contains("b", ["a", "b"])"#, gives: "true" },
        Example { call: "contains([1], [[2], []])", gives: "false" },
        Example { call: "contains(1, [])", gives: "false" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Bool(args.list(1)?.contains(&args.values[0])))),
};
