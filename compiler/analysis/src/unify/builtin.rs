//! Messages about builtins that do not accept the types found by their calls.

use super::mismatch::{error, hints, without_numbers};
use crate::diag::{Diagnostic, codes};
use crate::span::Span;
use crate::types::{FuncType, Type};

/// A builtin that does not accept the types found by its call.
pub(super) fn cannot_build(name: &str, func: &FuncType, reason: &str, span: Span) -> Diagnostic {
    match name {
        "the field access `->`" => return no_field(func, reason, span),
        "the lookup `[…]`" => match func.params.first() {
            // It is the key that does not fit.
            None | Some((_, Type::List(_) | Type::Map(_))) => {}
            Some((_, ty)) => return no_lookup(ty, span),
        },
        _ => {}
    }
    if func.params.is_empty() && reason.contains("did not match") {
        let wanted = without_numbers(&func.ret.to_string());
        let message = format!("{name} cannot return `{wanted}`");
        return error(codes::CANNOT_BUILD, message, span, format!("`{wanted}` is expected here"));
    }
    let types: Vec<String> =
        func.params.iter().map(|(_, ty)| format!("`{}`", without_numbers(&ty.to_string()))).collect();
    let given = if types.is_empty() { "no arguments".to_owned() } else { types.join(", ") };
    let said = error(codes::CANNOT_BUILD, format!("{name} does not work on {given}"), span, "with these types");
    if reason.contains("did not match") { said } else { said.help(reason) }
}

/// What the builtins with several signatures take.
pub(super) fn takes(path: &str) -> Option<&'static str> {
    match path {
        "len" => Some("pass a string, a list or a map"),
        "math.mod" => Some("pass two ints or two floats"),
        "panic" => Some("pass a string or a bool"),
        _ => None,
    }
}

/// `[…]` on a value that is neither a list nor a map.
fn no_lookup(ty: &Type, span: Span) -> Diagnostic {
    let said = error(codes::CANNOT_BUILD, format!("`[…]` does not work on `{ty}`"), span, "expected a list or a map");
    match ty {
        Type::Str => {
            said.help("to get part of a string, write `strings.substr($text, 0, 1)`, after `import \"strings\"`")
        }
        Type::Struct(_) => said.help("to access a field of a struct, write `$value->name`"),
        _ => said.help("only lists and maps have elements: `$list[0]`, `$map[\"key\"]`"),
    }
}

/// `->` on a struct without this field, or on another value.
fn no_field(func: &FuncType, reason: &str, span: Span) -> Diagnostic {
    let field = reason.strip_prefix("field ").and_then(|rest| rest.strip_suffix(" was not found in struct"));
    match (func.params.first().map(|(_, ty)| ty), field) {
        (Some(Type::Struct(fields)), Some(field)) => {
            let names: Vec<&str> = fields.iter().map(|(name, _)| &**name).collect();
            missing_field(field, &names, span)
        }
        (Some(Type::Struct(fields)), None) => {
            let name = reason.strip_prefix("field ").and_then(|rest| rest.split_once(" type error"));
            match name.and_then(|(name, _)| fields.iter().find(|(field, _)| **field == *name)) {
                Some((name, ty)) => {
                    let (is, wanted) = (without_numbers(&ty.to_string()), without_numbers(&func.ret.to_string()));
                    let message = format!("field `{name}`: expected `{wanted}`, found `{is}`");
                    let mut said = error(codes::CANNOT_BUILD, message, span, format!("this is `{is}`"));
                    for help in hints_of_field(&wanted, &is) {
                        said = said.help(help);
                    }
                    said
                }
                None if reason.starts_with("non-optional") => {
                    let message = "the field and its fallback must have the same type";
                    error(codes::CANNOT_BUILD, message, span, format!("`{}` is expected here", func.ret))
                }
                None => error(codes::CANNOT_BUILD, reason, span, "in this field access"),
            }
        }
        (Some(ty), _) => no_struct(ty, span),
        (None, _) => error(codes::CANNOT_BUILD, reason, span, "in this field access"),
    }
}

/// A struct with these fields has no such one.
pub(super) fn missing_field(field: &str, names: &[&str], span: Span) -> Diagnostic {
    let said = error(codes::CANNOT_BUILD, format!("unknown field `{field}`"), span, "the struct has no such field");
    match crate::diag::suggest::near(field, names.iter().copied()) {
        Some(near) => said.help(format!("did you mean `{near}`?")),
        None => match names {
            [] => said.help("it has no fields"),
            [only] => said.help(format!("its only field is `{only}`")),
            _ => {
                let shown: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                said.help(format!("its fields are {}", shown.join(", ")))
            }
        },
    }
}

/// `->` on a value that is not a struct.
pub(super) fn no_struct(ty: &Type, span: Span) -> Diagnostic {
    let said = error(codes::CANNOT_BUILD, format!("`->` does not work on `{ty}`"), span, "expected a struct");
    match ty {
        Type::Map(_) => said.help("to look up a value in a map, write `$map[\"key\"] <|> $fallback`"),
        Type::List(_) => said.help("to access an element of a list, write `$list[0] <|> $fallback`"),
        _ => said.help("only a struct has fields: `struct{name => \"value\"}`"),
    }
}

/// What is usually meant where a field has another type than its place.
fn hints_of_field(wanted: &str, is: &str) -> Vec<&'static str> {
    match (wanted, is) {
        // The number beside it decides what is expected.
        ("int", "float") => vec![
            "write the other number as a float, as in `2.0`, or drop the fraction with `convert.to_int(…)`, after `import \"convert\"`",
        ],
        _ => hints(wanted, is),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::FileId;
    use crate::types;

    #[test]
    fn a_lookup_is_refused_for_its_container_or_for_its_key() {
        let said = |form: &str| {
            let Some(Type::Func(func)) = types::parse(form) else { panic!("{form}") };
            cannot_build("the lookup `[…]`", &func, "type error", Span::new(FileId(0), 0, 1)).message
        };
        assert_eq!(said("func(a str, b int) str"), "`[…]` does not work on `str`");
        let of_map = "the lookup `[…]` does not work on `map{str: int}`, `int`";
        assert_eq!(said("func(a map{str: int}, b int) int"), of_map);
        assert_eq!(said("func(a []int, b str) int"), "the lookup `[…]` does not work on `[]int`, `str`");
    }

    #[test]
    fn a_field_of_another_type_is_reported_with_both_types() {
        let said = |name: &str, form: &str, reason: &str| {
            let Some(Type::Func(func)) = types::parse(form) else { panic!("{form}") };
            cannot_build(name, &func, reason, Span::new(FileId(0), 0, 1)).message
        };
        let form = "func(a struct{f func(int) int; g str}, b str) func(str) int";
        let differs = said("the field access `->`", form, "field f type error: base kind does not match (str != int)");
        assert_eq!(differs, "field `f`: expected `func(str) int`, found `func(int) int`");
        let missing = said("the field access `->`", form, "field h was not found in struct");
        assert_eq!(missing, "unknown field `h`");
        let result = said("`math.fortytwo`", "func() str", "can't build math.fortytwo with func() str: did not match");
        assert_eq!(result, "`math.fortytwo` cannot return `str`");
    }
}
