//! Methods of Python's strings, lists and dicts: those of `minijinja_contrib::pycompat`, and those missing there.

use super::budget::Budget;
use super::offered::METHODS;
use minijinja::value::{ValueKind, from_args};
use minijinja::{Error, ErrorKind, State, Value};
use minijinja_contrib::pycompat;

/// Calls a method of a value; `UnknownMethod` if it has none of this name.
pub(super) fn call(
    budget: &Budget,
    state: &mut State<'_, '_>,
    value: &Value,
    method: &str,
    args: &[Value],
) -> Result<Value, Error> {
    let found = METHODS.iter().find(|(name, _)| *name == method);
    let (_, cost) = found.ok_or_else(|| Error::from(ErrorKind::UnknownMethod))?;
    let all: Vec<Value> = std::iter::once(value).chain(args).cloned().collect();
    cost(budget, state, &all)?;
    budget.settle(run(state, value, method, args)?)
}

fn run(state: &mut State<'_, '_>, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    match (value.as_str(), value.kind()) {
        (Some(text), _) => match method {
            "ljust" | "rjust" | "zfill" => padded(text, method, args),
            "partition" | "rpartition" => {
                let (separator,): (&str,) = from_args(args)?;
                parts(text, method, separator)
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
            nr.map(Value::from).ok_or_else(|| invalid("the value is not in the list"))
        }
        (None, _) => pycompat::unknown_method_callback(state, value, method, args),
    }
}

fn invalid(text: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}

fn padded(text: &str, method: &str, args: &[Value]) -> Result<Value, Error> {
    let (width, fill): (usize, Option<&str>) = from_args(args)?;
    let fill = if method == "zfill" { "0" } else { fill.unwrap_or(" ") };
    if fill.chars().count() != 1 {
        return Err(invalid("a string can only be padded with a single character"));
    }
    let filling = fill.repeat(width.saturating_sub(text.chars().count()));
    Ok(Value::from(match method {
        "ljust" => format!("{text}{filling}"),
        "zfill" if text.starts_with(['+', '-']) => format!("{}{filling}{}", &text[..1], &text[1..]),
        _ => format!("{filling}{text}"),
    }))
}

/// The parts before and after the separator, with the separator; the whole text if there is none.
fn parts(text: &str, method: &str, separator: &str) -> Result<Value, Error> {
    if separator.is_empty() {
        return Err(invalid("the separator must not be empty"));
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
