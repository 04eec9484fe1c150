//! Parses types: signatures of builtins, types of resource fields, `decode_json`'s type.
//!
//! Language spec, 8.1: the language's own syntax plus type variables (`?1`), parameters with or without names, and free
//! spacing (functions spec, section 3).

use super::{FuncType, Type};
use std::sync::Arc;

/// The maximum nesting depth.
const MAX_DEPTH: usize = 200;

/// Parses a type; `None` if it is malformed.
pub fn parse(text: &str) -> Option<Type> {
    let mut reader = Reader { rest: text.trim(), depth: 0 };
    let ty = reader.ty()?;
    reader.rest.is_empty().then_some(ty)
}

struct Reader<'a> {
    rest: &'a str,
    depth: usize,
}

impl<'a> Reader<'a> {
    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n']);
    }

    fn eat(&mut self, text: &str) -> bool {
        self.skip_blanks();
        let eaten = self.rest.strip_prefix(text);
        self.rest = eaten.unwrap_or(self.rest);
        eaten.is_some()
    }

    fn word(&mut self) -> Option<&'a str> {
        self.skip_blanks();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn ty(&mut self) -> Option<Type> {
        if self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let ty = self.ty_inside();
        self.depth -= 1;
        ty
    }

    fn ty_inside(&mut self) -> Option<Type> {
        if self.eat("[]") {
            return Some(Type::list(self.ty()?));
        }
        if self.eat("?") {
            let number = self.word().filter(|digits| !digits.starts_with('0'))?;
            return Some(Type::Var(number.parse().ok()?));
        }
        match self.word()? {
            "bool" => Some(Type::Bool),
            "str" => Some(Type::Str),
            "int" => Some(Type::Int),
            "float" => Some(Type::Float),
            "variant" => Some(Type::Variant),
            "map" => self.map(),
            "struct" => self.structure(),
            "func" => self.func(),
            _ => None,
        }
    }

    fn map(&mut self) -> Option<Type> {
        self.eat("{").then_some(())?;
        let key = self.ty()?;
        self.eat(":").then_some(())?;
        let value = self.ty()?;
        self.eat("}").then(|| Type::map(key, value))
    }

    fn structure(&mut self) -> Option<Type> {
        self.eat("{").then_some(())?;
        let mut fields: Vec<(Arc<str>, Type)> = Vec::new();
        while !self.eat("}") {
            let name = self.word()?;
            if fields.iter().any(|(known, _)| **known == *name) {
                return None;
            }
            fields.push((name.into(), self.ty()?));
            if !self.eat(";") {
                self.eat("}").then_some(())?;
                break;
            }
        }
        Some(Type::structure(fields))
    }

    fn func(&mut self) -> Option<Type> {
        self.eat("(").then_some(())?;
        let mut params: Vec<(Arc<str>, Type)> = Vec::new();
        if !self.eat(")") {
            loop {
                params.push(self.param(params.len())?);
                if self.eat(")") {
                    break;
                }
                self.eat(",").then_some(())?;
            }
        }
        let ret = self.ty()?;
        Some(Type::Func(Arc::new(FuncType { params, ret })))
    }

    /// `name type`, or `type` alone, which gets its position as name.
    fn param(&mut self, position: usize) -> Option<(Arc<str>, Type)> {
        let before = self.rest;
        if let Some(name) = self.word() {
            // `map{` and `struct{` are types, but `map map{…}` is a parameter called `map`.
            if self.rest.starts_with([' ', '\t'])
                && let Some(ty) = self.ty()
            {
                return Some((name.into(), ty));
            }
        }
        self.rest = before;
        Some((position.to_string().into(), self.ty()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &str) {
        assert_eq!(parse(text).map(|ty| ty.to_string()).as_deref(), Some(expect), "{text}");
    }

    #[test]
    fn types_print_as_they_are_written() {
        for text in [
            "bool",
            "[][]str",
            "map{str: []int}",
            "struct{}",
            "struct{a int; b str}",
            "func() int",
            "func(a int, b str) str",
            "func(map map{?1: ?2}, key ?1) ?2",
            "variant",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn spacing_is_free_and_unnamed_parameters_are_numbered() {
        check("map{str:int}", "map{str: int}");
        check("struct{a int; b str;}", "struct{a int; b str}");
        check("func(str, int) bool", "func(0 str, 1 int) bool");
        check("func(?2) ?2", "func(0 ?1) ?1");
    }

    #[test]
    fn malformed_text_is_no_type() {
        for text in ["", "map{}", "[]", "struct{a}", "strx", "?0", "func(", "int int", "struct{a int; a int}"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
