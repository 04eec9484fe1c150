//! Values at run time: byte strings, numbers, lists, maps, structs and functions.
//!
//! A value does not carry its type: type inference knows it. Language spec, section 8.3: text
//! form, order and equality. Cloning is cheap everywhere.

mod order;
mod quote;
mod size;
mod text;

pub use quote::{Keep, quote, quote_keeping};
pub use size::PART;

use crate::types::{Type, TypeKind};
use std::any::Any;
use std::sync::Arc;

/// A value of the language.
#[derive(Clone, Debug)]
pub enum Value {
    /// A boolean.
    Bool(bool),
    /// Any bytes, normally UTF-8.
    Str(Arc<[u8]>),
    /// A 64-bit integer.
    Int(i64),
    /// A 64-bit float.
    Float(f64),
    /// A list.
    List(Arc<[Value]>),
    /// A map.
    Map(Arc<Map>),
    /// A struct.
    Struct(Arc<Struct>),
    /// A function.
    Func(Arc<Func>),
}

/// A struct's fields, in the order of its type.
#[derive(Clone, Debug)]
pub struct Struct {
    /// Name and value of each field.
    pub fields: Vec<(Arc<str>, Value)>,
}

impl Struct {
    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.fields.iter().find(|(field, _)| **field == *name).map(|(_, value)| value)
    }
}

/// A map. Entries are sorted by key ([`Value::total_cmp`]); of equal keys the last one wins. A `NaN` key equals
/// nothing, so every `NaN` is a separate entry.
#[derive(Clone, Default, Debug)]
pub struct Map {
    entries: Vec<(Value, Value)>,
}

impl Map {
    /// The value of a key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        let at = self.entries.binary_search_by(|(known, _)| known.total_cmp(key)).ok()?;
        let (found, value) = &self.entries[at];
        (found == key).then_some(value)
    }

    /// The value of exactly this key, even a `NaN`.
    pub fn get_same(&self, key: &Value) -> Option<&Value> {
        let at = self.entries.binary_search_by(|(known, _)| known.total_cmp(key)).ok()?;
        let (found, value) = &self.entries[at];
        found.is_same(key).then_some(value)
    }

    /// Sets the value of a key. Cost: linear.
    pub fn insert(&mut self, key: Value, value: Value) {
        match self.entries.binary_search_by(|(known, _)| known.total_cmp(&key)) {
            Ok(at) if self.entries[at].0 == key => self.entries[at].1 = value,
            Ok(at) | Err(at) => self.entries.insert(at, (key, value)),
        }
    }

    /// The entries, ascending by key.
    pub fn iter(&self) -> std::slice::Iter<'_, (Value, Value)> {
        self.entries.iter()
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The map of these entries; of equal keys the last one wins. It is not generic, so that there is one copy of the
    /// sort.
    ///
    /// Cost: one sort, so building a big map is nearly linear.
    fn of(mut entries: Vec<(Value, Value)>) -> Map {
        entries.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut map = Map { entries: Vec::with_capacity(entries.len()) };
        for entry in entries {
            match map.entries.last_mut() {
                Some(last) if last.0 == entry.0 => *last = entry,
                _ => map.entries.push(entry),
            }
        }
        map
    }
}

impl FromIterator<(Value, Value)> for Map {
    fn from_iter<It: IntoIterator<Item = (Value, Value)>>(entries: It) -> Map {
        Map::of(entries.into_iter().collect())
    }
}

/// A function value. Two are equal only if they are the same object.
pub struct Func {
    /// Its type.
    pub ty: Type,
    /// The implementation; opaque to all but the engine that made it.
    pub code: Box<dyn Any + Send + Sync>,
}

impl std::fmt::Debug for Func {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Func({})", self.ty)
    }
}

impl Value {
    /// A string of these bytes.
    pub fn str(bytes: impl AsRef<[u8]>) -> Value {
        Value::Str(bytes.as_ref().into())
    }

    /// A list of these items.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Value::List(items.into_iter().collect())
    }

    /// A map of these entries; of equal keys the last one wins.
    pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
        Value::Map(Arc::new(entries.into_iter().collect()))
    }

    /// A struct of these fields, in order.
    pub fn structure<'a>(fields: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        Value::Struct(Arc::new(Struct { fields }))
    }

    /// The outermost form of its type.
    pub fn kind(&self) -> TypeKind {
        match self {
            Value::Bool(_) => TypeKind::Bool,
            Value::Str(_) => TypeKind::Str,
            Value::Int(_) => TypeKind::Int,
            Value::Float(_) => TypeKind::Float,
            Value::List(_) => TypeKind::List,
            Value::Map(_) => TypeKind::Map,
            Value::Struct(_) => TypeKind::Struct,
            Value::Func(_) => TypeKind::Func,
        }
    }

    /// The boolean, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Value::Bool(value) = self { Some(*value) } else { None }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i64> {
        if let Value::Int(value) = self { Some(*value) } else { None }
    }

    /// The float, if it is one.
    pub fn as_float(&self) -> Option<f64> {
        if let Value::Float(value) = self { Some(*value) } else { None }
    }

    /// The bytes of a string, if it is one.
    pub fn as_bytes(&self) -> Option<&Arc<[u8]>> {
        if let Value::Str(value) = self { Some(value) } else { None }
    }

    /// The text of a string; invalid UTF-8 becomes U+FFFD.
    pub fn as_text(&self) -> Option<std::borrow::Cow<'_, str>> {
        self.as_bytes().map(|bytes| String::from_utf8_lossy(bytes))
    }

    /// The items, if it is a list.
    pub fn as_list(&self) -> Option<&Arc<[Value]>> {
        if let Value::List(value) = self { Some(value) } else { None }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Arc<Map>> {
        if let Value::Map(value) = self { Some(value) } else { None }
    }

    /// The struct, if it is one.
    pub fn as_struct(&self) -> Option<&Arc<Struct>> {
        if let Value::Struct(value) = self { Some(value) } else { None }
    }

    /// The function, if it is one.
    pub fn as_func(&self) -> Option<&Arc<Func>> {
        if let Value::Func(value) = self { Some(value) } else { None }
    }

    /// The type, as far as the value alone determines it; `None` if it contains an empty list or map.
    pub fn type_of(&self) -> Option<crate::types::Type> {
        use crate::types::Type;
        Some(match self {
            Value::Bool(_) => Type::Bool,
            Value::Str(_) => Type::Str,
            Value::Int(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::List(items) => Type::list(items.iter().find_map(Value::type_of)?),
            Value::Map(map) => {
                let key = map.iter().find_map(|(key, _)| key.type_of())?;
                Type::map(key, map.iter().find_map(|(_, value)| value.type_of())?)
            }
            Value::Struct(fields) => {
                let types = fields.fields.iter().map(|(name, value)| Some((name.clone(), value.type_of()?)));
                Type::structure(types.collect::<Option<Vec<_>>>()?)
            }
            // A function whose type is not solved yet contains `variant`.
            Value::Func(func) => Some(func.ty.clone()).filter(|ty| !ty.has_variant())?,
        })
    }

    /// The zero value of a type: false, 0, empty (8.3). Functions, variants and type variables have none.
    pub fn zero(ty: &Type) -> Option<Value> {
        Some(match ty {
            Type::Bool => Value::Bool(false),
            Type::Str => Value::str(""),
            Type::Int => Value::Int(0),
            Type::Float => Value::Float(0.0),
            Type::List(_) => Value::list([]),
            Type::Map(_) => Value::map([]),
            Type::Struct(fields) => {
                let zeros = fields.iter().map(|(name, ty)| Some((name.clone(), Value::zero(ty)?)));
                Value::Struct(Arc::new(Struct { fields: zeros.collect::<Option<_>>()? }))
            }
            Type::Func(_) | Type::Variant | Type::Var(_) => return None,
        })
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Value {
        Value::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Int(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value::Float(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::str(value)
    }
}

impl From<String> for Value {
    fn from(value: String) -> Value {
        Value::str(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Value {
        Value::Str(value.into())
    }
}
