//! [`Datum`]: a value that can cross a border. Every value of the language but functions.

use crate::value::{Struct, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A value as plain data.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Datum {
    Bool(bool),
    Int(i64),
    Float(f64),
    Bytes(Vec<u8>),
    List(Vec<Datum>),
    Map(Vec<(Datum, Datum)>),
    Struct(Vec<(String, Datum)>),
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
    pub fn text(text: impl Into<String>) -> Datum {
        Datum::Bytes(text.into().into_bytes())
    }

    /// A value as plain data, or `None` when a function is in it.
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
