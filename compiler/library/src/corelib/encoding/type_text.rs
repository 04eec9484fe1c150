//! Type texts for `decode_json`: stricter about spaces than the language. Functions spec, 10.

use crate::types::Type;

/// Maximum nesting of a type.
const MAX_DEPTH: usize = 100;

/// The type that a text names.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Named {
    Type(Type),
    /// `func(…)`: no JSON value has this type.
    Func,
}

/// `None`: not a type text.
pub(super) fn parse(text: &str) -> Option<Named> {
    if text.starts_with("func(") && crate::types::parse(text).is_some() {
        return Some(Named::Func);
    }
    ty(text, MAX_DEPTH).map(Named::Type)
}

fn ty(text: &str, depth: usize) -> Option<Type> {
    let depth = depth.checked_sub(1)?;
    match text {
        "bool" => return Some(Type::Bool),
        "str" => return Some(Type::Str),
        "int" => return Some(Type::Int),
        "float" => return Some(Type::Float),
        _ => {}
    }
    if let Some(element) = text.strip_prefix("[]") {
        return Some(Type::list(ty(element, depth)?));
    }
    if let Some(inside) = text.strip_prefix("map{").and_then(|rest| rest.strip_suffix('}')) {
        let (key, value) = split(inside, ':')?;
        let key = ty(key.trim(), depth).filter(Type::is_hashable)?;
        return Some(Type::map(key, ty(value.trim(), depth)?));
    }
    let inside = text.strip_prefix("struct{").and_then(|rest| rest.strip_suffix('}'))?;
    let mut fields: Vec<(std::sync::Arc<str>, Type)> = Vec::new();
    let mut rest = inside.trim();
    while !rest.is_empty() {
        let (field, behind) = split(rest, ';').unwrap_or((rest, ""));
        let (name, field) = field.trim().split_once(' ')?;
        if name.is_empty() || fields.iter().any(|(known, _)| **known == *name) {
            return None;
        }
        fields.push((name.into(), ty(field.trim(), depth)?));
        rest = behind.trim();
    }
    Some(Type::structure(fields))
}

/// Splits at the first separator outside brackets.
fn split(text: &str, separator: char) -> Option<(&str, &str)> {
    let mut depth = 0usize;
    for (at, char) in text.char_indices() {
        match char {
            '{' | '(' => depth += 1,
            '}' | ')' => depth = depth.checked_sub(1)?,
            char if char == separator && depth == 0 => return Some((&text[..at], &text[at + 1..])),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks() {
        for text in [
            "[]map{ str :  int }",
            "struct{ a int;b str; }",
            "struct{ }",
            "struct{a-b map{int: []bool}}",
            "func(int) str",
        ] {
            assert!(parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "Int",
            "[] int",
            "int ",
            " int",
            "map{int}",
            "struct{a}",
            "struct{a int",
            "struct{a int;;b str}",
            "nil",
            "variant",
            "?1",
            "[]?1",
            "struct{a int; a str}",
            "map{[]int: str}",
            "struct{a func(int) str}",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
