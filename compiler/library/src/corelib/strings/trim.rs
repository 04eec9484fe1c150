//! `strings.trim_space`.

use crate::corelib::bytes::chars;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static DEF: FnDef = FnDef {
    path: "strings.trim_space",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Removes leading and trailing whitespace.",
    examples: &[
        Example { call: r#"strings.trim_space(" \t a b\n")"#, gives: r#""a b""# },
        Example { call: r#"strings.trim_space("  ")"#, gives: r#""""# },
        Example { call: r#"strings.trim_space("a")"#, gives: r#""a""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::str(trim_space(args.bytes(0)?)))),
};

pub(crate) fn trim_space(text: &[u8]) -> &[u8] {
    let is_space = |char: &Result<char, u8>| char.is_ok_and(char::is_whitespace);
    let width = |char: Result<char, u8>| char.map_or(1, char::len_utf8);
    let n_leading: usize = chars(text).take_while(is_space).map(width).sum();
    let rest = &text[n_leading..];
    let (mut end, mut at) = (0, 0);
    for char in chars(rest) {
        at += width(char);
        if !is_space(&char) {
            end = at;
        }
    }
    &rest[..end]
}
