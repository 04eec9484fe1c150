//! Casts: `int(x)` and its kind. Spec, 5.2.

use super::call::Arguments;
use super::{Done, Evaluator};
use crate::fault::{Class, Fault};
use crate::program::Primitive;
use crate::value::{Int, Value, cast_text, message, number_of, read_float, written};

impl Evaluator<'_> {
    pub(super) fn cast(&mut self, primitive: Primitive, arguments: &Arguments) -> Done<Value> {
        if arguments.has_keywords {
            return Err(Fault::new(Class::Runtime, "Only positional arguments allowed in type cast"));
        }
        let [value] = &arguments.positional[..] else {
            let texts: Vec<String> = arguments.positional.iter().map(|value| message(value, self)).collect();
            let message = format!("Illegal arguments {}: type cast expects exactly 1 argument", texts.join(","));
            return Err(Fault::new(Class::Runtime, message));
        };
        if value.is_unknown() {
            return Ok(value.clone());
        }
        if primitive == Primitive::String {
            self.write_out(value)?;
        }
        let result = match primitive {
            Primitive::String => Some(Value::Str(cast_text(value, self).into())),
            Primitive::Bool => Some(Value::Bool(value.is_truthy())),
            Primitive::Int => to_int(value),
            Primitive::Float => to_float(value),
            Primitive::Number => match value {
                Value::Int(_) => Some(value.clone()),
                Value::Bool(value) => Some(Value::int(i64::from(*value))),
                value => to_float(value),
            },
            Primitive::List | Primitive::Dict => None,
        };
        result.ok_or_else(|| {
            let message = format!("Failed to cast '{}' to {}", message(value, self), primitive.name());
            Fault::new(Class::Runtime, message).about(written(value, self))
        })
    }
}

fn to_int(value: &Value) -> Option<Value> {
    match value {
        Value::Int(_) => Some(value.clone()),
        Value::Bool(value) => Some(Value::int(i64::from(*value))),
        Value::Float(float) => Int::of_float(*float).map(Value::Int),
        Value::Str(text) => {
            let text = text.trim();
            let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
            let is_number = !digits.is_empty()
                && digits.split('_').all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
            if is_number { Int::parse(&text.replace(['_', '+'], "")).map(Value::Int) } else { None }
        }
        _ => None,
    }
}

fn to_float(value: &Value) -> Option<Value> {
    match value {
        // What is not a number has no place in an order, so that nothing could be sorted by it.
        Value::Str(text) => read_float(text).filter(|float| !float.is_nan()).map(Value::Float),
        value => number_of(value)?.to_f64().map(Value::Float),
    }
}
