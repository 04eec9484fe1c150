//! `iter.flatten`: a list of lists as one list.

use crate::corelib::{Example, FnDef, Label, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "iter.flatten",
    sig: Sig::Fixed("func(inputs [][]?1) []?1"),
    doc: "Flattens a list of lists by one level.",
    examples: &[
        Example { call: "iter.flatten([[1, 2], [], [3]])", gives: "[1, 2, 3]" },
        Example { call: "iter.flatten([[[1]], [[2]]])", gives: "[[1], [2]]" },
        Example { call: r#"iter.flatten([["a"], []])"#, gives: r#"["a"]"# },
    ],
    shape: Shape::STATIC.labelled(Label::Short("flatten")),
    run: Run::Pure(|args| {
        let lists = args.list(0)?.iter().filter_map(Value::as_list);
        Ok(Value::list(lists.flat_map(|list| list.iter().cloned())))
    }),
};
