//! The examples that only compute.

use crate::corelib::convert::number::parse_int;
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static ANSWER: FnDef = FnDef {
    path: "example.answer",
    sig: Sig::Fixed("func() int"),
    doc: "42.",
    examples: &[
        Example { call: "example.answer()", gives: "42" },
        Example { call: "example.answer() + 1", gives: "43" },
        Example { call: "example.answer() == 42", gives: "true" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|_| Ok(Value::Int(42))),
};

pub(super) static ERRORBOOL: FnDef = FnDef {
    path: "example.errorbool",
    sig: Sig::Fixed("func(a bool) str"),
    doc: "Returns an error if its argument is true.",
    examples: &[
        Example { call: "example.errorbool(false)", gives: r#""set input to true to generate an error""# },
        Example { call: "example.errorbool(true)", gives: "error: we errored on request" },
        Example { call: "len(example.errorbool(1 == 2))", gives: "38" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Pure(|args| {
        if args.bool(0)? {
            return Err(FnError::fatal("we errored on request"));
        }
        Ok(Value::str("set input to true to generate an error"))
    }),
};

pub(super) static INT2STR: FnDef = FnDef {
    path: "example.int2str",
    sig: Sig::Fixed("func(a int) str"),
    doc: "Formats an int in decimal.",
    examples: &[
        Example { call: "example.int2str(42)", gives: r#""42""# },
        Example { call: "example.int2str(-1)", gives: r#""-1""# },
        Example { call: "example.int2str(0)", gives: r#""0""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(args.int(0)?.to_string()))),
};

pub(super) static PLUS: FnDef = FnDef {
    path: "example.plus",
    sig: Sig::Fixed("func(y str, z str) str"),
    doc: "Concatenates two strings.",
    examples: &[
        Example { call: r#"example.plus("a", "b")"#, gives: r#""ab""# },
        Example { call: r#"example.plus("", "b")"#, gives: r#""b""# },
        Example { call: r#"example.plus("", "")"#, gives: r#""""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::str([args.bytes(0)?, args.bytes(1)?].concat()))),
};

pub(super) static STR2INT: FnDef = FnDef {
    path: "example.str2int",
    sig: Sig::Fixed("func(a str) int"),
    doc: "Parses a decimal int; returns 0 if the string is not a number.",
    examples: &[
        Example { call: r#"example.str2int("42")"#, gives: "42" },
        Example { call: r#"example.str2int("-1")"#, gives: "-1" },
        Example { call: r#"example.str2int("x")"#, gives: "0" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Int(parse_int(args.bytes(0)?).unwrap_or_default()))),
};

pub(super) static HELLO: FnDef = FnDef {
    path: "example/nested.hello",
    sig: Sig::Fixed("func() str"),
    doc: "Returns a greeting; an example of a nested module.",
    examples: &[
        Example { call: "nested.hello()", gives: r#""Hello!""# },
        Example { call: "len(nested.hello())", gives: "6" },
        Example { call: r#"nested.hello() + "!""#, gives: r#""Hello!!""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|_| Ok(Value::str("Hello!"))),
};
