//! `convert.str_to_int` and `convert.int_to_str`.

use super::number::{parse_int, refused};
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static PARSE: FnDef = FnDef {
    path: "convert.str_to_int",
    sig: Sig::Fixed("func(a str) int"),
    doc: "Parses a decimal int with an optional sign.",
    examples: &[
        Example { call: r#"convert.str_to_int("+7")"#, gives: "7" },
        Example { call: r#"convert.str_to_int("-0")"#, gives: "0" },
        Example {
            call: r#"convert.str_to_int("0x10")"#,
            gives: r#"error: strconv.ParseInt: parsing "0x10": invalid syntax"#,
        },
        Example {
            call: r#"convert.str_to_int("99999999999999999999x")"#,
            gives: r#"error: strconv.ParseInt: parsing "99999999999999999999x": value out of range"#,
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let text = args.bytes(0)?;
        parse_int(text).map(Value::Int).map_err(|why| refused("ParseInt", text, why))
    }),
};

pub(super) static FORMAT: FnDef = FnDef {
    path: "convert.int_to_str",
    sig: Sig::Fixed("func(a int) str"),
    doc: "Formats an int in decimal.",
    examples: &[
        Example { call: "convert.int_to_str(-5)", gives: r#""-5""# },
        Example { call: "convert.int_to_str(007)", gives: r#""7""# },
        Example { call: "convert.int_to_str(-9223372036854775808)", gives: r#""-9223372036854775808""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(args.int(0)?.to_string()))),
};
