//! Filters that write markup: escapes as MarkupSafe does, and attributes of elements.

use super::shown;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// The text with escapes, unless they are there already.
pub(super) fn escape(value: &Value) -> Value {
    if value.is_safe() { value.clone() } else { forced(value) }
}

/// The text with escapes, also if there are some.
pub(super) fn forced(value: &Value) -> Value {
    Value::from_safe_string(escaped(&shown::text(value)))
}

pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\'' => out.push_str("&#39;"),
            '"' => out.push_str("&#34;"),
            char => out.push(char),
        }
    }
    out
}

/// ` name="value"` for each entry of a dict that has a value.
pub(super) fn attributes(dict: &Value, begins_with_blank: Option<bool>) -> Result<String, Error> {
    let invalid = |text: String| Error::new(ErrorKind::InvalidOperation, text);
    if dict.kind() != ValueKind::Map {
        return Err(invalid(format!("expected a dict, found a {}", dict.kind())));
    }
    let mut parts = Vec::new();
    for key in dict.try_iter()? {
        let value = dict.get_item(&key)?;
        if value.is_none() || value.is_undefined() {
            continue;
        }
        let name = shown::text(&key);
        if name.contains(|char: char| char.is_ascii_whitespace() || matches!(char, '/' | '>' | '=' | '\u{b}')) {
            return Err(invalid(format!("Invalid character in attribute name: {}", shown::repr(&key))));
        }
        let value = if value.is_safe() { shown::text(&value) } else { escaped(&shown::text(&value)) };
        parts.push(format!("{}=\"{value}\"", escaped(&name)));
    }
    let start = if begins_with_blank.unwrap_or(true) && !parts.is_empty() { " " } else { "" };
    Ok(format!("{start}{}", parts.join(" ")))
}
