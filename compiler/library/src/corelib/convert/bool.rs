//! `convert.format_bool` and `convert.parse_bool`.

use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static FORMAT: FnDef = FnDef {
    path: "convert.format_bool",
    sig: Sig::Fixed("func(a bool) str"),
    doc: "Converts a bool to `true` or `false`.",
    examples: &[
        Example { call: "convert.format_bool(true)", gives: r#""true""# },
        Example { call: "convert.format_bool(false)", gives: r#""false""# },
        Example { call: "convert.format_bool(1 == 2)", gives: r#""false""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::str(if args.bool(0)? { "true" } else { "false" }))),
};

pub(super) static PARSE: FnDef = FnDef {
    path: "convert.parse_bool",
    sig: Sig::Fixed("func(a str) bool"),
    doc: "Parses a bool: one of `1 t T TRUE true True` or `0 f F FALSE false False`.",
    examples: &[
        Example { call: r#"convert.parse_bool("T")"#, gives: "true" },
        Example { call: r#"convert.parse_bool("0")"#, gives: "false" },
        Example { call: r#"convert.parse_bool("yes")"#, gives: "error: invalid bool: `yes`" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| match args.bytes(0)? {
        b"1" | b"t" | b"T" | b"TRUE" | b"true" | b"True" => Ok(Value::Bool(true)),
        b"0" | b"f" | b"F" | b"FALSE" | b"false" | b"False" => Ok(Value::Bool(false)),
        text => Err(FnError::catchable(format!("invalid bool: `{}`", String::from_utf8_lossy(text)))),
    }),
};
