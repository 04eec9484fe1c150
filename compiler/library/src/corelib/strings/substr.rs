//! `strings.substr`.

use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "strings.substr",
    sig: Sig::Fixed("func(s str, low int, high int) str"),
    doc: "Returns the bytes from `low` up to, but not including, `high`.\n\nThis may split a multi-byte character.",
    examples: &[
        Example { call: r#"strings.substr("hello", 1, 3)"#, gives: r#""el""# },
        Example { call: r#"strings.substr("héllo", 0, 2)"#, gives: r#""h\xc3""# },
        Example { call: r#"strings.substr("a", 1, 1)"#, gives: r#""""# },
        Example {
            call: r#"strings.substr("abc", 2, 4)"#,
            gives: "error: bytes 2 to 4 are out of range: the string has 3 bytes",
        },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let bound = |index: usize| Ok(usize::try_from(args.int(index)?).unwrap_or(usize::MAX));
        let (text, low, high) = (args.bytes(0)?, args.int(1)?, args.int(2)?);
        text.get(bound(1)?..bound(2)?).map(Value::str).ok_or_else(|| {
            let len = text.len();
            let said = format!("bytes {low} to {high} are out of range: the string has {len} bytes");
            FnError::catchable("low/high out of range").said(said)
        })
    }),
};
