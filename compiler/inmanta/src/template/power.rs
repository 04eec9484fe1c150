//! `a ** b` and products in templates, as in Python: whole numbers of any size.

use super::budget::Budget;
use crate::value::Int;
use minijinja::value::{DynObject, Object, ObjectRepr};
use minijinja::{Error, ErrorKind, Value};
use num_bigint::BigInt;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The digits that fit into the whole numbers of minijinja.
const MAX_DIGITS: u64 = 43;

/// The cost of a digit of a power, in inspected bytes: each takes part in several products.
const DIGIT: u64 = 64;

/// A whole number that is too large for minijinja.
#[derive(Debug)]
pub(super) struct Big(Int);

impl Big {
    /// At least its digits.
    pub(super) fn n_digits(&self) -> u64 {
        self.0.n_digits()
    }
}

impl Object for Big {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Plain
    }

    fn custom_cmp(self: &Arc<Self>, other: &DynObject) -> Option<Ordering> {
        other.downcast_ref::<Self>().map(|other| self.0.cmp(&other.0))
    }

    fn render(self: &Arc<Self>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// `a ** b`
pub(super) fn power(budget: &Budget, a: &Value, b: &Value) -> Result<Value, Error> {
    if a.is_undefined() || b.is_undefined() {
        return Err(Error::from(ErrorKind::UndefinedError));
    }
    if let (Some(base), Some(exponent)) = (whole(a), whole(b))
        && !exponent.is_negative()
    {
        let power = base.power(&exponent);
        let power = power.map_err(|_| invalid(format!("unable to calculate {a} ** {b}")))?;
        return charged(budget, power);
    }
    match (float(a), float(b)) {
        (Some(base), Some(exponent)) if base == 0.0 && exponent < 0.0 => {
            Err(invalid("ZeroDivisionError: 0.0 cannot be raised to a negative power".into()))
        }
        (Some(base), Some(exponent)) => {
            let power = libm::pow(base, exponent);
            if power.is_infinite() && base.is_finite() && exponent.is_finite() {
                return Err(invalid("OverflowError: (34, 'Numerical result out of range')".into()));
            }
            Ok(Value::from(power))
        }
        _ => Err(invalid(format!("tried to use ** operator on unsupported types {} and {}", a.kind(), b.kind()))),
    }
}

/// The product of whole numbers; `None` if one of them is none.
pub(super) fn product(budget: &Budget, a: &Value, b: &Value) -> Option<Result<Value, Error>> {
    let (factor, other) = (whole(a)?, whole(b)?);
    let product = factor.mul(&other).map_err(|_| invalid(format!("unable to calculate {a} * {b}")));
    Some(product.and_then(|product| charged(budget, product)))
}

fn charged(budget: &Budget, number: Int) -> Result<Value, Error> {
    if let Some(small) = number.to_i64() {
        return Ok(Value::from(small));
    }
    let n_digits = number.n_digits();
    budget.look(n_digits.saturating_mul(DIGIT))?;
    budget.make(n_digits)?;
    let middle = if n_digits < MAX_DIGITS { number.to_string().parse::<i128>().ok() } else { None };
    Ok(middle.map_or_else(|| Value::from_object(Big(number)), Value::from))
}

fn whole(value: &Value) -> Option<Int> {
    if let Some(big) = value.downcast_object_ref::<Big>() {
        return Some(big.0.clone());
    }
    let is_whole = value.is_integer() || !value.is_number();
    let number = i128::try_from(value.clone()).ok().filter(|_| is_whole)?;
    Some(i64::try_from(number).map_or_else(|_| Int::from(BigInt::from(number)), Int::from))
}

fn float(value: &Value) -> Option<f64> {
    f64::try_from(value.clone()).ok().or_else(|| whole(value)?.to_f64())
}

fn invalid(text: String) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}
