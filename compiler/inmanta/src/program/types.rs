//! Types of attributes, typedefs and signatures. Spec, 5.

use super::{EntityId, TypedefId};

/// A type without a definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Primitive {
    /// `string`.
    String,
    /// `int`.
    Int,
    /// `float`.
    Float,
    /// `number`.
    Number,
    /// `bool`.
    Bool,
    /// `list`.
    List,
    /// `dict`.
    Dict,
}

impl Primitive {
    /// The primitive type of this name.
    pub fn of(name: &str) -> Option<Primitive> {
        Some(match name {
            "string" => Primitive::String,
            "int" => Primitive::Int,
            "float" => Primitive::Float,
            "number" => Primitive::Number,
            "bool" => Primitive::Bool,
            "list" => Primitive::List,
            "dict" => Primitive::Dict,
            _ => return None,
        })
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Primitive::String => "string",
            Primitive::Int => "int",
            Primitive::Float => "float",
            Primitive::Number => "number",
            Primitive::Bool => "bool",
            Primitive::List => "list",
            Primitive::Dict => "dict",
        }
    }
}

/// A type.
#[derive(Clone, PartialEq, Debug)]
pub struct Type {
    /// The type of the value or the elements.
    pub base: Base,
    /// Whether it is a list.
    pub is_list: bool,
    /// Whether null is allowed.
    pub is_nullable: bool,
}

/// A type without list and null.
#[derive(Clone, PartialEq, Debug)]
pub enum Base {
    /// A primitive type.
    Primitive(Primitive),
    /// A typedef.
    Typedef(TypedefId),
    /// An entity.
    Entity(EntityId),
    /// Anything; like the following ones only in signatures.
    Any,
    /// Null.
    Null,
    /// A list of anything.
    AnyList,
    /// A dict with any values.
    AnyDict,
    /// A dict with values of a type.
    DictOf(Box<Type>),
    /// One of these types.
    Union(Vec<Type>),
}

impl Type {
    /// A type that is neither a list nor nullable.
    pub fn plain(base: Base) -> Type {
        Type { base, is_list: false, is_nullable: false }
    }
}
