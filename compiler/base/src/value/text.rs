//! The text form of values: messages, constants in graphs and `%v`. Language spec 8.3.

use super::{Value, quote};
use std::fmt::Write;

impl Value {
    /// The text form, as bytes; strings are quoted, so the result is always UTF-8.
    pub fn to_text(&self) -> Vec<u8> {
        self.to_string().into_bytes()
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Str(bytes) => f.write_str(&quote(bytes)),
            Value::Int(value) => write!(f, "{value}"),
            Value::Float(value) => f.write_str(&float_text(*value)),
            Value::List(items) => {
                f.write_char('[')?;
                separated(f, items.iter(), ", ", |f, item| write!(f, "{item}"))?;
                f.write_char(']')
            }
            Value::Map(map) => {
                f.write_char('{')?;
                separated(f, map.iter(), ", ", |f, (key, value)| write!(f, "{key}: {value}"))?;
                f.write_char('}')
            }
            Value::Struct(fields) => {
                f.write_str("struct{")?;
                separated(f, fields.fields.iter(), "; ", |f, (name, value)| write!(f, "{name}: {value}"))?;
                f.write_char('}')
            }
            Value::Func(func) => write!(f, "func({})", func.ty),
        }
    }
}

fn separated<'f, T>(
    f: &mut std::fmt::Formatter<'f>,
    items: impl Iterator<Item = T>,
    separator: &str,
    mut each: impl FnMut(&mut std::fmt::Formatter<'f>, T) -> std::fmt::Result,
) -> std::fmt::Result {
    for (index, item) in items.enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        each(f, item)?;
    }
    Ok(())
}

/// The shortest decimal that parses to the same float, never with an exponent: `3` for 3.0.
fn float_text(value: f64) -> String {
    if value.is_nan() {
        "NaN".into()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf".into() } else { "-Inf".into() }
    } else {
        format!("{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: Value, expect: &str) {
        assert_eq!(value.to_string(), expect);
    }

    #[test]
    fn floats_have_no_exponent_and_no_trailing_zero() {
        check(Value::Float(42.0), "42");
        check(Value::Float(-0.0), "-0");
        check(Value::Float(1e21), "1000000000000000000000");
        check(Value::Float(1e-7), "0.0000001");
        check(Value::Float(f64::INFINITY), "+Inf");
    }

    #[test]
    fn composites() {
        check(Value::list([Value::str("a"), Value::str("b\n")]), r#"["a", "b\n"]"#);
        check(Value::map([(Value::str("b"), Value::Int(2)), (Value::str("a"), Value::Int(1))]), r#"{"a": 1, "b": 2}"#);
        check(Value::structure([("a", Value::Int(1)), ("b", Value::str("x"))]), r#"struct{a: 1; b: "x"}"#);
    }
}
