//! `strings.to_lower` and `to_upper`: one character for one. Functions spec, 15.3.

use crate::corelib::bytes::map_chars;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::unicode::{to_lower, to_upper};
use crate::value::Value;

pub(super) static LOWER: FnDef = FnDef {
    path: "strings.to_lower",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Converts all letters to lower case. The number of characters does not change.",
    examples: &[
        Example { call: r#"strings.to_lower("HÉLLO 1")"#, gives: r#""héllo 1""# },
        Example { call: r#"strings.to_lower("ΑΣ İ")"#, gives: r#""ασ i""# },
        Example { call: r#"strings.to_lower(strings.substr("É", 0, 1))"#, gives: "\"\u{fffd}\"" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(map_chars(args.bytes(0)?, to_lower)))),
};

pub(super) static UPPER: FnDef = FnDef {
    path: "strings.to_upper",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Converts all letters to upper case. The number of characters does not change.",
    examples: &[
        Example { call: r#"strings.to_upper("aé1")"#, gives: r#""AÉ1""# },
        Example { call: r#"strings.to_upper("straße ﬁ ᾳ")"#, gives: r#""STRAßE ﬁ ᾼ""# },
        Example { call: r#"strings.to_upper("")"#, gives: r#""""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(map_chars(args.bytes(0)?, to_upper)))),
};
