//! `len`: the length of a value. Functions spec, section 6.

use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "len",
    sig: Sig::OneOf { sig: "func(?1) int", accepts: &["func(str) int", "func([]?1) int", "func(map{?1: ?2}) int"] },
    doc: "Returns the number of bytes in a string, elements in a list, or entries in a map.",
    examples: &[
        Example { call: r#"len("héllo")"#, gives: "6" },
        Example { call: "len([1, 2])", gives: "2" },
        Example { call: "len({1 => 2})", gives: "1" },
        Example { call: r#"len("")"#, gives: "0" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let len = match &args.values[0] {
            Value::Str(bytes) => bytes.len(),
            Value::List(items) => items.len(),
            Value::Map(map) => map.len(),
            other => {
                let kind = other.kind();
                let said = format!("expected a string, a list or a map, found `{kind}`");
                return Err(FnError::fatal(format!("unsupported kind: {kind}")).said(said));
            }
        };
        Ok(Value::Int(len as i64))
    }),
};
