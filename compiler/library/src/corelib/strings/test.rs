//! `strings.contains`, `has_prefix` and `has_suffix`.

use crate::corelib::bytes::find;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static CONTAINS: FnDef = FnDef {
    path: "strings.contains",
    sig: Sig::Fixed("func(s str, substr str) bool"),
    doc: "Reports whether a string contains another. Every string contains the empty string.",
    examples: &[
        Example { call: r#"strings.contains("hello", "ell")"#, gives: "true" },
        Example { call: r#"strings.contains("hello", "")"#, gives: "true" },
        Example { call: r#"strings.contains("", "x")"#, gives: "false" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Bool(find(args.bytes(0)?, args.bytes(1)?).is_some()))),
};

pub(super) static HAS_PREFIX: FnDef = FnDef {
    path: "strings.has_prefix",
    sig: Sig::Fixed("func(s str, prefix str) bool"),
    doc: "Reports whether a string begins with another.",
    examples: &[
        Example { call: r#"strings.has_prefix("hello", "he")"#, gives: "true" },
        Example { call: r#"strings.has_prefix("hello", "")"#, gives: "true" },
        Example { call: r#"strings.has_prefix("h", "he")"#, gives: "false" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Bool(args.bytes(0)?.starts_with(args.bytes(1)?)))),
};

pub(super) static HAS_SUFFIX: FnDef = FnDef {
    path: "strings.has_suffix",
    sig: Sig::Fixed("func(s str, suffix str) bool"),
    doc: "Reports whether a string ends with another.",
    examples: &[
        Example { call: r#"strings.has_suffix("a.mcl", ".mcl")"#, gives: "true" },
        Example { call: r#"strings.has_suffix("a.mcl", "")"#, gives: "true" },
        Example { call: r#"strings.has_suffix("l", ".mcl")"#, gives: "false" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::Bool(args.bytes(0)?.ends_with(args.bytes(1)?)))),
};
