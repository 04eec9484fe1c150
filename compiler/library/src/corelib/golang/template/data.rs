//! Template data: values with Go's types, made from the language's values. Functions spec, 9.2.

use crate::sort;
use crate::types::Type;
use crate::value::Value;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// A value in a template. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Data {
    /// No value.
    Nil,
    Bool(bool),
    Str(Arc<[u8]>),
    /// Go's `int`: constants, lengths, indexes.
    Int(i64),
    /// An int of the program.
    Int64(i64),
    /// A byte of a text.
    Byte(u8),
    Float(f64),
    /// Only from a constant such as `2i`.
    Complex(f64, f64),
    List(GoType, Arc<[Data]>),
    Map(Arc<GoMap>),
    /// Only as the key of a map.
    Struct(Arc<[(String, Data)]>),
}

/// A map; entries are sorted by key.
#[derive(Debug)]
pub(super) struct GoMap {
    /// Type of the keys.
    pub key: GoType,
    /// Type of the values.
    pub value: GoType,
    /// Keys and values, sorted by key.
    pub entries: Vec<(Data, Data)>,
}

impl GoMap {
    pub(super) fn get(&self, key: &Data) -> Option<&Data> {
        let at = self.entries.binary_search_by(|(known, _)| known.order(key)).ok()?;
        Some(&self.entries[at].1)
    }
}

/// A Go type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum GoType {
    Any,
    Bool,
    Str,
    Int,
    Int64,
    Byte,
    Float,
    Complex,
    List(Arc<GoType>),
    Map(Arc<(GoType, GoType)>),
    Struct(Arc<[(String, GoType)]>),
}

impl GoType {
    /// The Go type of a language type, if it stays typed.
    pub(super) fn of(ty: &Type) -> GoType {
        match ty {
            Type::Bool => GoType::Bool,
            Type::Str => GoType::Str,
            Type::Int => GoType::Int64,
            Type::Float => GoType::Float,
            Type::List(element) => GoType::List(Arc::new(GoType::of(element))),
            Type::Map(parts) => GoType::Map(Arc::new((GoType::of(&parts.0), GoType::of(&parts.1)))),
            Type::Struct(fields) => {
                GoType::Struct(fields.iter().map(|(name, ty)| (title(name), GoType::of(ty))).collect())
            }
            Type::Func(_) | Type::Variant | Type::Var(_) => GoType::Any,
        }
    }

    /// The zero value.
    pub(super) fn zero(&self) -> Data {
        match self {
            GoType::Any => Data::Nil,
            GoType::Bool => Data::Bool(false),
            GoType::Str => Data::Str(Arc::from([])),
            GoType::Int => Data::Int(0),
            GoType::Int64 => Data::Int64(0),
            GoType::Byte => Data::Byte(0),
            GoType::Float => Data::Float(0.0),
            GoType::Complex => Data::Complex(0.0, 0.0),
            GoType::List(element) => Data::List((**element).clone(), Arc::from([])),
            GoType::Map(parts) => {
                Data::Map(Arc::new(GoMap { key: parts.0.clone(), value: parts.1.clone(), entries: Vec::new() }))
            }
            GoType::Struct(fields) => Data::Struct(fields.iter().map(|(name, ty)| (name.clone(), ty.zero())).collect()),
        }
    }
}

impl fmt::Display for GoType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GoType::Any => f.write_str("interface {}"),
            GoType::Bool => f.write_str("bool"),
            GoType::Str => f.write_str("string"),
            GoType::Int => f.write_str("int"),
            GoType::Int64 => f.write_str("int64"),
            GoType::Byte => f.write_str("uint8"),
            GoType::Float => f.write_str("float64"),
            GoType::Complex => f.write_str("complex128"),
            GoType::List(element) => write!(f, "[]{element}"),
            GoType::Map(parts) => write!(f, "map[{}]{}", parts.0, parts.1),
            GoType::Struct(fields) if fields.is_empty() => f.write_str("struct {}"),
            GoType::Struct(fields) => {
                let fields: Vec<String> = fields.iter().map(|(name, ty)| format!("{name} {ty}")).collect();
                write!(f, "struct {{ {} }}", fields.join("; "))
            }
        }
    }
}

/// Upper case for the first letter of each word.
pub(super) fn title(name: &str) -> String {
    let mut starts = true;
    let letter = |c: char| {
        let upper = starts;
        starts = !(c.is_alphanumeric() || c == '_');
        if upper { c.to_uppercase().next().unwrap_or(c) } else { c }
    };
    name.chars().map(letter).collect()
}

fn holds(ty: &Type, is_it: &dyn Fn(&Type) -> bool) -> bool {
    if is_it(ty) {
        return true;
    }
    match ty {
        Type::List(element) => holds(element, is_it),
        Type::Map(parts) => holds(&parts.0, is_it) || holds(&parts.1, is_it),
        Type::Struct(fields) => fields.iter().any(|(_, ty)| holds(ty, is_it)),
        Type::Bool | Type::Str | Type::Int | Type::Float | Type::Func(_) | Type::Variant | Type::Var(_) => false,
    }
}

/// Whether the type contains a function. Such values are not data.
pub(super) fn holds_function(ty: &Type) -> bool {
    holds(ty, &|ty| matches!(ty, Type::Func(_)))
}

/// A value as generic data: lists without structs stay typed, maps and structs get elements of any type, structs become
/// maps.
pub(super) fn convert(value: &Value, ty: &Type) -> Data {
    let generic = |key, entries: Vec<(Data, Data)>| Data::Map(Arc::new(GoMap { key, value: GoType::Any, entries }));
    match (value, ty) {
        (Value::List(items), Type::List(element)) if holds(element, &|ty| matches!(ty, Type::Struct(_))) => {
            Data::List(GoType::Any, items.iter().map(|item| convert(item, element)).collect())
        }
        (Value::Map(map), Type::Map(parts)) => {
            let key = if map.is_empty() { GoType::Str } else { GoType::of(&parts.0) };
            let entry = |(key, value): &(Value, Value)| (native(key, &parts.0), convert(value, &parts.1));
            generic(key, sorted(map.iter().map(entry).collect()))
        }
        (Value::Struct(fields), Type::Struct(types)) => {
            let pair = |((name, value), (_, ty)): (&(Arc<str>, Value), &(Arc<str>, Type))| {
                (Data::Str(title(name).into_bytes().into()), convert(value, ty))
            };
            generic(GoType::Str, sorted(fields.fields.iter().zip(types.iter()).map(pair).collect()))
        }
        (value, ty) => native(value, ty),
    }
}

/// A value with its Go type.
fn native(value: &Value, ty: &Type) -> Data {
    match (value, ty) {
        (Value::Bool(value), _) => Data::Bool(*value),
        (Value::Str(value), _) => Data::Str(value.clone()),
        (Value::Int(value), _) => Data::Int64(*value),
        (Value::Float(value), _) => Data::Float(*value),
        (Value::List(items), Type::List(element)) => {
            Data::List(GoType::of(element), items.iter().map(|item| native(item, element)).collect())
        }
        (Value::Map(map), Type::Map(parts)) => {
            let entries = map.iter().map(|(key, value)| (native(key, &parts.0), native(value, &parts.1))).collect();
            let (key, value) = (GoType::of(&parts.0), GoType::of(&parts.1));
            Data::Map(Arc::new(GoMap { key, value, entries: sorted(entries) }))
        }
        (Value::Struct(fields), Type::Struct(types)) => {
            let pair =
                |((name, value), (_, ty)): (&(Arc<str>, Value), &(Arc<str>, Type))| (title(name), native(value, ty));
            Data::Struct(fields.fields.iter().zip(types.iter()).map(pair).collect())
        }
        // A function, which was refused before, or a value that does not have its type.
        (Value::List(_) | Value::Map(_) | Value::Struct(_) | Value::Func(_), _) => Data::Nil,
    }
}

fn sorted(mut entries: Vec<(Data, Data)>) -> Vec<(Data, Data)> {
    sort::by(&mut entries, |a, b| a.0.order(&b.0));
    entries
}

impl Data {
    pub(super) fn text(text: impl AsRef<[u8]>) -> Data {
        Data::Str(text.as_ref().into())
    }

    /// `None` for no value.
    pub(super) fn ty(&self) -> Option<GoType> {
        Some(match self {
            Data::Nil => return None,
            Data::Bool(_) => GoType::Bool,
            Data::Str(_) => GoType::Str,
            Data::Int(_) => GoType::Int,
            Data::Int64(_) => GoType::Int64,
            Data::Byte(_) => GoType::Byte,
            Data::Float(_) => GoType::Float,
            Data::Complex(..) => GoType::Complex,
            Data::List(element, _) => GoType::List(Arc::new(element.clone())),
            Data::Map(map) => GoType::Map(Arc::new((map.key.clone(), map.value.clone()))),
            Data::Struct(fields) => {
                let field = |(name, data): &(String, Data)| (name.clone(), data.ty().unwrap_or(GoType::Any));
                GoType::Struct(fields.iter().map(field).collect())
            }
        })
    }

    pub(super) fn type_name(&self) -> String {
        self.ty().map_or_else(|| "nil".into(), |ty| ty.to_string())
    }

    pub(super) fn truth(&self) -> bool {
        match self {
            Data::Nil => false,
            Data::Bool(value) => *value,
            Data::Str(text) => !text.is_empty(),
            Data::Int(value) | Data::Int64(value) => *value != 0,
            Data::Byte(value) => *value != 0,
            Data::Float(value) => *value != 0.0,
            Data::Complex(real, imaginary) => *real != 0.0 || *imaginary != 0.0,
            Data::List(_, items) => !items.is_empty(),
            Data::Map(map) => !map.entries.is_empty(),
            Data::Struct(_) => true,
        }
    }

    /// The number of any int type.
    pub(super) fn int(&self) -> Option<i64> {
        match self {
            Data::Int(value) | Data::Int64(value) => Some(*value),
            Data::Byte(value) => Some(i64::from(*value)),
            Data::Nil | Data::Bool(_) | Data::Str(_) | Data::Float(_) | Data::Complex(..) => None,
            Data::List(..) | Data::Map(_) | Data::Struct(_) => None,
        }
    }

    /// The order of the keys of a map, all of one type: `NaN` first, structs field by field.
    fn order(&self, other: &Data) -> Ordering {
        match (self, other) {
            (Data::Bool(a), Data::Bool(b)) => a.cmp(b),
            (Data::Str(a), Data::Str(b)) => a.cmp(b),
            (Data::Float(a), Data::Float(b)) => a.partial_cmp(b).unwrap_or_else(|| b.is_nan().cmp(&a.is_nan())),
            (Data::Struct(a), Data::Struct(b)) => {
                let field = a.iter().zip(b.iter()).map(|(a, b)| a.1.order(&b.1)).find(|order| order.is_ne());
                field.unwrap_or(Ordering::Equal)
            }
            (Data::List(_, a), Data::List(_, b)) => {
                let element = a.iter().zip(b.iter()).map(|(a, b)| a.order(b)).find(|order| order.is_ne());
                element.unwrap_or_else(|| a.len().cmp(&b.len()))
            }
            (a, b) => a.int().cmp(&b.int()),
        }
    }

    /// The language value for a parameter of that type.
    pub(super) fn value(&self, ty: &Type) -> Option<Value> {
        Some(match (self, ty) {
            (Data::Bool(value), Type::Bool) => Value::Bool(*value),
            (Data::Str(text), Type::Str) => Value::Str(text.clone()),
            (Data::Int(value) | Data::Int64(value), Type::Int) => Value::Int(*value),
            (Data::Float(value), Type::Float) => Value::Float(*value),
            (Data::List(_, items), Type::List(element)) => {
                Value::List(items.iter().map(|item| item.value(element)).collect::<Option<_>>()?)
            }
            (Data::Map(map), Type::Map(parts)) => {
                let pair = |(key, value): &(Data, Data)| Some((key.value(&parts.0)?, value.value(&parts.1)?));
                Value::map(map.entries.iter().map(pair).collect::<Option<Vec<_>>>()?)
            }
            (_, _) => return None,
        })
    }
}
