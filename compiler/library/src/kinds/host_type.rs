//! [`HostType`]: how a field is stored, as far as it matters for ranges and send/recv. Language spec, 8.4: each host
//! type has one type in the language.

use crate::types::Type;
use crate::value::Value;

/// The type of a field or a sendable in the existing implementation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostType {
    /// `bool`.
    Bool,
    /// `string`.
    Str,
    /// `int`, 64 bits.
    Int,
    /// `int8`.
    Int8,
    /// `int16`.
    Int16,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
    /// `uint`, 64 bits.
    Uint,
    /// `uint8`.
    Uint8,
    /// `uint16`.
    Uint16,
    /// `uint32`.
    Uint32,
    /// `uint64`.
    Uint64,
    /// A named integer type, which is distinct from all others.
    NamedInt(&'static str),
    /// `float32`.
    Float32,
    /// `float64`.
    Float64,
    /// A list of this type.
    List(&'static HostType),
    /// A map with keys and values of these types.
    Map(&'static HostType, &'static HostType),
    /// A struct with these fields.
    Struct(&'static [HostField]),
    /// Any value except functions.
    Any,
    /// `func(int) string`: cannot be stored.
    IntToStr,
    /// Complex numbers, by bits: the language has none, so such a field does not exist in it.
    Complex(u8),
}

/// A field of a struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostField {
    /// The name in the language; empty if it only exists when printed.
    pub name: &'static str,
    /// The name when printed.
    pub printed_name: &'static str,
    /// How it is stored.
    pub host: HostType,
}

impl HostField {
    /// A field with the same printed name.
    pub const fn new(name: &'static str, host: HostType) -> HostField {
        HostField { name, printed_name: name, host }
    }

    /// A field that exists only when printed.
    pub(crate) const fn private(printed_name: &'static str, host: HostType) -> HostField {
        HostField { name: "", printed_name, host }
    }
}

impl HostType {
    pub(crate) const STRS: HostType = HostType::List(&HostType::Str);
    pub(crate) const STR_MAP: HostType = HostType::Map(&HostType::Str, &HostType::Str);

    /// The corresponding type in the language; `None` if there is none.
    pub fn language(self) -> Option<Type> {
        Some(match self {
            HostType::Bool => Type::Bool,
            HostType::Str => Type::Str,
            HostType::Int
            | HostType::Int8
            | HostType::Int16
            | HostType::Int32
            | HostType::Int64
            | HostType::Uint
            | HostType::Uint8
            | HostType::Uint16
            | HostType::Uint32
            | HostType::Uint64
            | HostType::NamedInt(_) => Type::Int,
            HostType::Float32 | HostType::Float64 => Type::Float,
            HostType::List(element) => Type::list(element.language()?),
            HostType::Map(key, value) => Type::map(key.language()?, value.language()?),
            HostType::Struct(fields) => {
                let known = fields.iter().filter(|field| !field.name.is_empty());
                let typed = known.map(|field| Some((field.name.into(), field.host.language()?)));
                Type::structure(typed.collect::<Option<Vec<_>>>()?)
            }
            HostType::Any => Type::Variant,
            HostType::IntToStr => Type::func(vec![("0".into(), Type::Int)], Type::Str),
            HostType::Complex(_) => return None,
        })
    }

    /// The zero value; `None` for lists, maps, variants and functions, whose zero value is null.
    pub fn zero(self) -> Option<Value> {
        match self {
            HostType::List(_) | HostType::Map(..) | HostType::Any | HostType::IntToStr | HostType::Complex(_) => None,
            HostType::Bool => Some(Value::Bool(false)),
            HostType::Str => Some(Value::Str(Default::default())),
            HostType::Float32 | HostType::Float64 => Some(Value::Float(0.0)),
            HostType::Struct(_) => Value::zero(&self.language()?),
            HostType::Int
            | HostType::Int8
            | HostType::Int16
            | HostType::Int32
            | HostType::Int64
            | HostType::Uint
            | HostType::Uint8
            | HostType::Uint16
            | HostType::Uint32
            | HostType::Uint64
            | HostType::NamedInt(_) => Some(Value::Int(0)),
        }
    }

    /// The smallest and the largest value, for integers.
    pub fn int_range(self) -> Option<(i64, i64)> {
        Some(match self {
            HostType::Int | HostType::Int64 | HostType::NamedInt(_) => (i64::MIN, i64::MAX),
            HostType::Int8 => (i8::MIN.into(), i8::MAX.into()),
            HostType::Int16 => (i16::MIN.into(), i16::MAX.into()),
            HostType::Int32 => (i32::MIN.into(), i32::MAX.into()),
            // The language has only signed 64-bit integers.
            HostType::Uint | HostType::Uint64 => (0, i64::MAX),
            HostType::Uint8 => (0, u8::MAX.into()),
            HostType::Uint16 => (0, u16::MAX.into()),
            HostType::Uint32 => (0, u32::MAX.into()),
            HostType::Bool
            | HostType::Str
            | HostType::Float32
            | HostType::Float64
            | HostType::List(_)
            | HostType::Map(..)
            | HostType::Struct(_)
            | HostType::Any
            | HostType::IntToStr
            | HostType::Complex(_) => return None,
        })
    }

    /// The outermost form, in messages about send/recv.
    pub fn kind(self) -> &'static str {
        match self {
            HostType::Bool => "bool",
            HostType::Str => "string",
            HostType::Int | HostType::NamedInt(_) => "int",
            HostType::Int8 => "int8",
            HostType::Int16 => "int16",
            HostType::Int32 => "int32",
            HostType::Int64 => "int64",
            HostType::Uint => "uint",
            HostType::Uint8 => "uint8",
            HostType::Uint16 => "uint16",
            HostType::Uint32 => "uint32",
            HostType::Uint64 => "uint64",
            HostType::Float32 => "float32",
            HostType::Float64 => "float64",
            HostType::List(_) => "slice",
            HostType::Map(..) => "map",
            HostType::Struct(_) => "struct",
            HostType::Any => "interface",
            HostType::IntToStr => "func",
            HostType::Complex(64) => "complex64",
            HostType::Complex(_) => "complex128",
        }
    }
}

/// The whole type, in messages: `[]string`, `map[string]int64`.
impl std::fmt::Display for HostType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            HostType::NamedInt(name) => f.write_str(name),
            HostType::List(element) => write!(f, "[]{element}"),
            HostType::Map(key, value) => write!(f, "map[{key}]{value}"),
            HostType::Struct(fields) => {
                f.write_str("struct {")?;
                for (index, field) in fields.iter().enumerate() {
                    let separator = if index == 0 { " " } else { "; " };
                    write!(f, "{separator}{} {}", field.printed_name, field.host)?;
                }
                f.write_str(" }")
            }
            HostType::Any => f.write_str("interface {}"),
            HostType::IntToStr => f.write_str("func(int) string"),
            HostType::Bool
            | HostType::Str
            | HostType::Int
            | HostType::Int8
            | HostType::Int16
            | HostType::Int32
            | HostType::Int64
            | HostType::Uint
            | HostType::Uint8
            | HostType::Uint16
            | HostType::Uint32
            | HostType::Uint64
            | HostType::Float32
            | HostType::Float64
            | HostType::Complex(_) => f.write_str(self.kind()),
        }
    }
}
