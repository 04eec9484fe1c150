//! The language's types: one tree type, its text form, and comparison.
//!
//! Language spec, section 8.1 (syntax and printing) and 8.2 (comparison). Inference has its own table (`unify`) and
//! yields a [`Type`].

mod compare;
mod parse;

pub use compare::compare;
pub use parse::parse;

use std::fmt;
use std::sync::Arc;

/// A type of the language. Cheap to clone: composite types share their parts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Type {
    /// `bool`.
    Bool,
    /// `str`.
    Str,
    /// `int`, 64 bits.
    Int,
    /// `float`, 64 bits.
    Float,
    /// `[]T`.
    List(Arc<Type>),
    /// Key, value.
    Map(Arc<(Type, Type)>),
    /// Fields in order; the order is part of the type.
    Struct(Arc<[(Arc<str>, Type)]>),
    /// A function.
    Func(Arc<FuncType>),
    /// Any value: only in signatures of builtins and as the type of resource fields.
    Variant,
    /// A type variable, numbered from 1; equal numbers in one type are one variable.
    Var(u32),
}

/// The type of a function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncType {
    /// Parameters in order. Names serve printing and edge labels and are ignored when types are compared; an unnamed
    /// parameter is named by its decimal position.
    pub params: Vec<(Arc<str>, Type)>,
    /// The return type.
    pub ret: Type,
}

/// The outermost form of a type, as messages name it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum TypeKind {
    /// See [`Type`].
    Bool,
    /// See [`Type`].
    Str,
    /// See [`Type`].
    Int,
    /// See [`Type`].
    Float,
    /// See [`Type`].
    List,
    /// See [`Type`].
    Map,
    /// See [`Type`].
    Struct,
    /// See [`Type`].
    Func,
    /// See [`Type`].
    Variant,
    /// See [`Type`].
    Var,
}

impl TypeKind {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            TypeKind::Bool => "bool",
            TypeKind::Str => "str",
            TypeKind::Int => "int",
            TypeKind::Float => "float",
            TypeKind::List => "list",
            TypeKind::Map => "map",
            TypeKind::Struct => "struct",
            TypeKind::Func => "func",
            TypeKind::Variant => "variant",
            TypeKind::Var => "unification",
        }
    }
}

impl fmt::Display for TypeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Type {
    /// The type `[]element`.
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    /// The type `map{key: value}`.
    pub fn map(key: Type, value: Type) -> Type {
        Type::Map(Arc::new((key, value)))
    }

    /// A struct with these fields, in this order.
    pub fn structure(fields: impl IntoIterator<Item = (Arc<str>, Type)>) -> Type {
        Type::Struct(fields.into_iter().collect())
    }

    /// A function with these parameters.
    pub fn func(params: Vec<(Arc<str>, Type)>, ret: Type) -> Type {
        Type::Func(Arc::new(FuncType { params, ret }))
    }

    /// The outermost form.
    pub fn kind(&self) -> TypeKind {
        match self {
            Type::Bool => TypeKind::Bool,
            Type::Str => TypeKind::Str,
            Type::Int => TypeKind::Int,
            Type::Float => TypeKind::Float,
            Type::List(_) => TypeKind::List,
            Type::Map(_) => TypeKind::Map,
            Type::Struct(_) => TypeKind::Struct,
            Type::Func(_) => TypeKind::Func,
            Type::Variant => TypeKind::Variant,
            Type::Var(_) => TypeKind::Var,
        }
    }

    /// Whether values of this type can be map keys: bool, str, int, float, and structs of these.
    pub fn is_hashable(&self) -> bool {
        match self {
            Type::Bool | Type::Str | Type::Int | Type::Float => true,
            Type::Struct(fields) => fields.iter().all(|(_, field)| field.is_hashable()),
            Type::List(_) | Type::Map(_) | Type::Func(_) | Type::Variant | Type::Var(_) => false,
        }
    }

    /// Whether `variant` occurs in it.
    pub fn has_variant(&self) -> bool {
        match self {
            Type::Bool | Type::Str | Type::Int | Type::Float | Type::Var(_) => false,
            Type::List(element) => element.has_variant(),
            Type::Map(parts) => parts.0.has_variant() || parts.1.has_variant(),
            Type::Struct(fields) => fields.iter().any(|(_, field)| field.has_variant()),
            Type::Func(func) => func.ret.has_variant() || func.params.iter().any(|(_, param)| param.has_variant()),
            Type::Variant => true,
        }
    }

    /// Whether a type variable occurs in it.
    pub fn has_vars(&self) -> bool {
        match self {
            Type::Bool | Type::Str | Type::Int | Type::Float | Type::Variant => false,
            Type::List(element) => element.has_vars(),
            Type::Map(parts) => parts.0.has_vars() || parts.1.has_vars(),
            Type::Struct(fields) => fields.iter().any(|(_, field)| field.has_vars()),
            Type::Func(func) => func.ret.has_vars() || func.params.iter().any(|(_, param)| param.has_vars()),
            Type::Var(_) => true,
        }
    }
}

/// The maximum number of bytes printed of a type; the rest is shown as `…`. A small program can make a type whose text
/// would not fit in memory.
const MAX_TEXT: usize = 64 << 10;

/// Counts the output, so that a huge type ends in `…` instead of filling the memory.
struct Printer<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    room: usize,
    /// Type variables in order of first appearance.
    vars: Vec<u32>,
}

impl Printer<'_, '_> {
    fn text(&mut self, text: &str) -> fmt::Result {
        if self.room == 0 {
            return Ok(());
        }
        self.room = self.room.saturating_sub(text.len());
        self.out.write_str(if self.room == 0 { "…" } else { text })
    }

    fn ty(&mut self, ty: &Type) -> fmt::Result {
        if self.room == 0 {
            return Ok(());
        }
        match ty {
            Type::Bool | Type::Str | Type::Int | Type::Float | Type::Variant => self.text(ty.kind().name()),
            Type::List(element) => {
                self.text("[]")?;
                self.ty(element)
            }
            Type::Map(parts) => {
                self.text("map{")?;
                self.ty(&parts.0)?;
                self.text(": ")?;
                self.ty(&parts.1)?;
                self.text("}")
            }
            Type::Struct(fields) => {
                self.text("struct{")?;
                self.named(fields, "; ")?;
                self.text("}")
            }
            Type::Func(func) => {
                self.text("func(")?;
                self.named(&func.params, ", ")?;
                self.text(") ")?;
                self.ty(&func.ret)
            }
            Type::Var(var) => {
                let known = self.vars.iter().position(|seen| seen == var);
                let number = known.unwrap_or_else(|| {
                    self.vars.push(*var);
                    self.vars.len() - 1
                });
                self.text(&format!("?{}", number + 1))
            }
        }
    }

    fn named(&mut self, parts: &[(Arc<str>, Type)], separator: &str) -> fmt::Result {
        for (index, (name, ty)) in parts.iter().enumerate() {
            if self.room == 0 {
                return Ok(());
            }
            if index > 0 {
                self.text(separator)?;
            }
            self.text(name)?;
            self.text(" ")?;
            self.ty(ty)?;
        }
        Ok(())
    }
}

/// The language's own syntax; type variables are numbered in order of first appearance.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer { out: f, room: MAX_TEXT, vars: Vec::new() }.ty(self)
    }
}
