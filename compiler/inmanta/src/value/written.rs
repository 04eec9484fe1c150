//! The text form of values in diagnostics: as a model writes them.

use super::{Namer, Value, python_float};
use std::fmt::Write;

/// The maximum number of bytes that are shown of a value: its type and its beginning are enough to recognise it.
const MAX_SHOWN: usize = 200;

/// Strings in double quotes, `true` and `null`; a long value is truncated.
pub fn written(value: &Value, names: &dyn Namer) -> String {
    if let Value::Instance(instance) = value {
        return names.instance(*instance);
    }
    let mut out = String::new();
    write_value(&mut out, value, names);
    if out.len() <= MAX_SHOWN {
        return out;
    }
    let end = (0..=MAX_SHOWN).rev().find(|at| out.is_char_boundary(*at)).unwrap_or(0);
    out.truncate(end);
    out.push('…');
    out
}

fn write_value(out: &mut String, value: &Value, names: &dyn Namer) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(int) => {
            let _ = write!(out, "{int}");
        }
        Value::Float(float) => out.push_str(&python_float(*float)),
        Value::Str(text) => write_string(out, text),
        Value::List(list) => {
            out.push('[');
            for (nr, item) in list.items.iter().enumerate() {
                out.push_str(if nr > 0 { ", " } else { "" });
                if out.len() > MAX_SHOWN {
                    return;
                }
                write_value(out, item, names);
            }
            out.push(']');
        }
        Value::Dict(dict) => {
            out.push('{');
            for (nr, (key, item)) in dict.entries.iter().enumerate() {
                out.push_str(if nr > 0 { ", " } else { "" });
                if out.len() > MAX_SHOWN {
                    return;
                }
                write_string(out, key);
                out.push_str(": ");
                write_value(out, item, names);
            }
            out.push('}');
        }
        Value::Instance(instance) => out.push_str(&names.instance(*instance)),
        Value::Unknown(_) => out.push_str("<unknown>"),
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars().take(MAX_SHOWN) {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            char => out.push(char),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::NoInstances;
    use super::*;

    #[test]
    fn values_are_shown_as_models_write_them() {
        for (value, text) in [
            (Value::str("8.5"), "\"8.5\""),
            (Value::Float(8.5), "8.5"),
            (Value::int(8), "8"),
            (Value::str("true"), "\"true\""),
            (Value::Bool(true), "true"),
            (Value::Null, "null"),
            (Value::str("a \"b\"\n"), "\"a \\\"b\\\"\\n\""),
            (Value::list([Value::int(1), Value::str("x"), Value::Bool(false)]), "[1, \"x\", false]"),
        ] {
            assert_eq!(written(&value, &NoInstances), text);
        }
        let dict = Value::dict([("k".into(), Value::str("v"))].into_iter().collect()).unwrap_or(Value::Null);
        assert_eq!(written(&dict, &NoInstances), "{\"k\": \"v\"}");
    }

    #[test]
    fn long_values_are_truncated() {
        let long = Value::str(&"ä".repeat(10_000));
        let list = Value::list(std::iter::repeat_n(long.clone(), 10_000));
        for value in [long, list, Value::list((0..100_000).map(Value::int))] {
            let text = written(&value, &NoInstances);
            assert!(text.len() <= MAX_SHOWN + '…'.len_utf8() && text.ends_with('…'), "{text}");
        }
    }
}
