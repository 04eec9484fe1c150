//! Operators of other languages.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const MACRO: &str = "MCL has no macros";
const RUST: &str = "this looks like Rust";
const SAFE: &str = "not an MCL operator";
const BLOCKS: &str = "this looks like Ruby or Puppet";
const LAMBDA: &str = "write a function as `func($x) { … }`";
const EITHER: &str = "to check that only one of two conditions holds, write `$a != $b`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::sign("LINE if … ^ «=» …", "expected `==`, found `=`", "replace `=` with `==`", "=="),
    Mistake::sign("«===»", "expected `==`, found `===`", "replace `===` with `==`", "=="),
    Mistake::sign("«!==»", "expected `!=`, found `!==`", "replace `!==` with `!=`", "!="),
    Mistake::sign("VALUE «< ~ >» VALUE", "expected `!=`, found `<>`", "replace `<>` with `!=`", "!="),
    Mistake::new(
        "LINE } «&&/||» …",
        "a statement is not a value",
        "expected the end of the line",
        "write each resource as a separate statement, and the order as an edge: `Kind[\"a\"] -> Kind[\"b\"]`",
    )
    .covers(Cover::Match),
    Mistake::new(
        "} «&&/||» NAME STR {",
        "a statement is not a value",
        "expected the end of the line",
        "write each resource as a separate statement, and the order as an edge: `Kind[\"a\"] -> Kind[\"b\"]`",
    )
    .covers(Cover::Match),
    Mistake::sign("«&&»", "expected `and`, found `&&`", "replace `&&` with `and`", "and"),
    Mistake::half(
        "VALUE ==/!=/</>/<=/>= VALUE and/or «==/!=/</>/<=/>=» VALUE",
        "missing value before `{5}`",
        "expected a value",
        "repeat the value: `{1} {2} {3} {4} {1} {5} {6}`",
    ),
    Mistake::sign("VALUE «||» VALUE", "expected `or`, found `||`", "replace `||` with `or`", "or"),
    Mistake::sign("VALUE «||» !/(", "expected `or`, found `||`", "replace `||` with `or`", "or"),
    Mistake::sign("VALUE «AND» VALUE", "expected `and`, found `AND`", "replace `AND` with `and`", "and"),
    Mistake::sign("VALUE «OR» VALUE", "expected `or`, found `OR`", "replace `OR` with `or`", "or"),
    Mistake::sign("if/and/or/( «NOT» VALUE", "expected `not`, found `NOT`", "replace `NOT` with `not`", "not"),
    Mistake::new("«vec ~ !» [", MACRO, RUST, "write a list without a prefix: `[\"a\", \"b\"]`").edit(""),
    Mistake::new("«format ~ !» (", MACRO, RUST, "write `fmt.printf(\"…\", …)`, after `import \"fmt\"`"),
    Mistake::new("«NAME ~ !» ~ (/[/{", MACRO, RUST, "a function is called without the `!`, as in `len($list)`"),
    Mistake::new(
        "«! VALUE == VALUE»",
        "expected `not`, found `!`",
        "a negated comparison",
        "write `{1} != {2}`: `not` binds more tightly than `==`",
    )
    .edit("{1} != {2}")
    .covers(Cover::Match),
    Mistake::new(
        "«! VALUE != VALUE»",
        "expected `not`, found `!`",
        "a negated comparison",
        "write `{1} == {2}`: `not` binds more tightly than `!=`",
    )
    .edit("{1} == {2}")
    .covers(Cover::Match),
    Mistake::sign("«!» NAME (/.", "expected `not`, found `!`", "replace `!` with `not`", "not "),
    Mistake::sign("«!» VAR/(/true/false", "expected `not`, found `!`", "replace `!` with `not`", "not "),
    Mistake::sign(
        "VALUE «??» VALUE",
        "expected `<|>`, found `??`",
        "for a fallback if a value fails, write `{1} <|> {2}`",
        "<|>",
    ),
    Mistake::new(
        "VALUE «=~» STR",
        "MCL has no `=~`",
        "not an MCL operator",
        "write `regexp.match({2}, {1})`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "VALUE «!~» STR",
        "MCL has no `!~`",
        "not an MCL operator",
        "write `not regexp.match({2}, {1})`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "VALUE «matches/match/like» / ~ … /",
        "MCL has no `{2}`",
        "not an MCL operator",
        "write `regexp.match(\"…\", {1})`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "«=~/!~» …?",
        "MCL has no `{1}`",
        "not an MCL operator",
        "write `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "VALUE «++» VALUE",
        "MCL has no `++`",
        "not an MCL operator",
        "join lists with `list.concat({1}, {2})`, after `import \"list\"`",
    ),
    Mistake::new(
        "do/{/)/each/map/filter/reduce/collect/select «| NAME/VAR ,? NAME/VAR? |» …?",
        "MCL has no blocks with parameters",
        BLOCKS,
        LAMBDA,
    ),
    Mistake::written(
        "=/,/( «| &? NAME/VAR/_ ,? NAME/VAR? |» …?",
        "functions are defined with `func`",
        RUST,
        rewrite::lambda,
    )
    .covers(Cover::Line),
    Mistake::new(
        "VALUE «| default/d (» …",
        "MCL has no pipes",
        "not an MCL operator",
        "for a fallback if a value fails, write `{1} <|> $fallback`",
    ),
    Mistake::new(
        "VALUE «| upper/uppercase/upcase/to_upper»",
        "MCL has no pipes",
        "not an MCL operator",
        "write `strings.to_upper({1})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "VALUE «| lower/lowercase/downcase/to_lower»",
        "MCL has no pipes",
        "not an MCL operator",
        "write `strings.to_lower({1})`, after `import \"strings\"`",
    ),
    Mistake::new("VALUE «| length/count/size/len»", "MCL has no pipes", "not an MCL operator", "write `len({1})`"),
    Mistake::new("LINE VALUE «| NAME/VAR ,? NAME/VAR? |» …", "MCL has no blocks with parameters", BLOCKS, LAMBDA),
    Mistake::new(
        "VAR/STR «|>/|» VALUE",
        "MCL has no pipes",
        "not an MCL operator",
        "pass the value to a function, as in `len({1})`; `mclive docs functions` lists the functions",
    ),
    Mistake::new(
        "VALUE «|>/|» VALUE",
        "MCL has no pipes",
        "not an MCL operator",
        "pass the value to a function, as in `len($list)`; `mclive docs functions` lists the functions",
    ),
    Mistake::new(
        "LINE «% ~ w ~ [/( … ]/) . each» …",
        "MCL has no `%w`",
        "this looks like Ruby",
        "a resource may have several names, in a list: `pkg [\"git\", \"vim\"] { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "«% ~ w/i/q/Q ~ [/(/{» …",
        "MCL has no `%{1}`",
        "this looks like Ruby",
        "write the list in full: `[\"a\", \"b\"]`",
    ),
    Mistake::new(
        "STR «%» …",
        "MCL has no `%` for strings",
        "not an MCL operator",
        "write `fmt.printf({1}, …)`, after `import \"fmt\"`",
    ),
    Mistake::new(
        "NUM «%» ,? EOL",
        "MCL has no `%`",
        "not part of a number",
        "write only the number, or a string: `\"{1}%\"`",
    ),
    Mistake::new(
        "VALUE «%» VALUE",
        "MCL has no `%`",
        "not an MCL operator",
        "for the remainder, write `math.mod({1}, {2})`, after `import \"math\"`",
    ),
    Mistake::new(
        "VAR/NUM/) «mod/MOD» VAR/NUM/(",
        "MCL has no `{2}`",
        "not an MCL operator",
        "for the remainder, write `math.mod($a, $b)`, after `import \"math\"`",
    ),
    Mistake::new(
        "VAR/NUM/) «div/DIV» VAR/NUM/(",
        "MCL has no `{2}`",
        "not an MCL operator",
        "`/` always gives a `float`: for an `int`, write `convert.to_int($a / $b)`, after `import \"convert\"`",
    ),
    Mistake::new("VAR/)/true/false «xor/XOR» VAR/(/not/true/false", "MCL has no `{2}`", "not an MCL operator", EITHER),
    Mistake::new(
        "VAR/NUM/) «^/^» VAR/NUM/(",
        "MCL has no `^`",
        "not an MCL operator",
        "for a power, write `math.pow($a, $b)`, after `import \"math\"`",
    )
    .more(EITHER),
    Mistake::new(
        "VALUE «<=>» VALUE",
        "MCL has no `<=>`",
        "not an MCL operator",
        "compare with `<`, `==` or `>`, as in `{1} < {2}`",
    ),
    Mistake::new(
        "VALUE «contains/CONTAINS/includes» VALUE",
        "MCL has no `{2}`",
        "not an MCL operator",
        "to check whether a list contains a value, write `{3} in {1}`; for a part of a string, write \
        `strings.contains({1}, {3})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "VALUE «startswith/starts_with/startsWith/beginswith» VALUE",
        "MCL has no `{2}`",
        "not an MCL operator",
        "write `strings.has_prefix({1}, {3})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "VALUE «endswith/ends_with/endsWith» VALUE",
        "MCL has no `{2}`",
        "not an MCL operator",
        "write `strings.has_suffix({1}, {3})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "VALUE «matches» VALUE",
        "MCL has no `matches`",
        "not an MCL operator",
        "write `regexp.match({2}, {1})`, after `import \"regexp\"`",
    ),
    Mistake::sign("VALUE «equals/EQUALS» VALUE", "expected `==`, found `{2}`", "replace `{2}` with `==`", "=="),
    Mistake::new("=/=>/(/,/[ «+» ~ NUM/VAR", "a number has no `+`", "not an MCL operator", "remove the `+`").edit(""),
    Mistake::new(
        "VALUE «IS NOT? NULL»",
        "MCL has no null values",
        "not an MCL operator",
        "every variable has a value: remove the condition; for a fallback if a value fails, write `{1} <|> $fallback`",
    ),
    Mistake::new(
        "VALUE «is not? defined/undefined/none/None/null/nil»",
        "MCL has no null values",
        "not an MCL operator",
        "every variable has a value: remove the condition; for a fallback if a value fails, write `{1} <|> $fallback`",
    ),
    Mistake::sign("VALUE «is not» VALUE", "expected `!=`, found `is not`", "replace `is not` with `!=`", "!="),
    Mistake::sign("VALUE «is» VALUE", "expected `==`, found `is`", "replace `is` with `==`", "=="),
    Mistake::sign("VALUE «- ~ eq» VALUE", "expected `==`, found `-eq`", "replace `-eq` with `==`", "=="),
    Mistake::sign("VALUE «- ~ ne» VALUE", "expected `!=`, found `-ne`", "replace `-ne` with `!=`", "!="),
    Mistake::sign("VALUE «- ~ gt» VALUE", "expected `>`, found `-gt`", "replace `-gt` with `>`", ">"),
    Mistake::sign("VALUE «- ~ ge» VALUE", "expected `>=`, found `-ge`", "replace `-ge` with `>=`", ">="),
    Mistake::sign("VALUE «- ~ lt» VALUE", "expected `<`, found `-lt`", "replace `-lt` with `<`", "<"),
    Mistake::sign("VALUE «- ~ le» VALUE", "expected `<=`, found `-le`", "replace `-le` with `<=`", "<="),
    Mistake::new(
        "«VALUE not in VALUE»",
        "`not` goes before the condition",
        "not an MCL operator",
        "write `not ({1} in {2})`",
    )
    .edit("not ({1} in {2})")
    .covers(Cover::Match),
    Mistake::new(
        "{ «...» …?",
        "MCL has no spread operator",
        "not an MCL operator",
        "maps cannot be joined: write all pairs in one map, `{\"a\" => 1, \"b\" => 2}`",
    ),
    Mistake::new(
        "}/VAR «/ ~ /» {",
        "maps cannot be joined",
        "this looks like Nix",
        "write all pairs in one map, `{\"a\" => 1, \"b\" => 2}`",
    ),
    Mistake::new(
        "NUM/VAR/)/] «/ ~ /» NUM/VAR EOL",
        "MCL has no `//`",
        "not an MCL operator",
        "`/` always gives a `float`: for an `int`, write `convert.to_int($a / $b)`, after `import \"convert\"`",
    ),
    Mistake::new(
        "«...» …?",
        "MCL has no spread operator",
        "not an MCL operator",
        "join lists with `list.concat($a, $b)`, after `import \"list\"`",
    ),
    Mistake::new("«* ~ VAR/WORD» )/]/,", "MCL has no spread operator", "not an MCL operator", "write each value"),
    Mistake::new(
        "=/=>/:/, «… ? VALUE : VALUE» ,? EOL",
        "MCL has no `? :`",
        "not an MCL operator",
        "write `if {2} { {3} } else { {4} }`",
    )
    .edit("if {2} { {3} } else { {4} }"),
    Mistake::new(
        "=/=>/(/, VALUE «?» ;? EOL",
        "MCL has no `?`",
        "not an MCL operator",
        "remove the `?`; for a fallback if a value fails, write `$value <|> $fallback`",
    )
    .edit(""),
    Mistake::new(
        "if/and/or/not/( VAR «? NAME/STR» {/and/or/)",
        "MCL has no `?`",
        "not an MCL operator",
        "a program cannot check whether a key exists: look it up with a fallback, as in `{2}[\"{3:bare}\"] <|> \
        $fallback`",
    ),
    Mistake::new("«? … : …» EOL", "MCL has no `? :`", "not an MCL operator", "write `if $condition { … } else { … }`"),
    Mistake::new(
        "«VAR ?. WORD ?. WORD»",
        "MCL has no `?.`",
        SAFE,
        "write `{1}->{2}->{3}`: a struct always has all of its fields",
    ),
    Mistake::new("«VAR ?. WORD»", "MCL has no `?.`", SAFE, "write `{1}->{2}`: a struct always has all of its fields")
        .more("to look up a value in a map with a fallback, write `{1}[\"{2}\"] <|> $fallback`"),
    Mistake::new(
        "«FREE ?. WORD»",
        "MCL has no `?.`",
        SAFE,
        "write `{1:var}->{2}`: a struct always has all of its fields",
    )
    .more("to look up a value in a map with a fallback, write `{1:var}[\"{2}\"] <|> $fallback`"),
    Mistake::new(
        "«VAR ?. [ … ]»",
        "MCL has no `?.`",
        SAFE,
        "to look up a value in a map with a fallback, write `{1}[{2}] <|> $fallback`",
    ),
    Mistake::new(
        "VALUE «?. WORD»",
        "MCL has no `?.`",
        SAFE,
        "write `{1}->{2}`; for a fallback if a value fails, write `$value <|> $fallback`",
    ),
    Mistake::new(
        "«VALUE if VALUE else VALUE» ,? EOL",
        "the condition goes first",
        "this looks like Python",
        "write `if {2} { {1} } else { {3} }`",
    )
    .edit("if {2} { {1} } else { {3} }"),
    Mistake::new(
        "«VALUE if VALUE ==/!=/</>/<=/>= VALUE else VALUE» ,? EOL",
        "the condition goes first",
        "this looks like Python",
        "write `if {2} {3} {4} { {1} } else { {5} }`",
    )
    .edit("if {2} {3} {4} { {1} } else { {5} }"),
    Mistake::new(
        "=/=> «VALUE if … else VALUE» ,? }? EOL",
        "the condition goes first",
        "this looks like Python",
        "write `if {3} { {2} } else { {4} }`",
    )
    .edit("if {3} { {2} } else { {4} }"),
    Mistake::new(
        "=/=> «VALUE if … else» …",
        "the condition goes first",
        "this looks like Python",
        "write `if $condition { … } else { … }`",
    ),
    Mistake::new(
        "@choice => «VALUE if …» , EOL",
        "the condition goes first",
        "not an MCL value",
        "write `{2} ?: {1}`: this item only applies if the condition is true",
    )
    .edit("{2} ?: {1}"),
    Mistake::new(
        "@choice => «VALUE unless …» , EOL",
        "the condition goes first",
        "not an MCL value",
        "write `not ({2}) ?: {1}`: this item only applies if the condition is false",
    )
    .edit("not ({2}) ?: {1}"),
    Mistake::new(
        "=/=> «if … then … else VALUE» ,? EOL",
        "both values are written in braces",
        "expected `{`",
        "write `if {2} { {3} } else { {4} }`",
    )
    .edit("if {2} { {3} } else { {4} }"),
    Mistake::new(
        "«if VALUE ==/!=/</>/<=/>=/in VALUE VALUE else VALUE»",
        "both values are written in braces",
        "expected `{`",
        "write `if {1} {2} {3} { {4} } else { {5} }`",
    )
    .edit("if {1} {2} {3} { {4} } else { {5} }"),
    Mistake::new(
        "«if VALUE VALUE else VALUE»",
        "both values are written in braces",
        "expected `{`",
        "write `if {1} { {2} } else { {3} }`",
    )
    .edit("if {1} { {2} } else { {3} }"),
    Mistake::new(
        "«if … then …? else» …",
        "both values are written in braces",
        "expected `{`",
        "write `if $cond { … } else { … }`",
    ),
];
