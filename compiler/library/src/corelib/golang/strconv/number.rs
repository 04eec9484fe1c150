//! Bools and numbers.

use super::{int, refused};
use crate::corelib::convert::number::{NumberError, parse_float, parse_int, parse_single};
use crate::corelib::golang::go_functions;
use crate::corelib::{Args, FnError};
use crate::value::Value;

go_functions! {
    APPEND_BOOL "golang/strconv.append_bool" "func(dst str, b bool) str" "Appends `true` or `false` to `dst`."
    [r#"strconv.append_bool("a", true)"# => r#""atrue""#, r#"strconv.append_bool("", false)"# => r#""false""#, r#"strconv.append_bool("x ", false)"# => r#""x false""#]
    |args| appended(args, if args.bool(1)? { "true" } else { "false" });

    APPEND_INT "golang/strconv.append_int" "func(dst str, i int, base int) str" "Appends `i` in the given base to `dst`."
    [r#"strconv.append_int("a", 255, 16)"# => r#""aff""#, r#"strconv.append_int("", -5, 2)"# => r#""-101""#, r#"strconv.append_int("", 1, 1)"# => "error: panic in process: strconv: illegal AppendInt/FormatInt base"]
    |args| appended(args, formatted(args.int(1)?, args.int(2)?)?);

    ATOI "golang/strconv.atoi" "func(s str) int" "Parses a decimal int."
    [r#"strconv.atoi("-12")"# => "-12", r#"strconv.atoi("1a")"# => r#"error: strconv.Atoi: parsing "1a": invalid syntax"#, r#"strconv.atoi("99999999999999999999")"# => r#"error: strconv.Atoi: parsing "99999999999999999999": value out of range"#]
    |args| {
        let text = args.bytes(0)?;
        parse_int(text).map(Value::Int).map_err(|why| refused("Atoi", text, words(why)))
    };

    FORMAT_BOOL "golang/strconv.format_bool" "func(b bool) str" "Returns `true` or `false` as a string."
    ["strconv.format_bool(true)" => r#""true""#, "strconv.format_bool(false)" => r#""false""#, "strconv.format_bool(1 == 1)" => r#""true""#]
    |args| Ok(Value::str(if args.bool(0)? { "true" } else { "false" }));

    FORMAT_INT "golang/strconv.format_int" "func(i int, base int) str" "Formats an int in a base from 2 to 36."
    ["strconv.format_int(255, 16)" => r#""ff""#, "strconv.format_int(-5, 2)" => r#""-101""#, "strconv.format_int(1, 37)" => "error: panic in process: strconv: illegal AppendInt/FormatInt base"]
    |args| formatted(args.int(0)?, args.int(1)?).map(Value::from);

    ITOA "golang/strconv.itoa" "func(i int) str" "Formats an int in decimal."
    ["strconv.itoa(42)" => r#""42""#, "strconv.itoa(-7)" => r#""-7""#, "strconv.itoa(0)" => r#""0""#]
    |args| Ok(Value::from(args.int(0)?.to_string()));

    PARSE_BOOL "golang/strconv.parse_bool" "func(str str) bool"
    "Parses a bool: one of `1 t T TRUE true True` or `0 f F FALSE false False`."
    [r#"strconv.parse_bool("T")"# => "true", r#"strconv.parse_bool("0")"# => "false", r#"strconv.parse_bool("yes")"# => r#"error: strconv.ParseBool: parsing "yes": invalid syntax"#]
    |args| match args.bytes(0)? {
        b"1" | b"t" | b"T" | b"TRUE" | b"true" | b"True" => Ok(Value::Bool(true)),
        b"0" | b"f" | b"F" | b"FALSE" | b"false" | b"False" => Ok(Value::Bool(false)),
        text => Err(refused("ParseBool", text, words(NumberError::Syntax))),
    };

    PARSE_FLOAT "golang/strconv.parse_float" "func(s str, bitSize int) float"
    "Parses a float. With a bit size of 32, it is rounded to 32 bits first."
    [r#"strconv.parse_float("1e3", 64)"# => "1000", r#"strconv.parse_float("0.1", 32)"# => "0.10000000149011612", r#"strconv.parse_float("x", 64)"# => r#"error: strconv.ParseFloat: parsing "x": invalid syntax"#]
    |args| {
        let (text, bits) = (args.bytes(0)?, args.int(1)?);
        let value = if bits == 32 { parse_single(text) } else { parse_float(text) };
        value.map(Value::Float).map_err(|why| refused("ParseFloat", text, words(why)))
    };

    PARSE_INT "golang/strconv.parse_int" "func(s str, base int, bitSize int) int"
    "Parses an int in a base from 2 to 36 that fits in `bitSize` bits. Base 0 takes the base from the prefix."
    [r#"strconv.parse_int("ff", 16, 64)"# => "255", r#"strconv.parse_int("0x_ff", 0, 0)"# => "255", r#"strconv.parse_int("300", 10, 8)"# => r#"error: strconv.ParseInt: parsing "300": value out of range"#, r#"strconv.parse_int("1", 99, 0)"# => r#"error: strconv.ParseInt: parsing "1": invalid base 99"#]
    |args| {
        let text = args.bytes(0)?;
        int::parse(text, args.int(1)?, args.int(2)?).map(Value::Int).map_err(|why| match why {
            int::IntError::Syntax => refused("ParseInt", text, words(NumberError::Syntax)),
            int::IntError::Range => refused("ParseInt", text, words(NumberError::Range)),
            int::IntError::Base(base) => refused("ParseInt", text, &format!("invalid base {base}")),
            int::IntError::Bits(bits) => refused("ParseInt", text, &format!("invalid bit size {bits}")),
        })
    };
}

fn words(why: NumberError) -> &'static str {
    match why {
        NumberError::Syntax => "invalid syntax",
        NumberError::Range => "value out of range",
    }
}

fn formatted(value: i64, base: i64) -> Result<String, FnError> {
    let illegal = || FnError::fatal("panic in process: strconv: illegal AppendInt/FormatInt base");
    int::format(value, base).ok_or_else(illegal)
}

/// The text appended to the first argument.
pub(super) fn appended(args: &Args, text: impl AsRef<[u8]>) -> Result<Value, FnError> {
    Ok(Value::from([args.bytes(0)?, text.as_ref()].concat()))
}
