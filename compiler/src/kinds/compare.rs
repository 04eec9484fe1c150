//! The usual comparison of two resources of one kind: field by field.

use super::decl::{Compared, Field};
use super::want::Want;
use crate::value::Value;

/// Compares every field that counts; `Err` names the first that differs. Resource spec, 8.3.
pub fn fields(one: &Want, other: &Want) -> Result<(), String> {
    let pairs = one.params.values.iter().zip(&other.params.values);
    for (field, (a, b)) in one.decl.fields.iter().zip(pairs) {
        match field.compared {
            Compared::AsWritten => field_equal(field, a.as_ref(), b.as_ref())?,
            Compared::Effective | Compared::Never => {}
        }
    }
    Ok(())
}

/// Compares one field as written.
pub fn field_equal(field: &Field, a: Option<&Value>, b: Option<&Value>) -> Result<(), String> {
    let equal = match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => same(a, b),
        (Some(set), None) | (None, Some(set)) => match field.unset_value() {
            Some(default) => same(set, &default),
            // Null equals the empty list or map, unless the kind tells them apart; a nullable
            // field that is set never equals null.
            None => !field.nullable && !field.empty_differs && is_empty(set),
        },
    };
    if equal { Ok(()) } else { Err(format!("the {} differs", field.printed_name)) }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::List(items) => items.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Bool(_) | Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Struct(_) | Value::Func(_) => false,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    a == b
}
