//! Storing a value into a field: does it fit how the field is stored? Language spec, 8.4;
//! resource spec, 1.2. Fitting is all that is asked here, what the value means is validation.

use super::decl::{Field, KindDecl, Params};
use super::host_type::HostType;
use crate::value::{Struct, Value};
use std::sync::Arc;

/// Stores a value into the field at `index`.
///
/// Errors: what `error building resource: …` says; the field is then as it was.
pub fn store(decl: &KindDecl, params: &mut Params, index: usize, value: &Value) -> Result<(), String> {
    let fitted = fit(&decl.fields[index], params.values[index].as_ref(), value)?;
    params.values[index] = Some(fitted);
    Ok(())
}

/// The value as the field will hold it. `old` is what it held before: messages name it.
pub fn fit(field: &Field, old: Option<&Value>, value: &Value) -> Result<Value, String> {
    convert(field.host, value).map_err(|misfit| match misfit {
        Misfit::Range { host, number, what } => {
            let old = old.cloned().or_else(|| field.unset_value());
            // Only a number of the field itself had a value before; what is inside of a list is new.
            let old = old.filter(|old| old.kind() == value.kind()).unwrap_or(Value::Int(0));
            format!("{old} is an `{host}`, and {what} `{number}` will overflow it")
        }
        Misfit::Other(message) => message,
    })
}

enum Misfit {
    Range { host: HostType, number: String, what: &'static str },
    Other(String),
}

/// Cost: values that need no rounding are shared, not copied.
fn convert(host: HostType, value: &Value) -> Result<Value, Misfit> {
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
            let entries = map.iter().map(|entry| Ok((convert(*key, &entry.0)?, convert(*item, &entry.1)?)));
            Ok(Value::map(entries.collect::<Result<Vec<_>, _>>()?))
        }
        (HostType::Struct(_), Value::Struct(given)) => structure(host, given, value),
        (HostType::Any, value) if !holds_function(value) => Ok(value.clone()),
        (host, Value::Int(number)) => match host.int_range() {
            Some((low, high)) => int(host, *number, low, high),
            None => Err(misfit(host, value)),
        },
        (host, value) => Err(misfit(host, value)),
    }
}

/// Storing may change the value.
fn needs_work(host: HostType) -> bool {
    matches!(host, HostType::Float32 | HostType::List(_) | HostType::Map(..) | HostType::Struct(_))
}

fn int(host: HostType, number: i64, low: i64, high: i64) -> Result<Value, Misfit> {
    if low == 0 && number < 0 {
        let kind = host.kind();
        return Err(Misfit::Other(format!("can't store negative int `{number}` into unsigned `{kind}` field")));
    }
    if number < low || number > high {
        return Err(Misfit::Range { host, number: number.to_string(), what: "rv" });
    }
    Ok(Value::Int(number))
}

fn float32(float: f64) -> Result<Value, Misfit> {
    if float.is_finite() && float.abs() > f64::from(f32::MAX) {
        return Err(Misfit::Range { host: HostType::Float32, number: format!("{float:.6}"), what: "value" });
    }
    Ok(Value::Float(f64::from(float as f32)))
}

fn structure(host: HostType, given: &Struct, value: &Value) -> Result<Value, Misfit> {
    let HostType::Struct(fields) = host else { return Err(misfit(host, value)) };
    let known: Vec<_> = fields.iter().filter(|field| !field.name.is_empty()).collect();
    let same_names = known.len() == given.fields.len()
        && known.iter().zip(&given.fields).all(|(field, (name, _))| field.name == &**name);
    if !same_names {
        return Err(misfit(host, value));
    }
    let stored = known.iter().zip(&given.fields).map(|(field, (name, value))| {
        let value = convert(field.host, value)?;
        Ok((name.clone(), value))
    });
    Ok(Value::Struct(Arc::new(Struct { fields: stored.collect::<Result<_, _>>()? })))
}

fn misfit(host: HostType, value: &Value) -> Misfit {
    Misfit::Other(format!("cannot store the {} {value} in a field of type `{host}`", value.kind()))
}

/// A function is somewhere inside.
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
        let mut params = Params::unset(decl);
        let stored = store(decl, &mut params, index, &value);
        let got = stored.map(|()| params.values[index].as_ref().unwrap().to_string());
        assert_eq!(got.as_deref().map_err(String::as_str), expect, "{field}");
    }

    #[test]
    fn numbers_must_fit_the_field() {
        check("int8", Value::Int(127), Ok("127"));
        check("int8", Value::Int(128), Err("0 is an `int8`, and rv `128` will overflow it"));
        check("int8ptrptrptr", Value::Int(-129), Err("0 is an `int8`, and rv `-129` will overflow it"));
        check("uint16", Value::Int(-1), Err("can't store negative int `-1` into unsigned `uint16` field"));
        check("byte", Value::Int(256), Err("0 is an `uint8`, and rv `256` will overflow it"));
        check("uint64", Value::Int(i64::MAX), Ok("9223372036854775807"));
    }

    #[test]
    fn the_value_before_is_the_default() {
        let decl = lookup("password").unwrap().decl();
        let index = decl.index_of("length").unwrap();
        let got = store(decl, &mut Params::unset(decl), index, &Value::Int(65536));
        assert_eq!(got.unwrap_err(), "64 is an `uint16`, and rv `65536` will overflow it");
    }

    #[test]
    fn a_32_bit_float_is_rounded_and_has_an_end() {
        check("float32", Value::Float(0.1), Ok("0.10000000149011612"));
        check("float32", Value::Float(f64::INFINITY), Ok("+Inf"));
        check(
            "float32",
            Value::Float(f64::from_bits((1023 + 130) << 52)),
            Err("0 is an `float32`, and value `1361129467683753853853498429727072845824.000000` will overflow it"),
        );
    }

    #[test]
    fn functions_are_stored_nowhere() {
        let func = Value::Func(Arc::new(Func { ty: Type::func(vec![], Type::Int), code: Box::new(()) }));
        for (field, value) in [("func1", func.clone()), ("interface", func.clone()), ("interface", Value::list([func]))]
        {
            let decl = lookup("test").unwrap().decl();
            let index = decl.index_of(field).unwrap();
            assert!(store(decl, &mut Params::unset(decl), index, &value).is_err(), "{field}");
        }
    }
}
