//! The values of the language. Spec, 5.1.
//!
//! Cloning is cheap. A list is always flat and keeps order and duplicates; a dict keeps the insertion order of its
//! keys. The nesting of values is limited when they are made, so they can be walked recursively.

mod arithmetic;
mod equal;
mod fields;
mod float;
mod int;
mod json;
mod pieces;
mod read_json;
mod spec;
mod text;
mod written;

pub use arithmetic::{Operator, arithmetic, number_of};
pub use equal::{compare_int_float, compare_numbers, same};
pub(crate) use fields::{Arguments, ascii, fill};
pub use float::{python_float, read_float, shortest};
pub use int::{Int, NoResult};
pub(crate) use json::json_string;
pub use json::python_json;
pub(crate) use pieces::{Piece, Raw, pieces};
pub use read_json::json;
pub use spec::{Spec, SpecError};
pub(crate) use text::integral;
pub use text::{MAX_WRITTEN, Namer, NoInstances, cast_text, inner, message, plain, printed, quoted, quoted_text};
pub use written::written;

use indexmap::IndexMap;
use mclive_base::define_id;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

define_id!(
    /// Id of an instance.
    InstId,
    "i"
);
define_id!(
    /// Id of a value that will exist only in a later compilation. Spec, 9.
    UnknownId,
    "u"
);

/// Maximum nesting of dicts in dicts, and lists in lists.
pub const MAX_DEPTH: u16 = 100;

/// The size of a value without parts.
const SCALAR: u64 = 8;

fn total(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(SCALAR, u64::saturating_add)
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(Int),
    /// A float.
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// A list.
    List(Arc<List>),
    /// A dict.
    Dict(Arc<Dict>),
    /// An instance.
    Instance(InstId),
    /// An unknown value.
    Unknown(UnknownId),
}

/// A flat list.
#[derive(Debug, Default)]
pub struct List {
    /// The items in order.
    pub items: Vec<Value>,
    depth: u16,
    size: u64,
}

/// A dict with insertion order.
#[derive(Debug, Default)]
pub struct Dict {
    /// Keys and values.
    pub entries: IndexMap<Arc<str>, Value, FxBuildHasher>,
    depth: u16,
    size: u64,
}

/// A value would be nested deeper than [`MAX_DEPTH`].
#[derive(Debug)]
pub struct TooDeep;

impl Value {
    /// A string.
    pub fn str(text: &str) -> Value {
        Value::Str(text.into())
    }

    /// A whole number.
    pub fn int(value: i64) -> Value {
        Value::Int(Int::from(value))
    }

    /// A list of these values; lists among them are flattened (spec, 8.3).
    pub fn list(values: impl IntoIterator<Item = Value>) -> Value {
        let mut items = Vec::new();
        for value in values {
            match value {
                Value::List(inner) => items.extend(inner.items.iter().cloned()),
                value => items.push(value),
            }
        }
        Value::raw_list(items)
    }

    /// A list of exactly these values: results of functions may be nested.
    pub fn raw_list(items: Vec<Value>) -> Value {
        let nested = |item: &Value| item.depth() + u16::from(matches!(item, Value::List(_)));
        let depth = items.iter().map(nested).max().unwrap_or(0);
        let size = total(items.iter().map(Value::size));
        Value::List(Arc::new(List { items, depth, size }))
    }

    /// A dict of these entries. Errors: it would be nested too deeply.
    pub fn dict(entries: IndexMap<Arc<str>, Value, FxBuildHasher>) -> Result<Value, TooDeep> {
        let depth = entries.values().map(Value::depth).max().unwrap_or(0) + 1;
        let size = total(entries.iter().map(|(key, value)| value.size().saturating_add(key.len() as u64)));
        if depth > MAX_DEPTH { Err(TooDeep) } else { Ok(Value::Dict(Arc::new(Dict { entries, depth, size }))) }
    }

    /// The approximate size of its text in bytes. Shared parts count every time they occur, so this bounds the work of
    /// walking it.
    pub fn size(&self) -> u64 {
        match self {
            Value::Str(text) => text.len() as u64 + SCALAR,
            Value::List(list) => list.size,
            Value::Dict(dict) => dict.size,
            Value::Int(int) => int.n_digits() + SCALAR,
            Value::Null | Value::Bool(_) | Value::Float(_) | Value::Instance(_) | Value::Unknown(_) => SCALAR,
        }
    }

    /// Its nesting of dicts, and of lists in lists.
    pub fn depth(&self) -> u16 {
        match self {
            Value::List(list) => list.depth,
            Value::Dict(dict) => dict.depth,
            Value::Null
            | Value::Bool(_)
            | Value::Int(_)
            | Value::Float(_)
            | Value::Str(_)
            | Value::Instance(_)
            | Value::Unknown(_) => 0,
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        if let Value::Str(text) = self { Some(text) } else { None }
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&[Value]> {
        if let Value::List(list) = self { Some(&list.items) } else { None }
    }

    /// The dict, if it is one.
    pub fn as_dict(&self) -> Option<&Dict> {
        if let Value::Dict(dict) = self { Some(dict) } else { None }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// Whether it is unknown.
    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown(_))
    }

    /// Whether it is or contains an unknown value.
    pub fn has_unknown(&self) -> bool {
        match self {
            Value::Unknown(_) => true,
            Value::List(list) => list.items.iter().any(Value::has_unknown),
            Value::Dict(dict) => dict.entries.values().any(Value::has_unknown),
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_) | Value::Instance(_) => {
                false
            }
        }
    }

    /// The name of its kind in messages (spec, 8.1 and 8.2).
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Null => "NoneValue",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Str(_) => "str",
            Value::List(_) => "list",
            Value::Dict(_) => "dict",
            Value::Instance(_) => "Instance",
            Value::Unknown(_) => "Unknown",
        }
    }

    /// Whether it is neither false, zero, null nor empty. Spec, 5.2.
    pub fn is_truthy(&self) -> bool {
        match self {
            Value::Null => false,
            Value::Bool(value) => *value,
            Value::Int(int) => !int.is_zero(),
            Value::Float(float) => *float != 0.0,
            Value::Str(text) => !text.is_empty(),
            Value::List(list) => !list.items.is_empty(),
            Value::Dict(dict) => !dict.entries.is_empty(),
            Value::Instance(_) | Value::Unknown(_) => true,
        }
    }
}
