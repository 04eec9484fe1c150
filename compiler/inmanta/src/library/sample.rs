//! What a declared result of a type looks like in JSON: a placeholder that is valid as it is.

use crate::program::{Base, Primitive, Program, Type};

/// A placeholder; `None` for instances, which JSON cannot express.
pub(super) fn sample(program: &Program, ty: &Type) -> Option<&'static str> {
    if ty.is_list {
        return Some("[]");
    }
    let known = match &ty.base {
        Base::Primitive(primitive) => Some(match primitive {
            Primitive::String => "\"...\"",
            Primitive::Int | Primitive::Number => "1",
            Primitive::Float => "1.0",
            Primitive::Bool => "true",
            Primitive::List => "[]",
            Primitive::Dict => "{}",
        }),
        Base::Typedef(typedef) => sample(program, &program.typedefs[*typedef].base),
        Base::Entity(_) => None,
        Base::Any => Some("\"...\""),
        Base::Null => Some("null"),
        Base::AnyList => Some("[]"),
        Base::AnyDict | Base::DictOf(_) => Some("{}"),
        Base::Union(members) => members.iter().find_map(|member| sample(program, member)),
    };
    if ty.is_nullable { known.or(Some("null")) } else { known }
}
