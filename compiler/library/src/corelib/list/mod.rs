//! Module `list`. Functions spec, 7.9.

use crate::corelib::core::LIST_RUN;
use crate::corelib::{CallSite, Example, FnDef, Label, Run, Shape, Sig};
use crate::types::Type;
use crate::value::Value;

pub(super) static DEFS: &[&FnDef] = &[&CONCAT, &LOOKUP];

static CONCAT: FnDef = FnDef {
    path: "list.concat",
    sig: Sig::Inferred {
        infer: infer_concat,
        check: |_, _| Ok(()),
        shown: &["func([]?1) []?1", "func([]?1, []?1) []?1", "func([]?1, []?1, ...) []?1"],
    },
    doc: "Concatenates lists in the order of the arguments.",
    examples: &[
        Example { call: "list.concat([1], [2, 3], [])", gives: "[1, 2, 3]" },
        Example { call: r#"list.concat(["a"])"#, gives: r#"["a"]"# },
        Example { call: "list.concat()", gives: "error: it takes at least 1 argument" },
    ],
    shape: Shape::STATIC.labelled(Label::Short("concat")),
    run: Run::Pure(|args| {
        let lists = args.values.iter().filter_map(Value::as_list);
        Ok(Value::list(lists.flat_map(|list| list.iter().cloned())))
    }),
};

fn infer_concat(site: &CallSite) -> Result<Type, String> {
    if site.args.is_empty() {
        return Err("it takes at least 1 argument".into());
    }
    let list = Type::list(Type::Var(1));
    let params = (0..site.args.len()).map(|index| (index.to_string().into(), list.clone())).collect();
    Ok(Type::func(params, list))
}

static LOOKUP: FnDef = FnDef {
    path: "list.lookup",
    sig: Sig::Fixed("func(list []?1, index int) ?1"),
    doc: "Returns the element at an index of a list, counted from 0. Same as `list_lookup`.",
    examples: &[
        Example { call: r#"list.lookup(["a", "b"], 0)"#, gives: r#""a""# },
        Example { call: "list.lookup([1], -1)", gives: "error: list index negative, got: -1" },
        Example { call: "list.lookup([1], 1)", gives: "error: list index not present, got: 1, len is: 1, in: [1]" },
    ],
    shape: Shape::PLAIN,
    run: LIST_RUN,
};
