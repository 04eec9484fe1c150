//! `+`, `-`, `*`, `/`, `//`, `%` and signs in templates, as in Python.

use super::budget::{Budget, ITEM};
use super::shown::python_kind;
use super::whole::{charged, floats, valued, whole, wholes};
use crate::value::{Int, NoResult};
use minijinja::value::{Tuple, ValueKind};
use minijinja::{Error, ErrorKind, Value};

/// `a + b`: the sum of numbers, or the concatenation of texts, lists or tuples. Their parts are charged before.
pub(super) fn sum(budget: &Budget, a: &Value, b: &Value) -> Result<Value, Error> {
    if let Some((a, b)) = wholes(budget, a, b)? {
        return number(budget, a.add(&b), "+");
    }
    if let Some((a, b)) = floats(a, b)? {
        return Ok(Value::from(a + b));
    }
    if let (Some(a), Some(b)) = (a.as_str(), b.as_str()) {
        return Ok(Value::from([a, b].concat()));
    }
    let is_list = |value: &Value| matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable);
    if !is_list(a) || !is_list(b) || a.is_tuple() != b.is_tuple() {
        return Err(unsupported("+", a, b));
    }
    let mut items = Vec::new();
    for item in a.try_iter()?.checked().chain(b.try_iter()?.checked()) {
        budget.make(ITEM)?;
        items.push(item?);
    }
    Ok(if a.is_tuple() { Tuple::from(items).into() } else { Value::from(items) })
}

/// `a - b`
pub(super) fn difference(budget: &Budget, a: &Value, b: &Value) -> Result<Value, Error> {
    if let Some((a, b)) = wholes(budget, a, b)? {
        return number(budget, a.sub(&b), "-");
    }
    match floats(a, b)? {
        Some((a, b)) => Ok(Value::from(a - b)),
        None => Err(unsupported("-", a, b)),
    }
}

/// `a * b`: a product of numbers, or a repeated text or list.
pub(super) fn product(budget: &Budget, a: &Value, b: &Value) -> Result<Value, Error> {
    let is_list = |value: &Value| value.kind() != ValueKind::Map && value.try_iter().is_ok();
    let is_long = |value: &Value| value.as_str().is_some() || is_list(value) && value.as_object().is_some();
    let repeated = if is_long(a) { Some((a, b)) } else { is_long(b).then_some((b, a)) };
    if let Some((value, times)) = repeated {
        return repetition(value, times);
    }
    if let Some((a, b)) = wholes(budget, a, b)? {
        return number(budget, a.mul(&b), "*");
    }
    match floats(a, b)? {
        Some((a, b)) => Ok(Value::from(a * b)),
        None if a.is_undefined() || b.is_undefined() => Err(Error::from(ErrorKind::UndefinedError)),
        None => Err(unsupported("*", a, b)),
    }
}

fn repetition(value: &Value, times: &Value) -> Result<Value, Error> {
    if times.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    let wrong = || invalid(format!("TypeError: can't multiply sequence by non-int of type '{}'", python_kind(times)));
    let too_large = || invalid("OverflowError: cannot fit 'int' into an index-sized integer");
    let number = whole(times).ok_or_else(wrong)?;
    // A negative number of times is none.
    let times = match number.is_negative() {
        true => 0,
        false => number.to_i64().and_then(|times| usize::try_from(times).ok()).ok_or_else(too_large)?,
    };
    if let Some(text) = value.as_str() {
        return Ok(Value::from(text.repeat(times)));
    }
    let items: Vec<Value> = value.try_iter()?.collect();
    let n_items = items.len().saturating_mul(times);
    let repeated = items.iter().cycle().take(n_items).cloned();
    Ok(if value.is_tuple() { Tuple::from(repeated.collect::<Vec<Value>>()).into() } else { repeated.collect() })
}

/// `a / b`: always a float.
pub(super) fn quotient(budget: &Budget, a: &Value, b: &Value) -> Result<Value, Error> {
    if let Some((a, b)) = wholes(budget, a, b)? {
        return a.divide(&b).map(Value::from).map_err(|no_result| match no_result {
            NoResult::DivisionByZero => invalid("ZeroDivisionError: division by zero"),
            _ => invalid("OverflowError: integer division result too large for a float"),
        });
    }
    match floats(a, b)? {
        Some((_, 0.0)) => Err(invalid("ZeroDivisionError: float division by zero")),
        Some((a, b)) => Ok(Value::from(a / b)),
        None => Err(unsupported("/", a, b)),
    }
}

/// `a // b`: the quotient, rounded down.
pub(super) fn floor(budget: &Budget, a: &Value, b: &Value) -> Result<Value, Error> {
    if let Some((a, b)) = wholes(budget, a, b)? {
        if b.is_zero() {
            return Err(invalid("ZeroDivisionError: integer division or modulo by zero"));
        }
        return number(budget, a.floor_divide(&b), "//");
    }
    match floats(a, b)? {
        Some((_, 0.0)) => Err(invalid("ZeroDivisionError: float floor division by zero")),
        Some((a, b)) => Ok(Value::from(rounded_down(a, b))),
        None => Err(unsupported("//", a, b)),
    }
}

/// Python's floor division of floats: that of the exact quotient, which a float need not be.
fn rounded_down(a: f64, b: f64) -> f64 {
    let rest = libm::fmod(a, b);
    let mut quotient = (a - rest) / b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return libm::copysign(0.0, a / b);
    }
    let floor = libm::floor(quotient);
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// The remainder of numbers, with the sign of the divisor.
pub(super) fn remainder(a: &Value, b: &Value) -> Result<Value, Error> {
    if let (Some(a), Some(b)) = (whole(a), whole(b)) {
        let rest = a.modulo(&b).map_err(|_| invalid("ZeroDivisionError: integer modulo by zero"))?;
        return Ok(valued(rest));
    }
    match floats(a, b)? {
        Some((_, 0.0)) => Err(invalid("ZeroDivisionError: float modulo by zero")),
        Some((a, b)) => {
            let rest = libm::fmod(a, b);
            let rest = if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { libm::copysign(rest, b) };
            Ok(Value::from(rest))
        }
        None if a.is_undefined() || b.is_undefined() => Err(Error::from(ErrorKind::UndefinedError)),
        None => Err(unsupported("%", a, b)),
    }
}

/// `-a`
pub(super) fn negated(budget: &Budget, value: &Value) -> Result<Value, Error> {
    if value.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if let Some(whole) = whole(value) {
        return number(budget, Int::Small(0).sub(&whole), "-");
    }
    match f64::try_from(value.clone()) {
        Ok(number) => Ok(Value::from(-number)),
        Err(_) => Err(invalid(format!("TypeError: bad operand type for unary -: '{}'", python_kind(value)))),
    }
}

/// The result of an operator on whole numbers. Errors: there is none.
pub(super) fn number(budget: &Budget, result: Result<Int, NoResult>, sign: &str) -> Result<Value, Error> {
    match result {
        Ok(number) => charged(budget, number),
        // A divisor of zero has its own error.
        Err(_) => {
            let most = Int::MAX_BITS;
            Err(invalid(format!("OverflowError: the result of {sign} exceeds the limit of {most} bits for an integer")))
        }
    }
}

/// The error about operands of these types. What is missing has its own error, for which [`super::missing`] needs the
/// words of minijinja.
pub(super) fn unsupported(sign: &str, a: &Value, b: &Value) -> Error {
    if a.is_undefined() || b.is_undefined() {
        let (a, b) = (a.kind(), b.kind());
        return invalid(format!("tried to use {sign} operator on unsupported types {a} and {b}"));
    }
    let (left, right) = (python_kind(a), python_kind(b));
    let sign = if sign == "**" { "** or pow()" } else { sign };
    invalid(match (sign, left) {
        ("+", "str" | "list" | "tuple") => {
            format!("TypeError: can only concatenate {left} (not \"{right}\") to {left}")
        }
        _ => format!("TypeError: unsupported operand type(s) for {sign}: '{left}' and '{right}'"),
    })
}

fn invalid(text: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidOperation, text.into())
}
