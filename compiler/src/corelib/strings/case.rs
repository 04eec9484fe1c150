//! `strings.to_lower` and `to_upper`: one character for one. Functions spec, 15.3.

use crate::corelib::bytes::map_chars;
use crate::corelib::{Example, FnDef, Run, Shape, Sig};
use crate::value::Value;

pub(super) static LOWER: FnDef = FnDef {
    path: "strings.to_lower",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Every letter in lower case; the number of characters stays.",
    examples: &[
        Example { call: r#"strings.to_lower("HÉLLO 1")"#, gives: r#""héllo 1""# },
        Example { call: r#"strings.to_lower("ΑΣ İ")"#, gives: r#""ασ i""# },
        Example { call: r#"strings.to_lower(strings.substr("É", 0, 1))"#, gives: "\"\u{fffd}\"" },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(map_chars(args.bytes(0)?, lower)))),
};

pub(super) static UPPER: FnDef = FnDef {
    path: "strings.to_upper",
    sig: Sig::Fixed("func(a str) str"),
    doc: "Every letter in upper case; the number of characters stays.",
    examples: &[
        Example { call: r#"strings.to_upper("aé1")"#, gives: r#""AÉ1""# },
        Example { call: r#"strings.to_upper("straße ﬁ ᾳ")"#, gives: r#""STRAßE ﬁ ᾼ""# },
        Example { call: r#"strings.to_upper("")"#, gives: r#""""# },
    ],
    shape: Shape::PLAIN,
    run: Run::Pure(|args| Ok(Value::from(map_chars(args.bytes(0)?, upper)))),
};

pub(crate) fn lower(char: char) -> char {
    match char {
        // Its full mapping has two characters.
        'İ' => 'i',
        _ => single(char, char.to_lowercase()),
    }
}

pub(crate) fn upper(char: char) -> char {
    match char {
        // Greek letters with an iota below: the full mapping writes the iota out.
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => {
            char::from_u32(char as u32 + 8).unwrap_or(char)
        }
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => char::from_u32(char as u32 + 9).unwrap_or(char),
        _ => single(char, char.to_uppercase()),
    }
}

/// A mapping to one character; without one the character stays.
fn single(char: char, mut mapped: impl ExactSizeIterator<Item = char>) -> char {
    if mapped.len() == 1 { mapped.next().unwrap_or(char) } else { char }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_character_for_one() {
        for (from, to) in
            [('ǆ', 'Ǆ'), ('ı', 'I'), ('ŉ', 'ŉ'), ('ǰ', 'ǰ'), ('ΐ', 'ΐ'), ('և', 'և'), ('ÿ', 'Ÿ'), ('µ', 'Μ'), ('ſ', 'S')]
        {
            assert_eq!(upper(from), to);
        }
        for (from, to) in [('ẞ', 'ß'), ('\u{212a}', 'k'), ('Σ', 'σ')] {
            assert_eq!(lower(from), to);
        }
    }
}
