//! Equality and order of values. Spec, 5.1.

use super::{Int, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// Whether two values are equal. Numbers and booleans compare as numbers; values of other different kinds are unequal.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::Str(a), Value::Str(b)) => a == b,
        // Shared parts are not walked: in a value that doubles with each level, there are exponentially many.
        (Value::List(a), Value::List(b)) if Arc::ptr_eq(a, b) => true,
        (Value::Dict(a), Value::Dict(b)) if Arc::ptr_eq(a, b) => true,
        (Value::List(a), Value::List(b)) => {
            a.items.len() == b.items.len() && a.items.iter().zip(&b.items).all(|(a, b)| same(a, b))
        }
        (Value::Dict(a), Value::Dict(b)) => {
            let (a, b) = (&a.entries, &b.entries);
            a.len() == b.len() && a.iter().all(|(key, value)| b.get(key).is_some_and(|other| same(value, other)))
        }
        (Value::Instance(a), Value::Instance(b)) => a == b,
        (Value::Unknown(a), Value::Unknown(b)) => a == b,
        (a, b) => compare_numbers(a, b) == Some(Ordering::Equal),
    }
}

/// The order of two numbers; `None` if one is not a number.
pub fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    let whole = |value: &Value| match value {
        Value::Bool(value) => Some(Int::from(i64::from(*value))),
        Value::Int(int) => Some(int.clone()),
        _ => None,
    };
    match (a, b) {
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Float(a), b) => compare_int_float(&whole(b)?, *a).map(Ordering::reverse),
        (a, Value::Float(b)) => compare_int_float(&whole(a)?, *b),
        (a, b) => Some(whole(a)?.cmp(&whole(b)?)),
    }
}

/// The exact order of a whole number and a float.
pub fn compare_int_float(int: &Int, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float.is_infinite() {
        return Some(if float > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let floor = libm::floor(float);
    let order = int.cmp(&Int::of_float(floor)?);
    Some(if order == Ordering::Equal && floor < float { Ordering::Less } else { order })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_parts_are_compared_once() {
        let doubled = |value: Value| Value::raw_list(vec![value.clone(), value]);
        let grown = |first: i64| (0..90).fold(Value::int(first), |value, _| doubled(value));
        let value = grown(1);
        assert!(same(&value, &value.clone()));
        assert!(same(&doubled(value.clone()), &doubled(value.clone())));
        // The first difference ends it.
        assert!(!same(&value, &grown(2)));
    }
}
