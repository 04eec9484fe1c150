//! Module `map`. Functions spec, 7.11.

use crate::corelib::core::MAP_RUN;
use crate::corelib::{Args, Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::{Map, Value};

pub(super) static DEFS: &[&FnDef] = &[&KEYS, &LOOKUP, &VALUES];

static KEYS: FnDef = FnDef {
    path: "map.keys",
    sig: Sig::Fixed("func(x map{?1: ?2}) []?1"),
    doc: "Returns all keys of a map, sorted.",
    examples: &[
        Example { call: r#"map.keys({"b" => 1, "a" => 2})"#, gives: r#"["a", "b"]"# },
        Example { call: "map.keys({10 => 1, 9 => 2})", gives: "[9, 10]" },
        Example { call: "map.keys({true => 1, false => 2})", gives: "[false, true]" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::list(entries(args)?.iter().map(|(key, _)| key.clone())))),
};

static VALUES: FnDef = FnDef {
    path: "map.values",
    sig: Sig::Fixed("func(x map{?1: ?2}) []?2"),
    doc: "Returns all values of a map, in the order of the sorted keys.",
    examples: &[
        Example { call: r#"map.values({"b" => 1, "a" => 2})"#, gives: "[2, 1]" },
        Example { call: "map.values({1 => [1]})", gives: "[[1]]" },
        Example { call: "map.values({-0.5 => 1})", gives: "[1]" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::list(entries(args)?.iter().map(|(_, value)| value.clone())))),
};

static LOOKUP: FnDef = FnDef {
    path: "map.lookup",
    sig: Sig::Fixed("func(map map{?1: ?2}, key ?1) ?2"),
    doc: "Returns the value of a key in a map. Same as `map_lookup`.",
    examples: &[
        Example { call: r#"map.lookup({"a" => 1}, "a")"#, gives: "1" },
        Example { call: "map.lookup({true => 1, false => 2}, false)", gives: "2" },
        Example { call: "map.lookup({1 => 2}, 3)", gives: "error: map key not present, want: 3 in {1: 2}" },
    ],
    shape: Shape::PLAIN,
    run: MAP_RUN,
};

fn entries<'a>(args: &'a Args) -> Result<&'a Map, FnError> {
    args.values[0].as_map().map(|map| &**map).ok_or_else(|| FnError::fatal("unexpected type of argument #0"))
}
