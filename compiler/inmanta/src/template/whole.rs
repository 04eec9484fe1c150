//! Whole numbers of any size in templates: those of minijinja, and [`Big`] for larger ones.

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

/// The cost of a digit of an operand or a result, in inspected bytes: each takes part in several products, also where a
/// number is read or written.
pub(super) const DIGIT: u64 = 64;

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

/// Whether it is a whole number that is too large for minijinja.
pub(super) fn is_big(value: &Value) -> bool {
    value.downcast_object_ref::<Big>().is_some()
}

/// A whole number, or a boolean as one.
pub(super) fn whole(value: &Value) -> Option<Int> {
    if let Some(big) = value.downcast_object_ref::<Big>() {
        return Some(big.0.clone());
    }
    let is_whole = value.is_integer() || !value.is_number();
    let number = i128::try_from(value.clone()).ok().filter(|_| is_whole)?;
    Some(i64::try_from(number).map_or_else(|_| Int::from(BigInt::from(number)), Int::from))
}

/// Charges the digits of a large number.
pub(super) fn look_at(budget: &Budget, value: &Value) -> Result<(), Error> {
    let n_digits = value.downcast_object_ref::<Big>().map_or(0, Big::n_digits);
    budget.look(n_digits.saturating_mul(DIGIT))
}

/// Two whole numbers. Cost: they are inspected.
pub(super) fn wholes(budget: &Budget, a: &Value, b: &Value) -> Result<Option<(Int, Int)>, Error> {
    let (Some(a), Some(b)) = (whole(a), whole(b)) else { return Ok(None) };
    budget.look(a.n_digits().saturating_add(b.n_digits()).saturating_mul(DIGIT))?;
    Ok(Some((a, b)))
}

/// Two numbers as floats. Errors: one is too large.
pub(super) fn floats(a: &Value, b: &Value) -> Result<Option<(f64, f64)>, Error> {
    match (float(a), float(b)) {
        (Some(a), Some(b)) => Ok(Some((a?, b?))),
        _ => Ok(None),
    }
}

/// A number as a float. Errors: it is too large.
pub(super) fn float(value: &Value) -> Option<Result<f64, Error>> {
    let too_large = || invalid("OverflowError: int too large to convert to float");
    match f64::try_from(value.clone()) {
        Ok(float) => Some(Ok(float)),
        Err(_) => whole(value).map(|number| number.to_f64().ok_or_else(too_large)),
    }
}

/// A whole number as a value of a template. Cost: its digits are made.
pub(super) fn charged(budget: &Budget, number: Int) -> Result<Value, Error> {
    let n_digits = number.n_digits();
    budget.look(n_digits.saturating_mul(DIGIT))?;
    budget.make(n_digits)?;
    Ok(valued(number))
}

/// A whole number as a value of a template, which is no larger than one that was charged.
pub(super) fn valued(number: Int) -> Value {
    if let Some(small) = number.to_i64() {
        return Value::from(small);
    }
    let middle = if number.n_digits() < MAX_DIGITS { number.to_string().parse::<i128>().ok() } else { None };
    middle.map_or_else(|| Value::from_object(Big(number)), Value::from)
}

/// The order of two numbers of which minijinja cannot hold one; `None`: it can hold both, or one is not a number.
pub(super) fn compared(a: &Value, b: &Value) -> Option<Ordering> {
    if !is_big(a) && !is_big(b) {
        return None;
    }
    match (whole(a), whole(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => beside_float(&a, b),
        (None, Some(b)) => beside_float(&b, a).map(Ordering::reverse),
        (None, None) => None,
    }
}

/// The order of a large number and a float: the fraction of the float does not matter.
fn beside_float(big: &Int, float: &Value) -> Option<Ordering> {
    let float = if float.is_number() { f64::try_from(float.clone()).ok()? } else { return None };
    match Int::of_float(float) {
        Some(other) => Some(big.cmp(&other)),
        None if float.is_nan() => None,
        None => Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater }),
    }
}

/// A large number without its sign.
pub(super) fn magnitude(value: Value) -> Value {
    let negative = value.downcast_object_ref::<Big>().filter(|big| big.0.is_negative());
    match negative.map(|big| Int::Small(0).sub(&big.0)) {
        Some(Ok(number)) => valued(number),
        Some(Err(_)) | None => value,
    }
}

/// Whether it is less than all whole numbers of minijinja.
pub(super) fn is_below(value: &Value) -> bool {
    value.downcast_object_ref::<Big>().is_some_and(|big| big.0.is_negative())
}

fn invalid(text: &'static str) -> Error {
    Error::new(ErrorKind::InvalidOperation, text)
}
