//! Operators of other languages.

use super::super::Known;

const LAMBDA: &str = "a function is written `func($x) { … }`";

pub(super) const TABLE: &[Known] = &[
    Known::sign("«===»", "expected `==`, found `===`", "replace `===` with `==`", "=="),
    Known::sign("«!==»", "expected `!=`, found `!==`", "replace `!==` with `!=`", "!="),
    Known::sign("VALUE «< ~ >» VALUE", "expected `!=`, found `<>`", "replace `<>` with `!=`", "!="),
    Known::sign("«&&»", "expected `and`, found `&&`", "replace `&&` with `and`", "and"),
    Known::sign("VALUE «||» VALUE", "expected `or`, found `||`", "replace `||` with `or`", "or"),
    Known::sign("VALUE «||» !/(", "expected `or`, found `||`", "replace `||` with `or`", "or"),
    Known::sign("«!» NAME (/.", "expected `not`, found `!`", "replace `!` with `not`", "not "),
    Known::sign("«!» VAR/(/true/false", "expected `not`, found `!`", "replace `!` with `not`", "not "),
    Known::sign(
        "VALUE «??» VALUE",
        "expected `<|>`, found `??`",
        "a fallback for a value that fails is written `$value <|> $fallback`",
        "<|>",
    ),
    Known::new(
        "«=~/!~» …?",
        "MCL has no `{1}`",
        "not an MCL operator",
        "write `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Known::new(
        "VALUE «++» VALUE",
        "MCL has no `++`",
        "not an MCL operator",
        "lists are joined with `list.concat({1}, {2})`, after `import \"list\"`",
    ),
    Known::new(
        "do/{/)/each/map/filter/reduce/collect/select «| NAME/VAR ,? NAME/VAR? |» …?",
        "MCL has no blocks with parameters",
        "this looks like Ruby or Puppet",
        LAMBDA,
    ),
    Known::new(
        "VALUE «|>/|» VALUE EOL",
        "MCL has no pipes",
        "not an MCL operator",
        "pass the value to the function: `function({1})`",
    ),
    Known::new(
        "VALUE «|>/|» VALUE",
        "MCL has no pipes",
        "not an MCL operator",
        "pass the value to the function: `function({1})`",
    ),
    Known::new(
        "STR «%» …",
        "MCL has no `%` for strings",
        "not an MCL operator",
        "write `fmt.printf({1}, …)`, after `import \"fmt\"`",
    ),
    Known::new(
        "«...» …?",
        "MCL has no spread operator",
        "not an MCL operator",
        "lists are joined with `list.concat($a, $b)`, after `import \"list\"`",
    ),
    Known::new("«* ~ VAR/WORD» )/]/,", "MCL has no spread operator", "not an MCL operator", "write each value"),
    Known::new(
        "«VALUE ? VALUE : VALUE» ,? EOL",
        "MCL has no `? :`",
        "not an MCL operator",
        "write `if {1} { {2} } else { {3} }`",
    )
    .edit("if {1} { {2} } else { {3} }"),
    Known::new(
        "«VALUE ==/!=/</>/<=/>= VALUE ? VALUE : VALUE» ,? EOL",
        "MCL has no `? :`",
        "not an MCL operator",
        "write `if {1} {2} {3} { {4} } else { {5} }`",
    )
    .edit("if {1} {2} {3} { {4} } else { {5} }"),
    Known::new(
        "VALUE «?. WORD»",
        "MCL has no `?.`",
        "not an MCL operator",
        "a field with a fallback is written `{1}->{2} <|> \"…\"`",
    ),
    Known::new(
        "«VALUE if VALUE else VALUE» ,? EOL",
        "the condition goes first",
        "this looks like Python",
        "write `if {2} { {1} } else { {3} }`",
    )
    .edit("if {2} { {1} } else { {3} }"),
    Known::new(
        "«VALUE if VALUE ==/!=/</>/<=/>= VALUE else VALUE» ,? EOL",
        "the condition goes first",
        "this looks like Python",
        "write `if {2} {3} {4} { {1} } else { {5} }`",
    )
    .edit("if {2} {3} {4} { {1} } else { {5} }"),
    Known::new(
        "= «if VALUE then VALUE else VALUE» EOL",
        "both values are written in braces",
        "expected `{`",
        "write `if {1} { {2} } else { {3} }`",
    )
    .edit("if {1} { {2} } else { {3} }"),
    Known::new(
        "«if … then …? else» …",
        "both values are written in braces",
        "expected `{`",
        "write `if $cond { … } else { … }`",
    ),
];
