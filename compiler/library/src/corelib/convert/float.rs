//! `convert.str_to_float`, `convert.to_float` and `convert.to_int`.

use super::number::{parse_float, refused};
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static PARSE: FnDef = FnDef {
    path: "convert.str_to_float",
    sig: Sig::Fixed("func(a str) float"),
    doc: "Parses a float: decimal, hexadecimal with an exponent, `inf` or `nan`.",
    examples: &[
        Example { call: r#"convert.str_to_float("1_000.5e1")"#, gives: "10005" },
        Example { call: r#"convert.str_to_float("0x1p-2")"#, gives: "0.25" },
        Example { call: r#"convert.str_to_float("-INF")"#, gives: "-Inf" },
        Example {
            call: r#"convert.str_to_float("1e")"#,
            gives: r#"error: strconv.ParseFloat: parsing "1e": invalid syntax"#,
        },
        Example {
            call: r#"convert.str_to_float("1e400")"#,
            gives: r#"error: strconv.ParseFloat: parsing "1e400": value out of range"#,
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let text = args.bytes(0)?;
        parse_float(text).map(Value::Float).map_err(|why| refused("ParseFloat", text, why))
    }),
};

pub(super) static TO_FLOAT: FnDef = FnDef {
    path: "convert.to_float",
    sig: Sig::Fixed("func(a int) float"),
    doc: "Converts an int to the nearest float.",
    examples: &[
        Example { call: "convert.to_float(3)", gives: "3" },
        Example { call: "convert.to_float(9007199254740993)", gives: "9007199254740992" },
        Example { call: "convert.to_float(-1) / 2.0", gives: "-0.5" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Float(args.int(0)? as f64))),
};

pub(super) static TO_INT: FnDef = FnDef {
    path: "convert.to_int",
    sig: Sig::Fixed("func(a float) int"),
    doc: "Converts a float to an int by dropping the fraction.\n\n`NaN` and floats outside the range of an int become \
          the smallest int.",
    examples: &[
        Example { call: "convert.to_int(2.9)", gives: "2" },
        Example { call: "convert.to_int(-2.9)", gives: "-2" },
        Example { call: "convert.to_int(9300000000000000000.0)", gives: "-9223372036854775808" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Int(truncate(args.float(0)?)))),
};

fn truncate(float: f64) -> i64 {
    // 2^63 is a float, but the largest int is less.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    if fits { float as i64 } else { i64::MIN }
}
