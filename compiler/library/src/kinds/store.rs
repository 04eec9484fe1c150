//! Storing a value into a field: checks that it fits the host type. Language spec, 8.4; resource spec, 1.2. The meaning
//! of the value is checked by validation.

use super::decl::{Field, KindDecl, Params};
use super::host_type::HostType;
use crate::value::{Struct, Value};
use std::sync::Arc;

/// Stores a value into the field at `index`.
///
/// Errors: the text in `error building resource: …`; the field is unchanged then.
pub fn store(decl: &KindDecl, params: &mut Params, index: usize, value: &Value) -> Result<(), String> {
    let fitted = fit(&decl.fields[index], value)?;
    params.set(index, fitted);
    Ok(())
}

/// The value as it is stored.
pub fn fit(field: &Field, value: &Value) -> Result<Value, String> {
    convert(field.host, value)
}

/// Cost: values that need no rounding are shared, not copied.
fn convert(host: HostType, value: &Value) -> Result<Value, String> {
    match (host, value) {
        (HostType::Bool, Value::Bool(_)) | (HostType::Str, Value::Str(_)) | (HostType::Float64, Value::Float(_)) => {
            Ok(value.clone())
        }
        (HostType::Float32, Value::Float(float)) => float32(*float),
        (HostType::List(element), Value::List(items)) if !needs_work(*element) => {
            items.iter().try_for_each(|item| convert(*element, item).map(drop))?;
            Ok(value.clone())
        }
        (HostType::List(element), Value::List(items)) => {
            let items = items.iter().map(|item| convert(*element, item)).collect::<Result<Vec<_>, _>>()?;
            Ok(Value::list(items))
        }
        (HostType::Map(key, item), Value::Map(map)) => {
            let entries =
                map.iter().map(|entry| Ok::<_, String>((convert(*key, &entry.0)?, convert(*item, &entry.1)?)));
            Ok(Value::map(entries.collect::<Result<Vec<_>, _>>()?))
        }
        (HostType::Struct(_), Value::Struct(given)) => structure(host, given, value),
        (HostType::Any, value) if !holds_function(value) => Ok(value.clone()),
        (host, Value::Int(number)) => match host.int_range() {
            Some((low, high)) => int(*number, low, high),
            None => Err(misfit(host, value)),
        },
        (host, value) => Err(misfit(host, value)),
    }
}

/// Whether storing may change the value.
fn needs_work(host: HostType) -> bool {
    matches!(host, HostType::Float32 | HostType::List(_) | HostType::Map(..) | HostType::Struct(_))
}

fn int(number: i64, low: i64, high: i64) -> Result<Value, String> {
    if number < low || number > high {
        return Err(match (low, high) {
            // The end of the range tells nothing.
            (0, i64::MAX) => format!("expected 0 or more, found {number}"),
            _ => format!("expected {low} to {high}, found {number}"),
        });
    }
    Ok(Value::Int(number))
}

fn float32(float: f64) -> Result<Value, String> {
    if float.is_finite() && float.abs() > f64::from(f32::MAX) {
        return Err(format!("expected a number of at most 3.4e38, found {float:e}"));
    }
    Ok(Value::Float(f64::from(float as f32)))
}

fn structure(host: HostType, given: &Struct, value: &Value) -> Result<Value, String> {
    let HostType::Struct(fields) = host else { return Err(misfit(host, value)) };
    let known: Vec<_> = fields.iter().filter(|field| !field.name.is_empty()).collect();
    let same_names = known.len() == given.fields.len()
        && known.iter().zip(&given.fields).all(|(field, (name, _))| field.name == &**name);
    if !same_names {
        return Err(misfit(host, value));
    }
    let stored = known.iter().zip(&given.fields).map(|(field, (name, value))| {
        let value = convert(field.host, value)?;
        Ok::<_, String>((name.clone(), value))
    });
    Ok(Value::Struct(Arc::new(Struct { fields: stored.collect::<Result<_, _>>()? })))
}

fn misfit(host: HostType, value: &Value) -> String {
    if holds_function(value) {
        return "a function cannot be stored in a field of a resource".into();
    }
    format!("cannot store the {} {value} in a field of type `{host}`", value.kind())
}

/// Whether it contains a function.
fn holds_function(value: &Value) -> bool {
    match value {
        Value::Bool(_) | Value::Str(_) | Value::Int(_) | Value::Float(_) => false,
        Value::List(items) => items.iter().any(holds_function),
        Value::Map(map) => map.iter().any(|(key, value)| holds_function(key) || holds_function(value)),
        Value::Struct(fields) => fields.fields.iter().any(|(_, value)| holds_function(value)),
        Value::Func(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::lookup;
    use crate::types::Type;
    use crate::value::Func;

    fn check(field: &str, value: Value, expect: Result<&str, &str>) {
        let decl = lookup("test").unwrap().decl();
        let index = decl.index_of(field).unwrap();
        let mut params = Params::default();
        let stored = store(decl, &mut params, index, &value);
        let got = stored.map(|()| params.get(index).unwrap().to_string());
        assert_eq!(got.as_deref().map_err(String::as_str), expect, "{field}");
    }

    #[test]
    fn numbers_must_fit_the_field() {
        check("int8", Value::Int(127), Ok("127"));
        check("int8", Value::Int(128), Err("expected -128 to 127, found 128"));
        check("int8ptrptrptr", Value::Int(-129), Err("expected -128 to 127, found -129"));
        check("uint16", Value::Int(-1), Err("expected 0 to 65535, found -1"));
        check("byte", Value::Int(256), Err("expected 0 to 255, found 256"));
        check("uint64", Value::Int(i64::MAX), Ok("9223372036854775807"));
    }

    #[test]
    fn a_32_bit_float_is_rounded_and_has_an_end() {
        check("float32", Value::Float(0.1), Ok("0.10000000149011612"));
        check("float32", Value::Float(f64::INFINITY), Ok("+Inf"));
        check(
            "float32",
            Value::Float(f64::from_bits((1023 + 130) << 52)),
            Err("expected a number of at most 3.4e38, found 1.361129467683754e39"),
        );
    }

    #[test]
    fn functions_are_stored_nowhere() {
        let func = Value::Func(Arc::new(Func { ty: Type::func(vec![], Type::Int), code: Box::new(()) }));
        for (field, value) in [("func1", func.clone()), ("interface", func.clone()), ("interface", Value::list([func]))]
        {
            let decl = lookup("test").unwrap().decl();
            let index = decl.index_of(field).unwrap();
            let expect = "a function cannot be stored in a field of a resource";
            assert_eq!(store(decl, &mut Params::default(), index, &value), Err(expect.to_owned()), "{field}");
        }
    }
}
