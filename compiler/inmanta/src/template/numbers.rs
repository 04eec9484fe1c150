//! Filters that make numbers, as in Python.

use super::arithmetic::remainder;
use super::shown::python_kind;
use super::whole;
use crate::value::{Int, NoResult, quoted_text};
use minijinja::value::{Kwargs, ValueKind};
use minijinja::{Error, ErrorKind, Value, filters};
use num_bigint::BigInt;
use std::cmp::Ordering;

/// The whole number of a value; of a text, in this base. The default for anything else.
pub(super) fn int(value: &Value, default: Option<Value>, base: Option<u32>) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let number = match value.as_str() {
        Some(text) => read(text, base.unwrap_or(10)).or_else(|| Int::of_float(parsed(text)?)),
        None if value.is_number() && !value.is_integer() => f64::try_from(value.clone()).ok().and_then(Int::of_float),
        None if value.is_number() || whole::is_big(value) => return Ok(value.clone()),
        None if matches!(value.kind(), ValueKind::Bool) => Some(Int::Small(i64::from(value.is_true()))),
        None => None,
    };
    Ok(number.map(whole::valued).or(default).unwrap_or_else(|| Value::from(0)))
}

/// The absolute value; a boolean counts as 1 or 0.
pub(super) fn abs(value: Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Bool => Ok(Value::from(i64::from(value.is_true()))),
        ValueKind::Undefined => Err(invalid("TypeError: bad operand type for abs(): 'StrictUndefined'")),
        _ if whole::is_big(&value) => Ok(whole::magnitude(value)),
        _ => filters::abs(value),
    }
}

pub(super) fn float(value: &Value, default: Option<Value>) -> Result<Value, Error> {
    let number = floating(value)?;
    Ok(number.map(Value::from).or(default).unwrap_or_else(|| Value::from(0.0)))
}

/// The value as a float; `None`: it is neither a number nor the text of one. Errors: it is undefined, or too large.
fn floating(value: &Value) -> Result<Option<f64>, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    Ok(match value.as_str() {
        Some(text) => parsed(text),
        None if matches!(value.kind(), ValueKind::Bool) => Some(f64::from(u8::from(value.is_true()))),
        None => whole::float(value).transpose()?,
    })
}

/// `filesizeformat(value, binary)`: a number of bytes with a unit.
pub(super) fn file_size(value: &Value, is_binary: Option<bool>) -> Result<String, Error> {
    let number = floating(value)?.ok_or_else(|| match value.as_str() {
        Some(text) => invalid(format!("ValueError: could not convert string to float: {}", quoted_text(text))),
        None => {
            let kind = python_kind(value);
            invalid(format!("TypeError: float() argument must be a string or a real number, not '{kind}'"))
        }
    })?;
    let (base, names) = match is_binary {
        Some(true) => (1024.0, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"]),
        Some(false) | None => (1000.0, ["kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"]),
    };
    if number == 1.0 {
        return Ok("1 Byte".to_owned());
    }
    if number < base {
        let whole = Int::of_float(number);
        let whole = whole.ok_or_else(|| invalid("OverflowError: cannot convert float infinity to integer"))?;
        return Ok(format!("{whole} Bytes"));
    }
    let (mut name, mut next) = (names[0], base * base);
    for larger in names.into_iter().skip(1) {
        if number < next {
            break;
        }
        (name, next) = (larger, next * base);
    }
    Ok(format!("{:.1} {name}", base * number / next))
}

/// `round(value, precision, method)`: to the nearest number of so many digits, the even one of two; or the next one above or
/// below, as a float.
pub(super) fn round(value: &Value, precision: Option<i32>, method: Option<&str>) -> Result<Value, Error> {
    let precision = precision.unwrap_or(0);
    let directed: fn(f64) -> f64 = match method {
        None | Some("common") => return nearest(value, precision),
        Some("ceil") => libm::ceil,
        Some("floor") => libm::floor,
        Some(_) => return Err(invalid("FilterArgumentError: method must be common, ceil or floor")),
    };
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if precision >= 0
        && let Some(number) = whole::whole(value)
    {
        let too_large = |_| invalid("OverflowError: integer division result too large for a float");
        return number.divide(&Int::Small(1)).map(Value::from).map_err(too_large);
    }
    let number = match whole::float(value) {
        Some(number) => number?,
        None => f64::try_from(value.clone())?,
    };
    let scale = libm::pow(10.0, f64::from(precision));
    if scale.is_infinite() {
        return Err(invalid("OverflowError: int too large to convert to float"));
    }
    let scaled = number * scale;
    if scaled.is_nan() {
        return Err(invalid("ValueError: cannot convert float NaN to integer"));
    }
    if scaled.is_infinite() {
        return Err(invalid("OverflowError: cannot convert float infinity to integer"));
    }
    if scale == 0.0 {
        return Err(invalid("ZeroDivisionError: float division by zero"));
    }
    // A whole number has no negative zero.
    Ok(Value::from((directed(scaled) + 0.0) / scale))
}

/// The nearest number of so many digits: a whole number remains one.
fn nearest(value: &Value, precision: i32) -> Result<Value, Error> {
    match whole::whole(value) {
        Some(number) if precision >= 0 => Ok(whole::valued(number)),
        Some(number) => tens(&number, precision.unsigned_abs()).map(whole::valued).map_err(|_| {
            let most = Int::MAX_BITS;
            invalid(format!("OverflowError: the result of round exceeds the limit of {most} bits for an integer"))
        }),
        None if value.is_undefined() => Err(invalid("TypeError: type StrictUndefined doesn't define __round__ method")),
        None => {
            let no_names = Kwargs::from_iter(Vec::<(String, Value)>::new());
            filters::round(value.clone(), Some(precision), None, no_names)
        }
    }
}

/// The multiple of a power of ten that is nearest to a number, the even one of two.
fn tens(number: &Int, n_digits: u32) -> Result<Int, NoResult> {
    // More digits than the number has: it is less than half of the power. Those of 64 bits have up to 19.
    if u64::from(n_digits) > number.n_digits().max(19) + 1 {
        return Ok(Int::Small(0));
    }
    let unit = Int::Small(10).power(&Int::Small(i64::from(n_digits)))?;
    let quotient = number.floor_divide(&unit)?;
    let rest = number.sub(&quotient.mul(&unit)?)?;
    let is_up = match rest.add(&rest)?.cmp(&unit) {
        Ordering::Less => false,
        Ordering::Equal => !quotient.modulo(&Int::Small(2))?.is_zero(),
        Ordering::Greater => true,
    };
    let quotient = if is_up { quotient.add(&Int::Small(1))? } else { quotient };
    quotient.mul(&unit)
}

fn invalid(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, text.into())
}

/// `odd`, `even` and `divisibleby`: whether a division leaves this rest.
pub(super) fn leaves(value: &Value, divisor: &Value, rest: i64) -> Result<bool, Error> {
    match value.as_str() {
        // The sign stands for formatting: the result is a text.
        Some(text) if text.contains('%') => Ok(false),
        Some(_) => Err(invalid("TypeError: not all arguments converted during string formatting")),
        None => Ok(remainder(value, divisor)? == Value::from(rest)),
    }
}

fn parsed(text: &str) -> Option<f64> {
    digits(text.trim())?.parse().ok()
}

/// Without the underscores between digits.
fn digits(text: &str) -> Option<String> {
    let is_misplaced = text.starts_with('_') || text.ends_with('_') || text.contains("__");
    (!is_misplaced).then(|| text.replace('_', ""))
}

/// The maximum number of digits that Python reads as a number, unless its base is a power of two.
const MAX_DIGITS: usize = Int::MAX_READ;

/// Python's `int(text, base)`.
fn read(text: &str, base: u32) -> Option<Int> {
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
    let digits = digits(text)?;
    let is_long = if base.is_power_of_two() {
        digits.len() as u64 * u64::from(base.ilog2()) > Int::MAX_BITS
    } else {
        digits.len() > MAX_DIGITS
    };
    if is_long {
        return None;
    }
    let number = BigInt::parse_bytes(digits.as_bytes(), base)?;
    Some(Int::from(if is_negative { -number } else { number }))
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
            ("", 10, None),
        ] {
            assert_eq!(read(text, base).map(|number| number.to_i64()), number.map(Some), "{text} in base {base}");
        }
        assert!(read(&"1".repeat(MAX_DIGITS), 10).is_some() && read(&"1".repeat(MAX_DIGITS + 1), 10).is_none());
        assert!(read(&"1".repeat(MAX_DIGITS + 1), 16).is_some() && read(&"f".repeat(1 << 20), 16).is_none());
    }
}
