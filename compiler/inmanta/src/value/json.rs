//! Values as JSON: as Python's `json` writes it, and read.

use super::{Int, Value, python_float};
use std::fmt::Write;

/// Separators `", "` and `": "`, characters outside ASCII escaped; `None` for what JSON has no text for.
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

/// Reads a JSON text.
pub fn json(text: &str) -> Result<Value, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    of_json(value).ok_or_else(|| "the value nests too deeply".into())
}

fn of_json(value: serde_json::Value) -> Option<Value> {
    Some(match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(value) => Value::Bool(value),
        serde_json::Value::Number(number) => {
            let text = number.to_string();
            match Int::parse(&text) {
                Some(int) => Value::Int(int),
                None => Value::Float(text.parse().ok()?),
            }
        }
        serde_json::Value::String(text) => Value::str(&text),
        serde_json::Value::Array(items) => Value::raw_list(items.into_iter().map(of_json).collect::<Option<_>>()?),
        serde_json::Value::Object(entries) => {
            let entries = entries.into_iter().map(|(key, value)| Some((key.as_str().into(), of_json(value)?)));
            Value::dict(entries.collect::<Option<_>>()?).ok()?
        }
    })
}
