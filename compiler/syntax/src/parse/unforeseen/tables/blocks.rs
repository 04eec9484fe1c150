//! Loops, conditions and blocks of other languages.

use super::super::Mistake;
use super::super::cover::Cover;

const NOT: &str = "not an MCL statement";
const AT_ONCE: &str = "this function is called immediately";
const OUTSIDE: &str = "write the statements outside of a function";
const BLOCK: &str = "begin the block with `{`, and end it with `}` on a separate line";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE for «VAR/WORD in NUM .. NUM» {",
        "MCL has no ranges",
        "this looks like Rust",
        "write `for $index, {1:var} in iter.range({2}, {3}) { … }`, after `import \"iter\"`",
    ),
    Mistake::new(
        "LINE for «VAR/WORD in NUM .. = NUM» {",
        "MCL has no ranges",
        "this looks like Rust",
        "write `for $index, {1:var} in iter.range({2}, {3} + 1) { … }`, after `import \"iter\"`",
    ),
    Mistake::new("LINE «( function WORD? (» …", "a call is not a statement", AT_ONCE, OUTSIDE).covers(Cover::Indented),
    Mistake::new("LINE «( async? ( …? ) =>» …", "a call is not a statement", AT_ONCE, OUTSIDE).covers(Cover::Indented),
    Mistake::new(
        "LINE «range ( … ) . each/forEach» …",
        "values have no methods",
        NOT,
        "write `for $index, $value in iter.range({1}) { … }`, after `import \"iter\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «NUM . times» …",
        "values have no methods",
        NOT,
        "write `for $index, $value in iter.range({1}) { … }`, after `import \"iter\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for WORD in» [ … ] : EOL",
        "blocks are written in braces",
        "this looks like Python",
        "write `for $index, {1:var} in [{2}] { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for (? WORD/VAR ,? WORD/VAR? in» …? : EOL",
        "blocks are written in braces",
        "this looks like Python",
        "write `for $index, $value in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE for NAME/VAR , NAME/VAR := «range» NAME/VAR {",
        "a loop iterates over a list",
        "this looks like Go",
        "write `for {1:var}, {2:var} in {3:var} { … }`; over a map, `forkv {1:var}, {2:var} in {3:var} { … }`",
    ),
    Mistake::new(
        "LINE for … , NAME/VAR := «range» NAME/VAR {",
        "a loop iterates over a list",
        "this looks like Go",
        "write `for $index, {2:var} in {3:var} { … }`; over a map, `forkv $key, {2:var} in {3:var} { … }`",
    ),
    Mistake::new(
        "LINE for … , NAME/VAR := «range» [ … ] {",
        "a loop iterates over a list",
        "this looks like Go",
        "write `for $index, {2:var} in [{3}] { … }`",
    ),
    Mistake::new(
        "LINE for … , NAME/VAR := «range» [ ] WORD { … } {",
        "a loop iterates over a list",
        "this looks like Go",
        "write `for $index, {2:var} in [{4}] { … }`",
    ),
    Mistake::new(
        "LINE for WORD/VAR …? := «range» …",
        "a loop iterates over a list",
        "this looks like Go",
        "write `for $index, $value in $list { … }`",
    ),
    Mistake::new(
        "LINE for «( VAR , VAR )» in …",
        "the variables of a loop have no parentheses",
        "expected a variable",
        "write `for {1}, {2} in $list { … }`",
    )
    .edit("{1}, {2}"),
    Mistake::new(
        "LINE for/forkv VAR «=>/:/=» VAR in …",
        "the variables of a loop are separated by a comma",
        "expected `,`",
        "write `forkv {2}, {4} in $map { … }` for a map, and `for {2}, {4} in $list { … }` for a list",
    )
    .edit(","),
    Mistake::new(
        "LINE } else «^ VAR …?» {",
        "an `else` has no condition",
        "expected `{`",
        "nest the second `if` in the `else`: `else { if … { … } else { … } }`",
    ),
    Mistake::new(
        "LINE «for VAR/WORD ==/!=/</>/<=/>=» …",
        "MCL has no loop with a condition",
        NOT,
        "iterate over a list: `for $index, $value in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for ( const/let/var? WORD/VAR in» …",
        "a loop has two variables",
        "this looks like JavaScript",
        "write `for $index, $value in $list { … }`; over a map, `forkv $key, $value in $map { … }`",
    )
    .covers(Cover::Match),
    Mistake::new(
        "LINE «if __name__» …",
        "a program has no main function",
        NOT,
        "write the statements outside of a function",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE … } ^ «if/unless» …",
        "a condition goes before the statement",
        "expected the end of the line",
        "write the condition around the resource: `if $condition { … }`",
    ),
    Mistake::new(
        "LINE «case …» EOL",
        "MCL has no `case`",
        NOT,
        "nest `if … { … } else { … }`, or look the value up in a map: `$map[$key] <|> $default`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for …? ; … ;» …",
        "a loop iterates over a list",
        "this is a counting loop",
        "write `for $index, $value in iter.range(10) { … }`, after `import \"iter\"`",
    ),
    Mistake::new(
        "LINE «case …» {",
        "MCL has no `case`",
        NOT,
        "nest `if … { … } else { … }`, or look the value up in a map: `$map[$key] <|> $default`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "=/=>/(/, «match/switch/case/select VALUE {» EOL",
        "MCL has no `{2}`",
        "not an MCL value",
        "nest `if … { … } else { … }`, or look the value up in a map: `$map[$key] <|> $default`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «match/switch/select VALUE :» EOL",
        "MCL has no `{1}`",
        NOT,
        "nest `if … { … } else { … }`, or look the value up in a map: `$map[$key] <|> $default`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE for ( const/let/var? WORD «of» [ … ] ) {",
        "a loop iterates over a list",
        "this looks like JavaScript",
        "write `for $index, {2:var} in [{3}] { … }`",
    ),
    Mistake::new(
        "LINE for ( const/let/var? WORD «of» WORD/VAR ) {",
        "a loop iterates over a list",
        "this looks like JavaScript",
        "write `for $index, {2:var} in {3:var} { … }`",
    ),
    Mistake::new(
        "LINE for … «of» …",
        "a loop iterates over a list",
        "this looks like JavaScript",
        "write `for $index, $value in $list { … }`",
    ),
    Mistake::new("LINE for … in … «do» EOL", "blocks are written in braces", "expected `{`", BLOCK)
        .covers(Cover::Indented),
    Mistake::new("LINE if/elif/else/while …? «:» EOL", "blocks are written in braces", "expected `{`", BLOCK)
        .covers(Cover::Indented),
    Mistake::new(
        "LINE «try/except/finally» …? : EOL",
        "MCL has no `{1}`",
        NOT,
        "for a fallback if a value fails, use `<|>`: `$value <|> $fallback`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «with … as … :» EOL",
        "MCL has no `with`",
        NOT,
        "to read a file, write `os.readfile(\"/path\")`, after `import \"os\"`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE if … «then» EOL", "blocks are written in braces", "expected `{`", BLOCK).covers(Cover::Indented),
    Mistake::new("LINE if … ; «then» EOL", "blocks are written in braces", "expected `{`", BLOCK)
        .covers(Cover::Indented),
    Mistake::new("LINE !{ «unless» … EOL", "MCL has no `unless`", NOT, "write `if not $cond { … }`")
        .covers(Cover::Indented),
    Mistake::new(
        "LINE WORD STR «do» …? EOL",
        "blocks are written in braces",
        "expected `{`",
        "write `{1} {2} { … }`, with each field as `name => value,`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «% ~ w ~ [/( … ]/) . each» do …",
        "MCL has no `%w`",
        "this looks like Ruby",
        "a resource may have several names, in a list: `pkg [\"git\", \"vim\"] { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE … «do» | …? | EOL",
        "blocks are written in braces",
        "this looks like Ruby",
        "write `for $index, $value in $list { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «[ … ] . each/forEach/foreach/for_each/map» …?",
        "values have no methods",
        NOT,
        "write `for $index, $value in [{1}] { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «NAME ( …? ) . then/catch/finally» …",
        "a call is not a statement",
        NOT,
        "assign the result to a variable, `$result = …`: it is updated when what it uses changes",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE if … ^ «include VALUE» …? EOL",
        "blocks are written in braces",
        "expected `{`",
        "write `if {1} { … }`, with `include {2}` on a separate line",
    ),
    Mistake::new(
        "LINE include … «if/unless» …",
        "a condition goes before the statement",
        "expected the end of the line",
        "write `if $cond { include {1} }`, on three lines",
    ),
];
