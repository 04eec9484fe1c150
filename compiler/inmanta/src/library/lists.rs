//! Functions on lists and dicts.

use super::Definition;
use crate::eval::{Call, Stop};
use crate::value::{Value, inner, message, same};

type Answer = Result<Value, Stop>;

pub(super) static DEFS: &[Definition] = &[
    Definition::new("std::count", "count(item_list: any[]) -> int", "Returns the number of elements of a list.", count)
        .examples(&[("std::count([1, 1, 2])", "3")]),
    Definition::new(
        "std::len",
        "len(item_list: any[]) -> int",
        "Returns the number of elements of a list; unknown if one of them is unknown.",
        len,
    )
    .examples(&[("std::len([1, 2])", "2")]),
    Definition::new(
        "std::sequence",
        "sequence(i: int, start: int = 0) -> list",
        "Returns `i` consecutive ints from a start.",
        sequence,
    )
    .examples(&[("std::sequence(3)", "[0, 1, 2]"), ("std::sequence(2, start=-1)", "[-1, 0]")]),
    Definition::new(
        "std::at",
        "at(objects: any[], index: int) -> any",
        "Returns an element of a list. Negative indexes count from the end.",
        at,
    )
    .examples(&[("std::at([1, 2, 3], -1)", "3")]),
    Definition::new(
        "std::item",
        "item(objects: list, index: int) -> list",
        "Returns the element at an index of each inner list.",
        item,
    ),
    Definition::new(
        "std::unique",
        "unique(item_list: list) -> bool",
        "Reports whether a list has no duplicates.",
        unique,
    )
    .examples(&[("std::unique([1, 2])", "true"), ("std::unique([1, 1])", "false")]),
    Definition::new(
        "std::flatten",
        "flatten(item_list: list) -> list",
        "Returns the elements of the inner lists. Lists in a model are always flat already.",
        flatten,
    ),
    Definition::new(
        "std::contains",
        "contains(dct: dict, key: string) -> bool",
        "Reports whether a dict has a key.",
        contains,
    )
    .deprecated("the `<key> in <dict>` construct"),
    Definition::new(
        "std::dict_get",
        "dict_get(dct: dict, key: string) -> string",
        "Returns the value of a key as a string.",
        dict_get,
    )
    .deprecated("using the `<dict>[<key>]` construct"),
    Definition::new("std::dict_keys", "dict_keys(dct: dict) -> string[]", "Returns the keys of a dict.", dict_keys)
        .examples(&[("std::dict_keys({\"b\": 1, \"a\": 2})", "[\"b\", \"a\"]")]),
    Definition::new(
        "std::inlineif",
        "inlineif(conditional: bool, a: any, b: any) -> any",
        "Returns the first value if the condition is true, otherwise the second.",
        inlineif,
    )
    .examples(&[("std::inlineif(true, 1, 2)", "1")]),
    Definition::new("std::invert", "invert(boolean: bool) -> bool", "Negates a bool.", invert)
        .deprecated("the `not` unary operator"),
    Definition::new(
        "std::is_unknown",
        "is_unknown(value: any) -> bool",
        "Reports whether a value is unknown.",
        is_unknown,
    )
    .accepting_unknown()
    .examples(&[("std::is_unknown(1)", "false")]),
    Definition::new("std::isset", "isset(value: any) -> bool", "Reports whether a value is not null.", isset)
        .examples(&[("std::isset(null)", "false")]),
    Definition::new(
        "std::type",
        "type(obj: any) -> any",
        "Returns the name of the type of a value, for debugging.",
        kind,
    ),
];

fn count(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::int(call.list(0).len() as i64))
}

fn len(call: &mut Call<'_, '_>) -> Answer {
    if call.list(0).iter().any(Value::is_unknown) { Err(Stop::Unknown) } else { count(call) }
}

/// The maximum number of elements of a list made from a number.
const MAX_SEQUENCE: i64 = 1_000_000;

fn sequence(call: &mut Call<'_, '_>) -> Answer {
    let (n, start) = (call.int(0)?, call.int(1)?);
    if n > MAX_SEQUENCE {
        return Err(Stop::Failed(format!("MemoryError: a sequence has at most {MAX_SEQUENCE} elements")));
    }
    Ok(Value::raw_list((0..n.max(0)).map(|nr| Value::int(start.saturating_add(nr))).collect()))
}

fn at(call: &mut Call<'_, '_>) -> Answer {
    let (items, index) = (call.list(0), call.int(1)?);
    let index = if index < 0 { items.len() as i64 + index } else { index };
    let found = usize::try_from(index).ok().and_then(|index| items.get(index)).cloned();
    found.ok_or_else(|| Stop::Failed("IndexError: list index out of range".into()))
}

fn no_iterable(value: &Value) -> Stop {
    Stop::Failed(format!("TypeError: '{}' object is not iterable", value.kind()))
}

fn item(call: &mut Call<'_, '_>) -> Answer {
    let index = call.int(1)?;
    let mut out = Vec::new();
    for inner in call.list(0) {
        let Value::List(list) = inner else {
            return Err(Stop::Failed(format!("TypeError: '{}' object is not subscriptable", inner.kind())));
        };
        let index = if index < 0 { list.items.len() as i64 + index } else { index };
        let found = usize::try_from(index).ok().and_then(|index| list.items.get(index)).cloned();
        out.push(found.ok_or_else(|| Stop::Failed("IndexError: list index out of range".into()))?);
    }
    Ok(Value::raw_list(out))
}

fn unique(call: &mut Call<'_, '_>) -> Answer {
    if call.list(0).iter().any(Value::is_unknown) {
        return Err(Stop::Unknown);
    }
    let levels = u64::from(call.list(0).len().max(2).ilog2());
    call.look(call.arg(0).size().saturating_mul(levels))?;
    let items = call.list(0);
    // Equal values have equal texts, except numbers of different kinds, which are compared.
    let mut seen: std::collections::BTreeMap<String, Vec<&Value>> = std::collections::BTreeMap::new();
    for value in items {
        let key = match value {
            Value::Int(_) | Value::Float(_) | Value::Bool(_) => crate::value::number_of(value)
                .and_then(|number| number.to_f64())
                .map_or_else(|| "big".into(), |float| format!("n{float:?}")),
            Value::Instance(instance) => format!("{instance:?}"),
            Value::Dict(dict) => format!("d{}", dict.entries.len()),
            value => inner(value, call.names()),
        };
        let same_key = seen.entry(key).or_default();
        if same_key.iter().any(|other| same(other, value)) {
            return Ok(Value::Bool(false));
        }
        same_key.push(value);
    }
    Ok(Value::Bool(true))
}

fn flatten(call: &mut Call<'_, '_>) -> Answer {
    let mut out = Vec::new();
    for value in call.list(0) {
        match value {
            Value::List(list) => out.extend(list.items.iter().cloned()),
            other => return Err(no_iterable(other)),
        }
    }
    Ok(Value::raw_list(out))
}

fn contains(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::Bool(call.arg(0).as_dict().is_some_and(|dict| dict.entries.contains_key(call.text(1)))))
}

fn dict_get(call: &mut Call<'_, '_>) -> Answer {
    let found = call.arg(0).as_dict().and_then(|dict| dict.entries.get(call.text(1)).cloned());
    found.ok_or_else(|| Stop::Failed(format!("KeyError: '{}'", call.text(1))))
}

fn dict_keys(call: &mut Call<'_, '_>) -> Answer {
    let keys = call.arg(0).as_dict().map(|dict| dict.entries.keys().map(|key| Value::Str(key.clone())).collect());
    Ok(Value::raw_list(keys.unwrap_or_default()))
}

fn inlineif(call: &mut Call<'_, '_>) -> Answer {
    Ok(call.arg(if call.arg(0).as_bool() == Some(true) { 1 } else { 2 }).clone())
}

fn invert(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::Bool(call.arg(0).as_bool() != Some(true)))
}

fn is_unknown(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::Bool(call.arg(0).is_unknown()))
}

fn isset(call: &mut Call<'_, '_>) -> Answer {
    Ok(Value::Bool(!matches!(call.arg(0), Value::Null)))
}

fn kind(call: &mut Call<'_, '_>) -> Answer {
    let _ = message(call.arg(0), call.names());
    Ok(Value::str(call.arg(0).kind()))
}
