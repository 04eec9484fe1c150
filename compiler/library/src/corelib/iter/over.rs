//! `iter.map`, `filter`, `reduce` and `zip`: their definitions; the engine runs them.

use crate::corelib::{CallSite, Example, FnDef, IterShape, Run, Shape, Sig};
use crate::types::{self, Type};

pub(super) static MAP: FnDef = FnDef {
    path: "iter.map",
    sig: Sig::Fixed("func(inputs []?1, function func(?1) ?2) []?2"),
    doc: "Applies a function to each element of a list and keeps the order.\n\nAn error in one element fails the whole \
          list, unless the function catches it.",
    examples: &[
        Example { call: "iter.map([1, 2], func($x) { $x * 10 })", gives: "[10, 20]" },
        Example { call: r#"iter.map(["a"], func($x) { $x + "!" })"#, gives: r#"["a!"]"# },
        Example { call: "iter.map([0, 2], func($x) { (4 / $x) <|> 0.0 })", gives: "[0, 2]" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Iter(IterShape::Map),
};

pub(super) static FILTER: FnDef = FnDef {
    path: "iter.filter",
    sig: Sig::Fixed("func(inputs []?1, function func(?1) bool) []?1"),
    doc: "Returns the elements for which a function returns true, in order.",
    examples: &[
        Example { call: "iter.filter([1, 2, 3], func($x) { $x > 1 })", gives: "[2, 3]" },
        Example { call: "iter.filter([1], func($x) { $x > 1 })", gives: "[]" },
        Example { call: r#"iter.filter(["a", ""], func($x) { not ($x == "") })"#, gives: r#"["a"]"# },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Iter(IterShape::Filter),
};

pub(super) static REDUCE: FnDef = FnDef {
    path: "iter.reduce",
    sig: Sig::Inferred { infer: infer_reduce, check: |_, _| Ok(()), shown: &[REDUCE_TWO, REDUCE_THREE] },
    doc: "Reduces a list to a single value, from left to right.\n\nWithout an initial value, it starts with the first \
          element; an empty list is then an error that ends the program.",
    examples: &[
        Example { call: "iter.reduce([1, 2, 3], func($x, $y) { $x + $y })", gives: "6" },
        Example { call: r#"iter.reduce("a", ["b", "c"], func($x, $y) { $x + $y })"#, gives: r#""abc""# },
        Example { call: "iter.reduce(5, [], func($x, $y) { $x + $y })", gives: "5" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Iter(IterShape::Reduce),
};

const REDUCE_TWO: &str = "func(inputs []?1, function func(x ?1, y ?1) ?1) ?1";
const REDUCE_THREE: &str = "func(initval ?1, inputs []?1, function func(x ?1, y ?1) ?1) ?1";

fn infer_reduce(site: &CallSite) -> Result<Type, String> {
    let form = match site.args.len() {
        2 => REDUCE_TWO,
        3 => REDUCE_THREE,
        _ => return Err("it takes 2 or 3 arguments".into()),
    };
    types::parse(form).ok_or_else(|| "malformed signature".into())
}

pub(super) static ZIP: FnDef = FnDef {
    path: "iter.zip",
    sig: Sig::Fixed("func(inputs1 []?1, inputs2 []?2, function func(x ?1, y ?2) ?3) []?3"),
    doc: "Applies a function to pairs of elements of two lists. The result has the length of the shorter list.",
    examples: &[
        Example { call: "iter.zip([1, 2], [10, 20, 30], func($x, $y) { $x + $y })", gives: "[11, 22]" },
        Example { call: r#"iter.zip(["a"], [true], func($x, $y) { $y })"#, gives: "[true]" },
        Example { call: "iter.zip([1], [2.5], func($x, $y) { $y })", gives: "[2.5]" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Iter(IterShape::Zip),
};
