//! Type equality, with the language's own words for a difference. Language spec, 8.2.

use super::Type;
use std::collections::BTreeMap;

/// Compares two types. Parameter names are ignored; struct field names and their order are not.
///
/// Errors: the message of the first difference, such as `base kind does not match (int != str)`.
pub fn compare(left: &Type, right: &Type) -> Result<(), String> {
    Comparison::default().types(left, right)
}

#[derive(Default)]
struct Comparison {
    left_to_right: BTreeMap<u32, u32>,
    right_to_left: BTreeMap<u32, u32>,
}

impl Comparison {
    fn types(&mut self, left: &Type, right: &Type) -> Result<(), String> {
        match (left, right) {
            (Type::Variant, Type::Variant) => Ok(()),
            (Type::List(a), Type::List(b)) => self.types(a, b),
            (Type::Map(a), Type::Map(b)) => match (self.types(&a.0, &b.0), self.types(&a.1, &b.1)) {
                (Ok(()), Ok(())) => Ok(()),
                (Err(one), Ok(())) | (Ok(()), Err(one)) => Err(one),
                (Err(key), Err(value)) => Err(format!("{key}; {value}")),
            },
            (Type::Struct(a), Type::Struct(b)) => {
                if a.len() != b.len() {
                    return Err("struct field count differs".into());
                }
                if a.iter().zip(b.iter()).any(|(a, b)| a.0 != b.0) {
                    return Err("struct fields differ".into());
                }
                a.iter().zip(b.iter()).try_for_each(|(a, b)| self.types(&a.1, &b.1))
            }
            (Type::Func(a), Type::Func(b)) => {
                if a.params.len() != b.params.len() {
                    return Err("func arg count differs".into());
                }
                a.params.iter().zip(&b.params).try_for_each(|(a, b)| self.types(&a.1, &b.1))?;
                self.types(&a.ret, &b.ret)
            }
            (Type::Var(a), Type::Var(b)) => {
                let forth = *self.left_to_right.entry(*a).or_insert(*b) == *b;
                let back = *self.right_to_left.entry(*b).or_insert(*a) == *a;
                if forth && back { Ok(()) } else { Err("unbalanced unification variables".into()) }
            }
            (a, b) if a.kind() == b.kind() => Ok(()),
            (a, b) => Err(format!("base kind does not match ({} != {})", a.kind(), b.kind())),
        }
    }
}
