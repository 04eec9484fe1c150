//! `x[y]`, `list_lookup` and `map_lookup`: an element by index or key. Functions spec, section 5;
//! language spec, 9.7.

use crate::corelib::{Args, CallSite, Example, FnDef, FnError, Run, Shape, Sig};
use crate::types::{self, FuncType, Type, TypeKind};
use crate::value::{Map, Value};
use std::borrow::Cow;

/// The function that `x[y]` compiles to.
pub(super) static SUBSCRIPT: FnDef = FnDef {
    path: "_lookup",
    sig: Sig::Inferred {
        infer,
        check,
        shown: &["func(list []?1, index int) ?1", "func(map map{?1: ?2}, key ?1) ?2", "func(?1, ?2) ?3"],
    },
    doc: "Implements `x[y]`: returns an element of a list or a map.",
    examples: &[
        Example { call: "[1, 2][1]", gives: "2" },
        Example { call: r#"{"a" => 1}["a"]"#, gives: "1" },
        Example { call: "[1, 2][2] <|> 3", gives: "3" },
        Example { call: r#"{"a" => 1}["b"]"#, gives: r#"error: map key not present, want: "b" in {"a": 1}"# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(subscript),
};

pub(super) static LIST: FnDef = FnDef {
    path: "list_lookup",
    sig: Sig::Fixed("func(list []?1, index int) ?1"),
    doc: "Returns the element at an index of a list, counted from 0.\n\nAn index out of range is an error, which `<|>` \
          can catch.",
    examples: LIST_EXAMPLES,
    shape: Shape::PLAIN,
    run: LIST_RUN,
};

const LIST_EXAMPLES: &[Example] = &[
    Example { call: r#"list_lookup(["a", "b"], 1)"#, gives: r#""b""# },
    Example { call: "list_lookup([1], -1)", gives: "error: list index negative, got: -1" },
    Example { call: "list_lookup([1], 1)", gives: "error: list index not present, got: 1, len is: 1, in: [1]" },
];

pub(super) static MAP: FnDef = FnDef {
    path: "map_lookup",
    sig: Sig::Fixed("func(map map{?1: ?2}, key ?1) ?2"),
    doc: "Returns the value of a key in a map.\n\nA missing key is an error, which `<|>` can catch.",
    examples: &[
        Example { call: r#"map_lookup({"a" => 1}, "a")"#, gives: "1" },
        Example { call: "map_lookup({0.0 => 1}, -0.0)", gives: "1" },
        Example {
            call: r#"map_lookup({"a" => 1}, "b")"#,
            gives: r#"error: map key not present, want: "b" in {"a": 1}"#,
        },
    ],
    shape: Shape::PLAIN,
    run: MAP_RUN,
};

/// The implementation of `list_lookup` and `list.lookup`.
pub(crate) const LIST_RUN: Run = Run::Pure(|args| element(args.list(0)?, args.int(1)?, &args.values[0]));

/// The implementation of `map_lookup` and `map.lookup`.
pub(crate) const MAP_RUN: Run = Run::Pure(|args| entry(&args.values[0], &args.values[1]));

fn infer(site: &CallSite) -> Result<Type, String> {
    if site.args.len() != 2 {
        return Err("must have exactly two args".into());
    }
    // Only the static type of the container matters, but also the value of the key.
    let (container, key) = (site.args[0].ty.clone(), site.ty(1));
    let form = match (container.as_ref().map(Type::kind), key.as_ref().map(Type::kind)) {
        (Some(TypeKind::List), _) => "func(listormap []?1, indexorkey int) ?1",
        (Some(TypeKind::Map), _) => "func(listormap map{?1: ?2}, indexorkey ?1) ?2",
        (_, Some(kind)) if kind != TypeKind::Int => "func(listormap map{?1: ?2}, indexorkey ?1) ?2",
        _ => "func(listormap ?1, indexorkey ?2) ?3",
    };
    types::parse(form).ok_or_else(|| "malformed signature".into())
}

fn check(_: &CallSite, solved: &FuncType) -> Result<(), String> {
    let [(_, container), (_, key)] = &solved.params[..] else { return Err("must have exactly two args".into()) };
    match container {
        Type::List(_) => types::compare(&Type::Int, key),
        Type::Map(parts) => types::compare(&parts.0, key),
        _ => Err("we must lookup from either a list or a map".into()),
    }
}

fn subscript(args: &Args) -> Result<Value, FnError> {
    let container = &args.values[0];
    // Without a static type nothing related the result to the element's type (functions spec, section 5), so a
    // difference shows only here.
    let found = match args.ty.params.first() {
        Some((_, Type::List(element))) => Some(&**element),
        Some((_, Type::Map(parts))) => Some(&parts.1),
        _ => None,
    };
    let wanted = &args.ty.ret;
    if let Some((found, differs)) = found.and_then(|found| Some((found, types::compare(found, wanted).err()?))) {
        let error = FnError::fatal(format!("cannot cmp return types: {differs}"));
        return Err(error.said(format!("expected `{wanted}`, found `{found}`")));
    }
    match container {
        Value::List(items) => element(items, args.int(1)?, container),
        _ => entry(container, &args.values[1]),
    }
}

fn element(items: &[Value], index: i64, list: &Value) -> Result<Value, FnError> {
    if index < 0 {
        let error = FnError::catchable(format!("list index negative, got: {index}"));
        let error = error.said(format!("index {index} is negative"));
        return Err(error.help("count from the start: the last element is `$list[len($list) - 1]`"));
    }
    let found = usize::try_from(index).ok().and_then(|index| items.get(index));
    found.cloned().ok_or_else(|| {
        let len = items.len();
        let list = shown(list);
        let error = FnError::catchable(format!("list index not present, got: {index}, len is: {len}, in: {list}"));
        error.said(match len.checked_sub(1) {
            None => format!("index {index} is out of range: the list is empty"),
            Some(last) => format!("index {index} is out of range: the last index of the list is {last}"),
        })
    })
}

fn entry(map: &Value, key: &Value) -> Result<Value, FnError> {
    let entries = map.as_map().ok_or_else(|| FnError::fatal("unexpected type of argument #0"))?;
    entries.get(key).cloned().ok_or_else(|| {
        let (key, map) = (shown(key), shown(map));
        let error = FnError::catchable(format!("map key not present, want: {key} in {map}"));
        let error = error.said(format!("cannot find key {key} in the map"));
        match keys(entries) {
            Some(keys) => error.help(keys),
            None => error,
        }
    })
}

/// A value in a message, unless it is large: a lookup that fails costs the same whatever the size of the whole, as one that
/// does not.
fn shown(value: &Value) -> Cow<'static, str> {
    const MOST: u64 = 8 << 10;
    match value.written_size_within(MOST) {
        Some(_) => value.to_string().into(),
        None => "…".into(),
    }
}

/// The keys that a map has, if they are few.
fn keys(entries: &Map) -> Option<String> {
    const MOST: usize = 8;
    if entries.len() > MOST {
        return None;
    }
    let keys: Vec<String> = entries.iter().map(|(key, _)| format!("`{}`", shown(key))).collect();
    let (last, others) = keys.split_last()?;
    Some(match others {
        [] => format!("its only key is {last}"),
        others => format!("its keys are {} and {last}", others.join(", ")),
    })
}
