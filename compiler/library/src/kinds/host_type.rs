//! [`HostType`]: how a field is stored, as far as ranges and send/recv depend on it. Language
//! spec, 8.4: each host type has one type in the language.

use crate::types::Type;
use crate::value::Value;

/// The type that a field or a sendable has in the existing implementation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostType {
    Bool,
    Str,
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    /// An integer type with a name of its own, which no other fits.
    NamedInt(&'static str),
    Float32,
    Float64,
    List(&'static HostType),
    Map(&'static HostType, &'static HostType),
    Struct(&'static [HostField]),
    /// Any value but functions.
    Any,
    /// `func(int) string`: nothing can be stored.
    IntToStr,
    /// Complex numbers, by bits: the language has none, so such a field does not exist for it.
    Complex(u8),
}

/// A field of a struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HostField {
    /// In the language; empty when it does not exist there, though it prints.
    pub name: &'static str,
    pub printed_name: &'static str,
    pub host: HostType,
}

impl HostField {
    pub const fn new(name: &'static str, host: HostType) -> HostField {
        HostField { name, printed_name: name, host }
    }

    /// One that only shows when the struct is printed.
    pub(crate) const fn private(printed_name: &'static str, host: HostType) -> HostField {
        HostField { name: "", printed_name, host }
    }
}

impl HostType {
    pub(crate) const STRS: HostType = HostType::List(&HostType::Str);
    pub(crate) const STR_MAP: HostType = HostType::Map(&HostType::Str, &HostType::Str);

    /// Its type in the language; `None` when the language cannot have it.
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

    /// The zero value of what is never null; `None` for lists, maps, variants and functions, whose
    /// zero is null.
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

    /// The smallest and the biggest number that fits, for integers.
    pub fn int_range(self) -> Option<(i64, i64)> {
        Some(match self {
            HostType::Int | HostType::Int64 | HostType::NamedInt(_) => (i64::MIN, i64::MAX),
            HostType::Int8 => (i8::MIN.into(), i8::MAX.into()),
            HostType::Int16 => (i16::MIN.into(), i16::MAX.into()),
            HostType::Int32 => (i32::MIN.into(), i32::MAX.into()),
            // The language has nothing bigger than a signed 64-bit number.
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

    /// The outermost form, as messages about send/recv name it.
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

/// As messages show the whole type: `[]string`, `map[string]int64`.
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
