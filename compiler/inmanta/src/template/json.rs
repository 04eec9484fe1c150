//! `tojson`: JSON with sorted keys and without characters that mean something in markup.

use super::whole::is_big;
use super::{shown, texts};
use crate::value::{json_string, python_float};
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// The value as JSON; with lines, which begin with so many spaces for each level.
pub(super) fn tojson(value: &Value, indent: Option<Value>) -> Result<Value, Error> {
    let indent = match indent {
        Some(indent) => match (indent.as_str(), indent.as_usize()) {
            (Some(text), _) => Some(text.to_owned()),
            (None, width) => Some(" ".repeat(width.unwrap_or(0))),
        },
        None => None,
    };
    let mut out = String::new();
    write(&mut out, &texts::sorted(value), indent.as_deref(), 0)?;
    let mut safe = String::with_capacity(out.len());
    for char in out.chars() {
        match char {
            '<' | '>' | '&' | '\'' => safe.push_str(&format!("\\u{:04x}", u32::from(char))),
            char => safe.push(char),
        }
    }
    Ok(Value::from_safe_string(safe))
}

fn write(out: &mut String, value: &Value, indent: Option<&str>, depth: usize) -> Result<(), Error> {
    let new_line = |out: &mut String, depth: usize| {
        if let Some(indent) = indent {
            out.push('\n');
            out.push_str(&indent.repeat(depth));
        }
    };
    let between = if indent.is_some() { "," } else { ", " };
    match value.kind() {
        ValueKind::Seq | ValueKind::Iterable => {
            out.push('[');
            let mut is_empty = true;
            for item in value.try_iter()? {
                out.push_str(if is_empty { "" } else { between });
                is_empty = false;
                new_line(out, depth + 1);
                write(out, &item, indent, depth + 1)?;
            }
            if !is_empty {
                new_line(out, depth);
            }
            out.push(']');
        }
        ValueKind::Map => {
            out.push('{');
            let mut is_empty = true;
            for key in value.try_iter()? {
                out.push_str(if is_empty { "" } else { between });
                is_empty = false;
                new_line(out, depth + 1);
                match key.as_str() {
                    Some(key) => out.push_str(&json_string(key)),
                    None => out.push_str(&json_string(&plain(&key)?)),
                }
                out.push_str(": ");
                write(out, &value.get_item(&key)?, indent, depth + 1)?;
            }
            if !is_empty {
                new_line(out, depth);
            }
            out.push('}');
        }
        _ => match value.as_str() {
            Some(text) => out.push_str(&json_string(text)),
            None => out.push_str(&plain(value)?),
        },
    }
    Ok(())
}

/// A value without parts.
fn plain(value: &Value) -> Result<String, Error> {
    Ok(match value.kind() {
        ValueKind::None => "null".into(),
        ValueKind::Bool => if value.is_true() { "true" } else { "false" }.into(),
        ValueKind::Number if value.is_integer() => value.to_string(),
        _ if is_big(value) => value.to_string(),
        ValueKind::Number => match f64::try_from(value.clone())? {
            float if float.is_nan() => "NaN".into(),
            float if float.is_infinite() => if float > 0.0 { "Infinity" } else { "-Infinity" }.into(),
            float => python_float(float),
        },
        _ => {
            let kind = shown::python_kind(value);
            let text = format!("TypeError: Object of type {kind} is not JSON serializable");
            return Err(Error::new(ErrorKind::InvalidOperation, text));
        }
    })
}
