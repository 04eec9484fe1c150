//! Equality and order of values. Language spec, 8.3; functions spec, section 3.

use super::{Struct, Value};
use std::cmp::Ordering;
use std::sync::Arc;

/// Content equality: floats by IEEE value (`NaN` differs from itself, `-0.0` equals `0.0`),
/// functions by identity.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::List(a), Value::List(b)) => a == b,
            (Value::Map(a), Value::Map(b)) => a.entries == b.entries,
            (Value::Struct(a), Value::Struct(b)) => a.fields == b.fields,
            (Value::Func(a), Value::Func(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl Value {
    /// Whether a change can be ignored: like equality, but `NaN` equals itself, `-0.0` differs from `0.0`, and shared
    /// parts are skipped. Decides whether dependants are evaluated again.
    pub fn is_same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Str(a), Value::Str(b)) => Arc::ptr_eq(a, b) || a == b,
            (Value::List(a), Value::List(b)) => {
                Arc::ptr_eq(a, b) || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.is_same(b))
            }
            (Value::Map(a), Value::Map(b)) => {
                Arc::ptr_eq(a, b)
                    || a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.0.is_same(&b.0) && a.1.is_same(&b.1))
            }
            (Value::Struct(a), Value::Struct(b)) => Arc::ptr_eq(a, b) || same_fields(a, b),
            (a, b) => a == b,
        }
    }

    /// A total order for sorting and printing maps: false before true, numbers ascending with `NaN` first, strings by
    /// bytes, lists by element and then length; maps and structs by their text.
    pub fn total_cmp(&self, other: &Value) -> Ordering {
        match (self, other) {
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Str(a), Value::Str(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
            (Value::List(a), Value::List(b)) => {
                let element = a.iter().zip(b.iter()).map(|(a, b)| a.total_cmp(b)).find(|order| order.is_ne());
                element.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (Value::Map(_), Value::Map(_)) | (Value::Struct(_), Value::Struct(_)) if self == other => Ordering::Equal,
            (Value::Map(_), Value::Map(_)) | (Value::Struct(_), Value::Struct(_)) => {
                self.to_text().cmp(&other.to_text())
            }
            (Value::Func(a), Value::Func(b)) => Arc::as_ptr(a).cast::<()>().cmp(&Arc::as_ptr(b).cast::<()>()),
            (a, b) => a.kind().cmp(&b.kind()),
        }
    }
}

fn same_fields(a: &Struct, b: &Struct) -> bool {
    a.fields.len() == b.fields.len() && a.fields.iter().zip(&b.fields).all(|(a, b)| a.0 == b.0 && a.1.is_same(&b.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_keeps_the_last_of_equal_keys_and_every_nan() {
        let key = |float: f64| (Value::Float(float), Value::Int(float as i64));
        let map = Value::map([key(1.0), key(f64::NAN), (Value::Float(1.0), Value::Int(7)), key(f64::NAN)]);
        assert_eq!(map.to_text(), b"{NaN: 0, NaN: 0, 1: 7}");
        assert_eq!(map.as_map().unwrap().get(&Value::Float(f64::NAN)), None);
        assert!(map.is_same(&map.clone()));
    }
}
