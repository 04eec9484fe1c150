//! Operators for the docs; their implementation is in `core/operator.rs`. Functions spec, section 4.

use super::Example;

/// An operator.
#[derive(Debug)]
pub(crate) struct Symbol {
    /// The operator as written.
    pub text: &'static str,
    /// The forms that work at run time.
    pub signatures: &'static [&'static str],
    /// The description, in Markdown.
    pub doc: &'static str,
    /// Calls with their results; they run as tests.
    pub examples: &'static [Example],
}

const COMPARED: &[&str] = &["func(a int, b int) bool", "func(a float, b float) bool"];
const EQUAL: &[&str] = &["func(a ?1, b ?1) bool"];
const NUMBERS: &[&str] = &["func(a int, b int) int", "func(a float, b float) float"];

const fn example(call: &'static str, gives: &'static str) -> Example {
    Example { call, gives }
}

/// All of them, the weakest binding last.
pub(super) static ALL: &[Symbol] = &[
    Symbol {
        text: "+",
        signatures: &["func(a str, b str) str", "func(a int, b int) int", "func(a float, b float) float"],
        doc: "Concatenates strings or adds numbers. Ints wrap around on overflow.",
        examples: &[
            example(r#""a" + "b""#, r#""ab""#),
            example("1.5 + 2.0", "3.5"),
            example("9223372036854775807 + 1", "-9223372036854775808"),
            example("true + false", "error: `+` does not work on `bool`"),
        ],
    },
    Symbol {
        text: "-",
        signatures: NUMBERS,
        doc: "Subtracts two numbers. Ints wrap around on overflow.",
        examples: &[
            example("3 - 5", "-2"),
            example("0.5 - 0.25", "0.25"),
            example(r#""a" - "b""#, "error: `-` does not work on `str`"),
        ],
    },
    Symbol {
        text: "*",
        signatures: NUMBERS,
        doc: "Multiplies two numbers. Ints wrap around on overflow.",
        examples: &[
            example("3 * 5", "15"),
            example("0.5 * 3.0", "1.5"),
            example(r#""a" * "b""#, "error: `*` does not work on `str`"),
        ],
    },
    Symbol {
        text: "/",
        signatures: &["func(a int, b int) float", "func(a float, b float) float"],
        doc: "Divides two numbers. The result is always a float.\n\nDivision by zero is an error, which `<|>` can catch.",
        examples: &[example("7 / 2", "3.5"), example("42 / 6", "7"), example("1 / 0", "error: division by zero")],
    },
    Symbol {
        text: "==",
        signatures: EQUAL,
        doc: "Reports whether two values are equal, including all their elements.",
        examples: &[
            example(r#"{"a" => 1, "b" => 2} == {"b" => 2, "a" => 1}"#, "true"),
            example("0.0 == -0.0", "true"),
            example("[1] == [2]", "false"),
        ],
    },
    Symbol {
        text: "!=",
        signatures: EQUAL,
        doc: "Reports whether two values differ.",
        examples: &[example(r#""a" != "b""#, "true"), example("[1] != [1]", "false"), example("1 != 2", "true")],
    },
    Symbol {
        text: "<",
        signatures: COMPARED,
        doc: "Reports whether a number is less than another.",
        examples: &[
            example("1 < 2", "true"),
            example("2.0 < 2.0", "false"),
            example(r#""a" < "b""#, "error: `<` does not work on `str`"),
        ],
    },
    Symbol {
        text: ">",
        signatures: COMPARED,
        doc: "Reports whether a number is greater than another.",
        examples: &[
            example("2 > 1", "true"),
            example("2.0 > 2.0", "false"),
            example(r#""a" > "b""#, "error: `>` does not work on `str`"),
        ],
    },
    Symbol {
        text: "<=",
        signatures: COMPARED,
        doc: "Reports whether a number is less than or equal to another.",
        examples: &[
            example("2 <= 2", "true"),
            example("2.5 <= 2.0", "false"),
            example(r#""a" <= "b""#, "error: `<=` does not work on `str`"),
        ],
    },
    Symbol {
        text: ">=",
        signatures: COMPARED,
        doc: "Reports whether a number is greater than or equal to another.",
        examples: &[
            example("2 >= 2", "true"),
            example("1.5 >= 2.0", "false"),
            example(r#""a" >= "b""#, "error: `>=` does not work on `str`"),
        ],
    },
    Symbol {
        text: "and",
        signatures: &["func(a bool, b bool) bool"],
        doc: "True if both sides are true. Both sides are always evaluated.",
        examples: &[
            example("true and false", "false"),
            example("true and true", "true"),
            example("false and (1 / 0) > 1.0", "error: division by zero"),
        ],
    },
    Symbol {
        text: "or",
        signatures: &["func(a bool, b bool) bool"],
        doc: "True if at least one side is true. Both sides are always evaluated.",
        examples: &[
            example("true or false", "true"),
            example("false or false", "false"),
            example("true or (1 / 0) > 1.0", "error: division by zero"),
        ],
    },
    Symbol {
        text: "not",
        signatures: &["func(a bool) bool"],
        doc: "Negates a bool.",
        examples: &[example("not true", "false"), example("not (1 == 2)", "true"), example("not not true", "true")],
    },
    Symbol { text: "π", signatures: &["func() float"], doc: "The number pi. It has no symbol in MCL.", examples: &[] },
    Symbol {
        text: "in",
        signatures: &["func(needle ?1, haystack []?1) bool"],
        doc: "Reports whether a list contains a value. Compiles to a call of `contains`.",
        examples: &[
            example("2 in [1, 2]", "true"),
            example(r#""c" in ["a", "b"]"#, "false"),
            example("1 in []", "false"),
        ],
    },
    Symbol {
        text: "<|>",
        signatures: &["func(?1, ?1) ?1"],
        doc: "Returns the left value, or the right value while the left one fails with a catchable error.",
        examples: &[
            example("(1 / 0) <|> 2.0", "2"),
            example(r#"["a"][5] <|> "none""#, r#""none""#),
            example("1 <|> 2", "1"),
        ],
    },
];
