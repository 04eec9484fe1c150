//! `a ** b` in templates, as in Python.

use super::arithmetic::{number, unsupported};
use super::budget::Budget;
use super::whole::{floats, wholes};
use minijinja::{Error, ErrorKind, Value};

/// `a ** b`
pub(super) fn power(budget: &Budget, a: &Value, b: &Value) -> Result<Value, Error> {
    if a.is_undefined() || b.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if let Some((base, exponent)) = wholes(budget, a, b)?
        && !exponent.is_negative()
    {
        return number(budget, base.power(&exponent), "**");
    }
    let Some((base, exponent)) = floats(a, b)? else { return Err(unsupported("**", a, b)) };
    if base == 0.0 && exponent < 0.0 {
        return Err(invalid("ZeroDivisionError: 0.0 cannot be raised to a negative power"));
    }
    if base < 0.0 && base.is_finite() && exponent.is_finite() && libm::trunc(exponent) != exponent {
        let text = "ValueError: complex numbers are not supported: a negative base requires an integer exponent";
        return Err(invalid(text));
    }
    let power = libm::pow(base, exponent);
    if power.is_infinite() && base.is_finite() && exponent.is_finite() {
        return Err(invalid("OverflowError: (34, 'Numerical result out of range')"));
    }
    Ok(Value::from(power))
}

fn invalid(text: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}
