//! Values as JSON, in the format of Python's `json`.

use super::{Value, python_float};
use std::fmt::Write;

/// Separators `", "` and `": "`, non-ASCII characters escaped; `None` for values without a JSON form.
pub fn python_json(value: &Value) -> Option<String> {
    let mut out = String::new();
    write_json(&mut out, value)?;
    Some(out)
}

fn write_json(out: &mut String, value: &Value) -> Option<()> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Int(int) => out.push_str(&int.to_string()),
        Value::Float(float) if float.is_nan() => out.push_str("NaN"),
        Value::Float(float) if float.is_infinite() => out.push_str(if *float > 0.0 { "Infinity" } else { "-Infinity" }),
        Value::Float(float) => out.push_str(&python_float(*float)),
        Value::Str(text) => write_string(out, text),
        Value::List(list) => {
            out.push('[');
            for (nr, item) in list.items.iter().enumerate() {
                out.push_str(if nr > 0 { ", " } else { "" });
                write_json(out, item)?;
            }
            out.push(']');
        }
        Value::Dict(dict) => {
            out.push('{');
            for (nr, (key, item)) in dict.entries.iter().enumerate() {
                out.push_str(if nr > 0 { ", " } else { "" });
                write_string(out, key);
                out.push_str(": ");
                write_json(out, item)?;
            }
            out.push('}');
        }
        Value::Instance(_) | Value::Unknown(_) => return None,
    }
    Some(())
}

/// A text as JSON, with non-ASCII characters escaped.
pub(crate) fn json_string(text: &str) -> String {
    let mut out = String::new();
    write_string(&mut out, text);
    out
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            char if char.is_ascii() && !char.is_ascii_control() => out.push(char),
            char => {
                let mut units = [0; 2];
                for unit in char.encode_utf16(&mut units) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}
