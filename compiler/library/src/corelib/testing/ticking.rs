//! `test.forloop`, `forkvloop` and `slow_string`: values that arrive over time.

use crate::corelib::ticks::periods;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static FORLOOP: FnDef = FnDef {
    path: "test.forloop",
    sig: Sig::Fixed("func() []str"),
    doc: "Returns a list with `foo`, and after 5 seconds also `bar`.",
    examples: &[
        Example { call: "test.forloop()", gives: r#"["foo"]"# },
        Example { call: "len(test.forloop())", gives: "1" },
        Example { call: r#""bar" in test.forloop()"#, gives: "false" },
    ],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| {
        let text = if periods(world, 5000) == 0 { "foo" } else { "bar" };
        Ok(Some(Value::list([Value::str(text)])))
    }),
};

pub(super) static FORKVLOOP: FnDef = FnDef {
    path: "test.forkvloop",
    sig: Sig::Fixed("func() map{str: str}"),
    doc: "Returns a map from `foo` to `bar`.",
    examples: &[
        Example { call: "test.forkvloop()", gives: r#"{"foo": "bar"}"# },
        Example { call: "len(test.forkvloop())", gives: "1" },
        Example { call: r#"map_lookup(test.forkvloop(), "foo")"#, gives: r#""bar""# },
    ],
    shape: Shape::DYNAMIC,
    run: Run::Pure(|_| Ok(Value::map([(Value::str("foo"), Value::str("bar"))]))),
};

pub(super) static SLOW_STRING: FnDef = FnDef {
    path: "test.slow_string",
    sig: Sig::Fixed("func() str"),
    doc: "Returns a string after 5 seconds.",
    examples: &[],
    shape: Shape::DYNAMIC,
    run: Run::World(|world, _| Ok((periods(world, 5000) > 0).then(|| Value::str("five seconds has elapsed")))),
};
