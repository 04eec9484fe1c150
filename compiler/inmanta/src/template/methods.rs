//! Methods of Python's texts and lists that `minijinja_contrib::pycompat` leaves out.

use super::bounds;
use minijinja::value::{ValueKind, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat;

/// No text is padded beyond this width.
pub(super) const MAX_WIDTH: usize = 100_000;

/// Calls a method of a value; `UnknownMethod` if it has none of this name.
pub(super) fn call(state: &mut State<'_, '_>, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    match (value.as_str(), value.kind()) {
        (Some(text), _) => match method {
            "ljust" | "rjust" | "zfill" => padded(text, method, args),
            "partition" | "rpartition" => {
                let (separator,): (&str,) = from_args(args)?;
                parts(text, method, separator)
            }
            "format" => {
                bounds::widths(text)?;
                pycompat::unknown_method_callback(state, value, method, args)
            }
            "swapcase" => {
                let () = from_args(args)?;
                Ok(Value::from(swapped(text)))
            }
            _ => pycompat::unknown_method_callback(state, value, method, args),
        },
        (None, ValueKind::Seq) if method == "index" => {
            let (wanted,): (Value,) = from_args(args)?;
            let nr = value.try_iter()?.position(|item| item == wanted);
            nr.map(Value::from).ok_or_else(|| invalid(format!("{wanted} is not in the list")))
        }
        (None, _) => pycompat::unknown_method_callback(state, value, method, args),
    }
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}

/// Errors: the width is beyond [`MAX_WIDTH`].
pub(super) fn width(asked: usize) -> Result<usize, Error> {
    match asked <= MAX_WIDTH {
        true => Ok(asked),
        false => Err(invalid(format!("no text is padded to {asked} characters"))),
    }
}

fn padded(text: &str, method: &str, args: &[Value]) -> Result<Value, Error> {
    let (asked, fill): (usize, Option<&str>) = from_args(args)?;
    let fill = if method == "zfill" { "0" } else { fill.unwrap_or(" ") };
    if fill.chars().count() != 1 {
        return Err(invalid("a text is filled up with one character".into()));
    }
    let filling = fill.repeat(width(asked)?.saturating_sub(text.chars().count()));
    Ok(Value::from(match method {
        "ljust" => format!("{text}{filling}"),
        "zfill" if text.starts_with(['+', '-']) => format!("{}{filling}{}", &text[..1], &text[1..]),
        _ => format!("{filling}{text}"),
    }))
}

/// What is before the separator, the separator, and what is behind it; the whole text where there is none.
fn parts(text: &str, method: &str, separator: &str) -> Result<Value, Error> {
    if separator.is_empty() {
        return Err(invalid("an empty text separates nothing".into()));
    }
    let found = if method == "partition" { text.split_once(separator) } else { text.rsplit_once(separator) };
    let parts = match found {
        Some((before, behind)) => [before, separator, behind],
        None if method == "partition" => [text, "", ""],
        None => ["", "", text],
    };
    Ok(Value::from_iter(parts))
}

fn swapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_uppercase() { out.extend(char.to_lowercase()) } else { out.extend(char.to_uppercase()) }
    }
    out
}
