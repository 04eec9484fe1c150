//! `text % values` and the filter `format`, where minijinja differs from Python: whole numbers from floats, `%r`, and
//! the number of values.

use super::budget::Budget;
use super::numbers;
use super::shown::{python_kind, repr, text};
use super::whole;
use crate::value::quoted_text;
use minijinja::value::ValueKind;
use minijinja::{Error, ErrorKind, Value};

/// The conversions of Python.
const CONVERSIONS: &str = "diouxXeEfFgGcrsa";

/// The arguments of the filter `format`, with the text of a format that is another value.
pub(super) fn texted(budget: &Budget, mut args: Vec<Value>) -> Result<Vec<Value>, Error> {
    if let Some(format) = args.first_mut()
        && format.as_str().is_none()
        && !format.is_undefined()
    {
        budget.make(budget.weigh(format)?.size.saturating_mul(6))?;
        *format = Value::from(text(format));
    }
    Ok(args)
}

/// A format and the values it takes by place, in a form that minijinja formats as Python would.
///
/// Errors: the format is not valid, there are more or fewer values than it takes, or one is not a number where it takes
/// one.
pub(super) fn prepared(budget: &Budget, mut args: Vec<Value>) -> Result<Vec<Value>, Error> {
    let Some(text) = args.first().and_then(Value::as_str).map(str::to_owned) else { return Ok(args) };
    budget.make(text.len() as u64)?;
    let mut out = String::with_capacity(text.len());
    let (mut chars, mut next) = (text.chars(), 1);
    while let Some(char) = chars.next() {
        out.push(char);
        if char != '%' {
            continue;
        }
        // Whether there is no sign, precision or leading zero.
        let mut is_plain = true;
        loop {
            match chars.next() {
                Some('(') => {
                    check_named(&args, chars.as_str())?;
                    return Ok(args);
                }
                None => return Err(invalid("ValueError: incomplete format".into())),
                Some('%') => {
                    out.push('%');
                    break;
                }
                Some(char @ ('#' | '0'..='9' | '-' | ' ' | '+' | '.' | 'h' | 'l' | 'L')) => {
                    is_plain &= char == '-' || matches!(char, '1'..='9') || char == '0' && out.ends_with(is_digit);
                    out.push(char);
                }
                Some('*') => {
                    out.push('*');
                    next += 1;
                }
                Some(kind) => {
                    let Some(value) = args.get_mut(next).filter(|value| !value.is_kwargs()) else {
                        return Err(wrong("not enough arguments for format string"));
                    };
                    if !CONVERSIONS.contains(kind) {
                        let index = text.chars().count() - chars.as_str().chars().count() - 1;
                        let code = u32::from(kind);
                        return Err(invalid(format!(
                            "ValueError: unsupported format character '{kind}' ({code:#x}) at index {index}"
                        )));
                    }
                    let (kind, converted) = converted(budget, kind, value, is_plain)?;
                    *value = converted;
                    out.push(kind);
                    next += 1;
                    break;
                }
            }
        }
    }
    // A dict may have more entries than a format takes.
    if args.get(next).is_some_and(|value| value.kind() != ValueKind::Map) {
        return Err(wrong("not all arguments converted during string formatting"));
    }
    // Otherwise it may be markup, and stays so.
    if out != text {
        args[0] = Value::from(out);
    }
    Ok(args)
}

/// Errors: the values are not a mapping, or lack the name that the rest of a format begins with.
fn check_named(args: &[Value], rest: &str) -> Result<(), Error> {
    let Some(mapping) = args.get(1).filter(|value| value.kind() == ValueKind::Map) else {
        return Err(wrong("format requires a mapping"));
    };
    let Some((name, _)) = rest.split_once(')') else { return Ok(()) };
    if mapping.try_iter()?.any(|key| key.as_str() == Some(name)) {
        return Ok(());
    }
    Err(invalid(format!("KeyError: {}", quoted_text(name))))
}

/// A conversion that minijinja knows, and the value for it. `is_plain`: at most a width stands before the conversion.
fn converted(budget: &Budget, kind: char, value: &Value, is_plain: bool) -> Result<(char, Value), Error> {
    let is_whole = value.is_integer() || value.kind() == ValueKind::Bool;
    Ok(match kind {
        // It may be the empty text of a choice without an alternative.
        's' => (kind, value.clone()),
        _ if value.is_undefined() => return Err(Error::from(ErrorKind::UndefinedError)),
        'r' => {
            budget.make(budget.weigh(value)?.size.saturating_mul(6))?;
            ('s', Value::from(repr(value)))
        }
        // Padded with spaces, it is like its text.
        'd' | 'i' | 'u' if is_plain && whole::is_big(value) => ('s', Value::from(value.to_string())),
        'd' | 'i' | 'u' | 'x' | 'X' | 'o' if whole::is_big(value) => {
            let text = format!("OverflowError: %{kind} does not support integers of more than 128 bits: use %s");
            return Err(Error::new(ErrorKind::InvalidOperation, text));
        }
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' if whole::is_big(value) => {
            (kind, Value::from(whole::float(value).transpose()?.unwrap_or_default()))
        }
        'd' | 'i' | 'u' if is_whole || value.is_number() => ('d', numbers::int(value, None, None)?),
        'd' | 'i' | 'u' => return Err(required(kind, "a real number", value)),
        'x' | 'X' | 'o' if is_whole => (kind, numbers::int(value, None, None)?),
        'x' | 'X' | 'o' => return Err(required(kind, "an integer", value)),
        'e' | 'E' | 'f' | 'F' | 'g' | 'G' if !is_whole && !value.is_number() => {
            return Err(wrong(&format!("must be real number, not {}", python_kind(value))));
        }
        _ => (kind, value.clone()),
    })
}

fn is_digit(char: char) -> bool {
    char.is_ascii_digit()
}

fn required(kind: char, what: &str, value: &Value) -> Error {
    wrong(&format!("%{kind} format: {what} is required, not {}", python_kind(value)))
}

fn wrong(text: &str) -> Error {
    invalid(format!("TypeError: {text}"))
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}
