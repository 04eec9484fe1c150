//! `eq`, `lt` and the functions built on them. Functions spec, 9.1 and 9.3.

use super::data::Data;

/// Types that can be compared with each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Basic {
    Bool,
    Int,
    Float,
    Complex,
    Str,
    Other,
}

fn basic(data: &Data) -> Basic {
    match data {
        Data::Bool(_) => Basic::Bool,
        Data::Int(_) | Data::Int64(_) | Data::Byte(_) => Basic::Int,
        Data::Float(_) => Basic::Float,
        Data::Complex(..) => Basic::Complex,
        Data::Str(_) => Basic::Str,
        Data::Nil | Data::List(..) | Data::Map(_) | Data::Struct(_) => Basic::Other,
    }
}

fn incompatible(a: &Data, b: &Data) -> String {
    format!("incompatible types for comparison: {} and {}", a.type_name(), b.type_name())
}

/// Whether the first equals any of the others. Stops at the first match.
pub(super) fn eq(first: &Data, others: &[Data]) -> Result<bool, String> {
    if others.is_empty() {
        return Err("missing argument for comparison".into());
    }
    for other in others {
        if equals(first, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn equals(a: &Data, b: &Data) -> Result<bool, String> {
    match (a, b) {
        (Data::Bool(a), Data::Bool(b)) => Ok(a == b),
        (Data::Str(a), Data::Str(b)) => Ok(a == b),
        (Data::Float(a), Data::Float(b)) => Ok(a == b),
        (Data::Complex(a, b), Data::Complex(c, d)) => Ok(a == c && b == d),
        (Data::Nil, Data::Nil) => Ok(true),
        (Data::Nil, _) | (_, Data::Nil) => Ok(false),
        (Data::Struct(fields), Data::Struct(others)) if a.ty() == b.ty() => {
            let pairs = fields.iter().zip(others.iter());
            pairs.map(|(a, b)| equals(&a.1, &b.1)).try_fold(true, |all, same| same.map(|same| all && same))
        }
        (a, b) => match (a.int(), b.int(), basic(a) == basic(b)) {
            (Some(a), Some(b), _) => Ok(a == b),
            (_, _, true) => Err(format!("non-comparable type {}", a.type_name())),
            (_, _, false) => Err(incompatible(a, b)),
        },
    }
}

pub(super) fn lt(a: &Data, b: &Data) -> Result<bool, String> {
    match (a, b) {
        (Data::Str(a), Data::Str(b)) => Ok(a < b),
        (Data::Float(a), Data::Float(b)) => Ok(a < b),
        (a, b) => match (a.int(), b.int()) {
            (Some(a), Some(b)) => Ok(a < b),
            _ if basic(a) == Basic::Other || basic(b) == Basic::Other || basic(a) == basic(b) => {
                Err("invalid type for comparison".into())
            }
            _ => Err(incompatible(a, b)),
        },
    }
}

pub(super) fn le(a: &Data, b: &Data) -> Result<bool, String> {
    Ok(lt(a, b)? || equals(a, b)?)
}
