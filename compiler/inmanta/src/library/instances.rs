//! Functions on instances.

use super::Definition;
use crate::eval::{Call, Stop};
use crate::value::{InstId, Value, compare_numbers};
use std::cmp::Ordering;

type Answer = Result<Value, Stop>;

pub(super) static DEFS: &[Definition] = &[
    Definition::new("std::attr", "attr(obj: any, attr: string) -> any", "Returns an attribute by name.", attr),
    Definition::new(
        "std::getattr",
        "getattr(entity: std::Entity, attribute_name: string, default_value: any = null, no_unknown: bool = true) -> any",
        "Returns an attribute by name, or a default.",
        getattr,
    ),
    Definition::new(
        "std::key_sort",
        "key_sort(items: list, key: any) -> list",
        "Sorts instances by one of their attributes.",
        key_sort,
    ),
    Definition::new(
        "std::select",
        "select(objects: list, attr: string) -> list",
        "Returns an attribute of each instance.",
        select,
    )
    .deprecated("using a list comprehension"),
    Definition::new(
        "std::filter",
        "filter(values: list, not_item: std::Entity) -> list",
        "Removes an instance from a list.",
        filter,
    )
    .deprecated("using a list comprehension"),
    Definition::new(
        "std::is_instance",
        "is_instance(obj: any, cls: string) -> bool",
        "Reports whether an instance is of an entity or one of its descendants.",
        is_instance,
    ),
    Definition::new(
        "std::objid",
        "objid(value: any) -> string",
        "Returns a string that identifies an instance.",
        objid,
    ),
    Definition::new(
        "std::familyof",
        "familyof(member: std::OS, family: string) -> bool",
        "Reports whether an operating system belongs to a family.",
        familyof,
    )
    .examples(&[("std::familyof(std::linux, \"linux\")", "true")]),
];

fn instance(value: &Value, attr: &str) -> Result<InstId, Stop> {
    match value {
        Value::Instance(instance) => Ok(*instance),
        Value::Unknown(_) => Err(Stop::Unknown),
        other => Err(Stop::Failed(format!("AttributeError: '{}' object has no attribute '{attr}'", other.kind()))),
    }
}

fn attr(call: &mut Call<'_, '_>) -> Answer {
    let instance = instance(call.arg(0), call.text(1))?;
    call.attribute(instance, call.text(1))
}

fn getattr(call: &mut Call<'_, '_>) -> Answer {
    let instance = instance(call.arg(0), call.text(1))?;
    if !call.has_attribute(instance, call.text(1)) {
        return Ok(call.arg(2).clone());
    }
    let value = call.attribute(instance, call.text(1))?;
    if value.is_unknown() && call.arg(3).as_bool() == Some(true) {
        return Ok(call.arg(2).clone());
    }
    Ok(value)
}

fn key_sort(call: &mut Call<'_, '_>) -> Answer {
    let Value::Str(key) = call.arg(1) else {
        return Err(Stop::Failed("TypeError: attribute name must be string, not 'list'".into()));
    };
    let mut keyed = Vec::new();
    for item in call.list(0) {
        let value = call.attribute(instance(item, key)?, key)?;
        if value.is_unknown() {
            return Err(Stop::Unknown);
        }
        keyed.push((value, item.clone()));
    }
    let compared = keyed.iter().map(|(key, _)| key.size()).fold(0, u64::saturating_add);
    call.look(compared.saturating_mul(u64::from(keyed.len().max(2).ilog2())))?;
    let mut wrong = None;
    keyed.sort_by(|(a, _), (b, _)| match (a, b) {
        (Value::Str(a), Value::Str(b)) => a.cmp(b),
        (a, b) => compare_numbers(a, b).unwrap_or_else(|| {
            wrong.get_or_insert((a.kind(), b.kind()));
            Ordering::Equal
        }),
    });
    match wrong {
        Some((a, b)) => Err(Stop::Failed(format!("TypeError: '<' not supported between instances of '{b}' and '{a}'"))),
        None => Ok(Value::raw_list(keyed.into_iter().map(|(_, item)| item).collect())),
    }
}

fn select(call: &mut Call<'_, '_>) -> Answer {
    let name = call.text(1).to_owned();
    let values =
        call.list(0).iter().map(|item| call.attribute(instance(item, &name)?, &name)).collect::<Result<_, _>>()?;
    Ok(Value::raw_list(values))
}

fn filter(call: &mut Call<'_, '_>) -> Answer {
    let dropped = call.arg(1).clone();
    Ok(Value::raw_list(call.list(0).iter().filter(|item| !crate::value::same(item, &dropped)).cloned().collect()))
}

fn is_instance(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::Bool(match call.arg(0) {
        Value::Instance(instance) => call.is_instance(*instance, call.text(1)),
        _ => false,
    }))
}

fn objid(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::str(&match call.arg(0) {
        Value::Instance(instance) => format!("{instance:?}"),
        value => value.kind().to_owned(),
    }))
}

/// The topmost ancestor is ignored, unless it is the system itself (*quirk*, spec 14.3).
fn familyof(call: &mut Call<'_, '_>) -> Answer {
    let mut at = instance(call.arg(0), "name")?;
    loop {
        if call.attribute(at, "name")?.as_str() == Some(call.text(1)) {
            return Ok(Value::Bool(true));
        }
        let next = match call.attribute(at, "family") {
            Ok(Value::Instance(next)) => next,
            Ok(_) | Err(Stop::Fault(_)) => return Ok(Value::Bool(false)),
            Err(stop) => return Err(stop),
        };
        match call.attribute(next, "family") {
            Ok(Value::Instance(_)) => at = next,
            Ok(_) | Err(Stop::Fault(_)) => return Ok(Value::Bool(false)),
            Err(stop) => return Err(stop),
        }
    }
}
