//! The values of the language. Spec, 5.1.
//!
//! Cloning is cheap. A list is always flat and keeps order and duplicates; a dict keeps the order
//! in which its keys came. How deep values nest is bounded when they are made, so that looking at
//! them needs no care.

mod arithmetic;
mod equal;
mod float;
mod int;
mod json;
mod read_json;
mod spec;
mod text;

pub use arithmetic::{Operator, arithmetic, number_of};
pub use equal::{compare_int_float, compare_numbers, same};
pub use float::{python_float, shortest};
pub use int::{Int, NoResult};
pub use json::python_json;
pub use read_json::json;
pub use spec::{Spec, SpecError};
pub(crate) use text::integral;
pub use text::{MAX_WRITTEN, Namer, NoInstances, cast_text, inner, message, plain, printed, quoted, quoted_text};

use indexmap::IndexMap;
use mclive_base::define_id;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;

define_id!(
    /// An instance of an entity.
    InstId,
    "i"
);
define_id!(
    /// A value that will exist in a later compile only. Spec, 9.
    UnknownId,
    "u"
);

/// So deep may dicts nest in dicts, and lists in lists.
pub const MAX_DEPTH: u16 = 100;

/// The size of what has no parts.
const SCALAR: u64 = 8;

fn total(sizes: impl Iterator<Item = u64>) -> u64 {
    sizes.fold(SCALAR, u64::saturating_add)
}

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(Int),
    Float(f64),
    Str(Arc<str>),
    List(Arc<List>),
    Dict(Arc<Dict>),
    Instance(InstId),
    Unknown(UnknownId),
}

/// A flat list.
#[derive(Debug, Default)]
pub struct List {
    pub items: Vec<Value>,
    depth: u16,
    size: u64,
}

/// A dict; keys in the order of their coming.
#[derive(Debug, Default)]
pub struct Dict {
    pub entries: IndexMap<Arc<str>, Value, FxBuildHasher>,
    depth: u16,
    size: u64,
}

/// A value would nest deeper than [`MAX_DEPTH`].
#[derive(Debug)]
pub struct TooDeep;

impl Value {
    pub fn str(text: &str) -> Value {
        Value::Str(text.into())
    }

    pub fn int(value: i64) -> Value {
        Value::Int(Int::from(value))
    }

    /// A list of these values; lists among them are spliced in (spec, 8.3).
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

    /// A list of exactly these values: what functions answer may nest.
    pub fn raw_list(items: Vec<Value>) -> Value {
        let nested = |item: &Value| item.depth() + u16::from(matches!(item, Value::List(_)));
        let depth = items.iter().map(nested).max().unwrap_or(0);
        let size = total(items.iter().map(Value::size));
        Value::List(Arc::new(List { items, depth, size }))
    }

    pub fn dict(entries: IndexMap<Arc<str>, Value, FxBuildHasher>) -> Result<Value, TooDeep> {
        let depth = entries.values().map(Value::depth).max().unwrap_or(0) + 1;
        let size = total(entries.iter().map(|(key, value)| value.size().saturating_add(key.len() as u64)));
        if depth > MAX_DEPTH { Err(TooDeep) } else { Ok(Value::Dict(Arc::new(Dict { entries, depth, size }))) }
    }

    /// About how many bytes of text it is when it is written out. What is shared counts as often as it stands in it, so this
    /// bounds the work of looking at all of it.
    pub fn size(&self) -> u64 {
        match self {
            Value::Str(text) => text.len() as u64 + SCALAR,
            Value::List(list) => list.size,
            Value::Dict(dict) => dict.size,
            Value::Int(int) => int.n_digits() + SCALAR,
            Value::Null | Value::Bool(_) | Value::Float(_) | Value::Instance(_) | Value::Unknown(_) => SCALAR,
        }
    }

    /// How deep dicts nest in it, and lists in lists.
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

    pub fn as_str(&self) -> Option<&str> {
        if let Value::Str(text) = self { Some(text) } else { None }
    }

    pub fn as_list(&self) -> Option<&[Value]> {
        if let Value::List(list) = self { Some(&list.items) } else { None }
    }

    pub fn as_dict(&self) -> Option<&Dict> {
        if let Value::Dict(dict) = self { Some(dict) } else { None }
    }

    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    pub fn is_unknown(&self) -> bool {
        matches!(self, Value::Unknown(_))
    }

    /// Is it, or is in it, an unknown value?
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

    /// The name of its kind, as messages have it (spec, 8.1 and 8.2).
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

    /// Is it neither false, zero, null nor empty? Spec, 5.2.
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
