//! `concat`: string interpolation compiles to it. Functions spec, section 6.

use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "concat",
    sig: Sig::Fixed("func(a str, b str) str"),
    doc: "Concatenates two strings.\n\n`\"x${v}y\"` compiles to calls of this function.",
    examples: &[
        Example { call: r#"concat("a", "b")"#, gives: r#""ab""# },
        Example { call: r#"concat("", "")"#, gives: r#""""# },
        Example { call: r#"concat("é", concat("x", "y"))"#, gives: r#""éxy""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::str([args.bytes(0)?, args.bytes(1)?].concat()))),
};
