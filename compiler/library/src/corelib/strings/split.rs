//! `strings.split` and `strings.join_nonempty`.

use crate::corelib::bytes::{MAX_ELEMENTS, find_all, joined, pieces};
use crate::corelib::{Example, FnDef, FnError, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "strings.split",
    sig: Sig::Fixed("func(a str, b str) []str"),
    doc: "Splits a string at each `b` and keeps empty parts.\n\nAn empty `b` splits the string into characters.",
    examples: &[
        Example { call: r#"strings.split("a,b,,c", ",")"#, gives: r#"["a", "b", "", "c"]"# },
        Example { call: r#"strings.split("héy", "")"#, gives: r#"["h", "é", "y"]"# },
        Example { call: r#"strings.split("", ",")"#, gives: r#"[""]"# },
        Example { call: r#"strings.split("", "")"#, gives: "[]" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let (text, separator) = (args.bytes(0)?, args.bytes(1)?);
        let n_elements =
            if separator.is_empty() { pieces(text).count() } else { find_all(text, separator).count() + 1 };
        if n_elements > MAX_ELEMENTS {
            return Err(FnError::fatal(format!("the list would exceed {MAX_ELEMENTS} elements")));
        }
        Ok(Value::list(split(text, separator).into_iter().map(Value::str)))
    }),
};

pub(super) static JOIN_NONEMPTY: FnDef = FnDef {
    path: "strings.join_nonempty",
    sig: Sig::Fixed("func(s []str, sep str) str"),
    doc: "Joins the non-empty strings of a list with `sep` between them.",
    examples: &[
        Example { call: r#"strings.join_nonempty(["a", "", "b"], "-")"#, gives: r#""a-b""# },
        Example { call: r#"strings.join_nonempty(["", " "], "-")"#, gives: r#"" ""# },
        Example { call: r#"strings.join_nonempty([], "-")"#, gives: r#""""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| {
        let parts = args.list(0)?.iter().filter_map(Value::as_bytes).filter(|part| !part.is_empty());
        let parts: Vec<&[u8]> = parts.map(|part| &**part).collect();
        Ok(Value::from(joined(&parts, args.bytes(1)?)?))
    }),
};

/// The pieces between separators; with an empty one, the characters.
pub(crate) fn split<'a>(text: &'a [u8], separator: &[u8]) -> Vec<&'a [u8]> {
    if separator.is_empty() {
        return pieces(text).collect();
    }
    let (mut found, mut from) = (Vec::new(), 0);
    for at in find_all(text, separator) {
        found.push(&text[from..at]);
        from = at + separator.len();
    }
    found.push(&text[from..]);
    found
}
