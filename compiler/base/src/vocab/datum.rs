//! [`Datum`]: a value that can be passed between the brain and a body: every value of the language except functions.

use crate::value::{Struct, Value};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::cell::Cell;
use std::sync::Arc;

/// A value as plain data. It may come from untrusted recordings, so decoding refuses nesting deeper than [`DEEPEST`].
#[derive(Clone, PartialEq, Debug, Serialize)]
pub enum Datum {
    /// A boolean.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string, any bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Datum>),
    /// Keys and values of a map.
    Map(Vec<(Datum, Datum)>),
    /// Names and values of a struct's fields.
    Struct(Vec<(String, Datum)>),
}

/// The maximum nesting depth when decoding.
const DEEPEST: u32 = 100;

/// The serialised form, for decoding.
#[derive(Deserialize)]
#[serde(remote = "Datum")]
enum Written {
    Bool(bool),
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    List(Vec<Datum>),
    Map(Vec<(Datum, Datum)>),
    Struct(Vec<(String, Datum)>),
}

thread_local! {
    /// The current nesting depth.
    static LEVEL: Cell<u32> = const { Cell::new(0) };
}

impl<'de> Deserialize<'de> for Datum {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Datum, D::Error> {
        if LEVEL.get() >= DEEPEST {
            return Err(D::Error::custom("a value is nested too deeply"));
        }
        LEVEL.set(LEVEL.get() + 1);
        let read = Written::deserialize(from);
        LEVEL.set(LEVEL.get() - 1);
        read
    }
}

impl From<&Datum> for Value {
    fn from(datum: &Datum) -> Value {
        match datum {
            Datum::Bool(value) => Value::Bool(*value),
            Datum::Int(value) => Value::Int(*value),
            Datum::Float(value) => Value::Float(*value),
            Datum::Bytes(bytes) => Value::str(bytes),
            Datum::List(items) => Value::list(items.iter().map(Value::from)),
            Datum::Map(entries) => Value::map(entries.iter().map(|(key, value)| (key.into(), value.into()))),
            Datum::Struct(fields) => {
                let fields = fields.iter().map(|(name, value)| (name.as_str().into(), value.into())).collect();
                Value::Struct(Arc::new(Struct { fields }))
            }
        }
    }
}

impl Datum {
    /// A string.
    pub fn text(text: impl Into<String>) -> Datum {
        Datum::Bytes(text.into().into_bytes())
    }

    /// A value as plain data, or `None` if it contains a function.
    pub fn of(value: &Value) -> Option<Datum> {
        Some(match value {
            Value::Bool(value) => Datum::Bool(*value),
            Value::Int(value) => Datum::Int(*value),
            Value::Float(value) => Datum::Float(*value),
            Value::Str(bytes) => Datum::Bytes(bytes.to_vec()),
            Value::List(items) => Datum::List(items.iter().map(Datum::of).collect::<Option<_>>()?),
            Value::Map(map) => {
                let entries = map.iter().map(|(key, value)| Some((Datum::of(key)?, Datum::of(value)?)));
                Datum::Map(entries.collect::<Option<_>>()?)
            }
            Value::Struct(fields) => {
                let fields = fields.fields.iter().map(|(name, value)| Some((name.to_string(), Datum::of(value)?)));
                Datum::Struct(fields.collect::<Option<_>>()?)
            }
            Value::Func(_) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_nested_too_deeply_is_not_read() {
        let nested = |depth: u32| (1..depth).fold(Datum::Int(1), |inner, _| Datum::List(vec![inner]));
        let read = |datum: &Datum| postcard::from_bytes::<Datum>(&postcard::to_stdvec(datum).unwrap());
        assert_eq!(read(&nested(DEEPEST)), Ok(nested(DEEPEST)));
        assert!(read(&nested(DEEPEST + 1)).is_err());
        // A deeply nested list takes only two bytes per level.
        assert!(postcard::from_bytes::<Datum>(&[4, 1].repeat(1 << 20)).is_err());
        assert_eq!(read(&nested(3)), Ok(nested(3)), "and the next one is read as before");
    }
}
