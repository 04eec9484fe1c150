//! Types as written: parameters have a name only if one was given.

use crate::types::Type;
use std::fmt::Write;

/// The text of a type. The parser limits its depth.
pub(super) fn text(ty: &Type) -> String {
    let mut out = String::new();
    push(&mut out, ty);
    out
}

fn push(out: &mut String, ty: &Type) {
    match ty {
        Type::Bool | Type::Str | Type::Int | Type::Float | Type::Variant => out.push_str(ty.kind().name()),
        Type::List(element) => {
            out.push_str("[]");
            push(out, element);
        }
        Type::Map(parts) => {
            out.push_str("map{");
            push(out, &parts.0);
            out.push_str(": ");
            push(out, &parts.1);
            out.push('}');
        }
        Type::Struct(fields) => {
            out.push_str("struct{");
            for (at, (name, field)) in fields.iter().enumerate() {
                let separator = if at > 0 { "; " } else { "" };
                let _ = write!(out, "{separator}{name} ");
                push(out, field);
            }
            out.push('}');
        }
        Type::Func(func) => {
            out.push_str("func(");
            for (at, (name, param)) in func.params.iter().enumerate() {
                out.push_str(if at > 0 { ", " } else { "" });
                // A numeric name means unnamed.
                if !name.starts_with(|c: char| c.is_ascii_digit()) {
                    let _ = write!(out, "${name} ");
                }
                push(out, param);
            }
            out.push_str(") ");
            push(out, &func.ret);
        }
        // Cannot be written, so it cannot occur here.
        Type::Var(_) => out.push_str("variant"),
    }
}
