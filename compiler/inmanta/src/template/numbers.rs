//! Filters that make numbers, as in Python.

use super::arithmetic::remainder;
use super::whole;
use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, ErrorKind, Value, filters};

/// The whole number of a value; of a text, in this base. The default for anything else.
pub(super) fn int(value: &Value, default: Option<Value>, base: Option<u32>) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let number = match value.as_str() {
        Some(text) => read(text, base.unwrap_or(10)).or_else(|| truncated(parsed(text)?)),
        None if value.is_number() && !value.is_integer() => f64::try_from(value.clone()).ok().and_then(truncated),
        None if value.is_number() || whole::is_big(value) => return Ok(value.clone()),
        None if matches!(value.kind(), ValueKind::Bool) => Some(i128::from(value.is_true())),
        None => None,
    };
    Ok(number.map(short).or(default).unwrap_or_else(|| Value::from(0)))
}

/// The absolute value; a boolean counts as 1 or 0.
pub(super) fn abs(value: Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Bool => Ok(Value::from(i64::from(value.is_true()))),
        _ if whole::is_big(&value) => Ok(whole::magnitude(value)),
        _ => filters::abs(value),
    }
}

pub(super) fn float(value: &Value, default: Option<Value>) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let number = match value.as_str() {
        Some(text) => parsed(text),
        None if matches!(value.kind(), ValueKind::Bool) => Some(f64::from(u8::from(value.is_true()))),
        None => whole::float(value).transpose()?,
    };
    Ok(number.map(Value::from).or(default).unwrap_or_else(|| Value::from(0.0)))
}

/// `round(value, precision, method)`: away from or towards the next number of so many digits, the result is a float.
pub(super) fn round(value: &Value, precision: Option<i32>, method: Option<&str>) -> Result<Value, Error> {
    let directed: fn(f64) -> f64 = match method {
        None | Some("common") => {
            return filters::round(value.clone(), precision, None, Kwargs::from_iter(Vec::<(String, Value)>::new()));
        }
        Some("ceil") => libm::ceil,
        Some("floor") => libm::floor,
        Some(_) => {
            let text = "FilterArgumentError: method must be common, ceil or floor";
            return Err(Error::new(ErrorKind::InvalidOperation, text));
        }
    };
    let number = f64::try_from(value.clone())?;
    let scale = libm::pow(10.0, f64::from(precision.unwrap_or(0)));
    Ok(Value::from(directed(number * scale) / scale))
}

/// `odd`, `even` and `divisibleby`: whether a division leaves this rest.
pub(super) fn leaves(value: &Value, divisor: &Value, rest: i64) -> Result<bool, Error> {
    match value.as_str() {
        // The sign stands for formatting: the result is a text.
        Some(text) if text.contains('%') => Ok(false),
        Some(_) => {
            let text = "TypeError: not all arguments converted during string formatting";
            Err(Error::new(ErrorKind::InvalidOperation, text))
        }
        None => Ok(remainder(value, divisor)? == Value::from(rest)),
    }
}

/// The smallest form of a number.
fn short(number: i128) -> Value {
    i64::try_from(number).map_or_else(|_| Value::from(number), Value::from)
}

fn truncated(number: f64) -> Option<i128> {
    let whole = libm::trunc(number);
    // The limits of i128 are powers of two.
    (libm::fabs(whole) < 1.7e38).then_some(whole as i128)
}

fn parsed(text: &str) -> Option<f64> {
    digits(text.trim())?.parse().ok()
}

/// Without the underscores between digits.
fn digits(text: &str) -> Option<String> {
    let is_misplaced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!is_misplaced).then(|| text.replace('_', ""))
}

/// Python's `int(text, base)`.
fn read(text: &str, base: u32) -> Option<i128> {
    let text = text.trim();
    let (is_negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let prefixes = [(16, ["0x", "0X"]), (8, ["0o", "0O"]), (2, ["0b", "0B"])];
    let prefixed = prefixes.iter().filter(|(of, _)| base == 0 || base == *of).find_map(|(of, prefixes)| {
        let rest = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        Some((*of, rest))
    });
    let (base, text) = prefixed.unwrap_or((if base == 0 { 10 } else { base }, text));
    if !(2..=36).contains(&base) || text.starts_with(['+', '-']) {
        return None;
    }
    let number = i128::from_str_radix(&digits(text)?, base).ok()?;
    Some(if is_negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_in_their_base() {
        for (text, base, number) in [
            ("0x1F", 16, Some(31)),
            ("0b11", 2, Some(3)),
            ("-1_000", 10, Some(-1000)),
            ("+-1", 10, None),
            ("0x1F", 10, None),
        ] {
            assert_eq!(read(text, base), number, "{text} in base {base}");
        }
    }
}
