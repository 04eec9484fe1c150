//! The heads of loops, functions and classes as other languages write them, and names with hyphens in them.

use super::super::Mistake;
use super::super::cover::Cover;

const TWO: &str = "a `for` loop has two variables";
const HYPHEN: &str = "names cannot contain hyphens";
const BRACES: &str = "the body of a function is written in braces";
const FIXED: &str = "functions have a fixed number of parameters";
const PARAMS: &str = "the parameters of a function are in parentheses";
const LIST: &str = "write each parameter, or take a list: `func name($list) { … }`";
const EACH: &str = "each class is included by a separate statement";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE for «VAR/FREE in NUM to/until/through/upto NUM» {",
        "MCL has no ranges",
        "expected a list",
        "write `for $index, {1:var} in iter.range({2}, {4} + 1) { … }`, after `import \"iter\"`",
    ),
    Mistake::new(
        "LINE for «VAR/FREE :/<-/range/over/from» … {",
        TWO,
        "found only one",
        "write `for $index, {1:var} in {3} { … }`",
    ),
    Mistake::new(
        "LINE for «FREE» in range ( VALUE ) {",
        TWO,
        "found only one",
        "write `for $index, {1:var} in iter.range({2}) { … }`, after `import \"iter\"`",
    ),
    Mistake::new("LINE for «FREE» in … {", TWO, "found only one", "write `for $index, {1:var} in {2} { … }`"),
    Mistake::new(
        "LINE for «each/all/every VAR/FREE in» … {",
        TWO,
        "found only one",
        "write `for $index, {2:var} in {3} { … }`",
    ),
    Mistake::new("LINE for «VALUE as VAR» {", TWO, "this looks like PHP", "write `for $index, {2} in {1} { … }`"),
    Mistake::new(
        "LINE for «VALUE as VAR => VAR» {",
        "the variables of a loop go before `in`",
        "this looks like PHP",
        "write `forkv {2}, {3} in {1} { … }` for a map, and `for {2}, {3} in {1} { … }` for a list",
    ),
    Mistake::new(
        "LINE for/forkv VAR , VAR «:/<-/=/range/over/from» … {",
        "expected `in`, found `{4}`",
        "expected `in`",
        "write `{1} {2}, {3} in {5} { … }`",
    )
    .edit("in"),
    Mistake::new(
        "LINE for/forkv «VAR VAR» in …",
        "missing `,` between the variables of the loop",
        "expected `,` between these",
        "write `{1} {2}, {3} in … { … }`",
    )
    .edit("{2}, {3}"),
    Mistake::new(
        "LINE for «[ VAR , VAR ]» in …",
        "the variables of a loop have no brackets",
        "expected a variable",
        "write `for {1}, {2} in $list { … }`",
    )
    .edit("{1}, {2}"),
    Mistake::new(
        "LINE forkv «(/[ VAR , VAR )/]» in …",
        "the variables of a loop have no parentheses",
        "expected a variable",
        "write `forkv {2}, {3} in $map { … }`",
    )
    .edit("{2}, {3}"),
    Mistake::new("LINE func NAME «VAR» {", PARAMS, "expected `(`", "write `func {1}({2}) { … }`").edit("({2})"),
    Mistake::new("LINE func NAME «VAR ,? VAR» {", PARAMS, "expected `(`", "write `func {1}({2}, {3}) { … }`")
        .edit("({2}, {3})"),
    Mistake::new("=/=>/(/, func «VAR» {", PARAMS, "expected `(`", "write `func({2}) { … }`")
        .edit("({2})")
        .covers(Cover::Match),
    Mistake::new(
        "LINE func NAME «[/< … ]/>» (",
        "MCL has no type parameters",
        "expected `(`",
        "remove it: a parameter without a type takes values of any type",
    )
    .edit(""),
    Mistake::new("LINE !{ func NAME ( …? ) «VAR/STR/NUM» EOL", BRACES, "expected `{`", "write `func {1}({2}) { {3} }`")
        .edit("{ {3} }"),
    Mistake::new(
        "LINE !{ func NAME ( …? ) «VAR/STR/NUM …» EOL",
        BRACES,
        "expected `{`",
        "write `func {1}({2}) { {3} {4} }`",
    )
    .edit("{ {3} {4} }"),
    Mistake::new(
        "func … { «VALUE , VALUE» }",
        "a function returns one value",
        "expected `}` after the first value",
        "return a list, `[{2}, {3}]`, or a struct, `struct{a => {2}, b => {3}}`",
    )
    .edit("[{2}, {3}]")
    .covers(Cover::Match),
    Mistake::new(
        "LINE !{ func NAME ( …? ) «:» EOL",
        BRACES,
        "expected `{`",
        "write `func {1}({2}) { … }`: its body is a single expression, without `return`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «def/define/sub WORD» { …?",
        "MCL has no `{1}`",
        "not an MCL statement",
        "write a group of resources as `class {2} { … }`, and a function as `func {2}($x) { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «if» { NAME STR/VAR { …?",
        "missing condition after `if`",
        "expected a condition after this",
        "write `if $condition { … }`",
    ),
    Mistake::new(
        "LINE if … «==/!=/</>/<=/>=/and/or/&&/||» { NAME STR/VAR { …?",
        "missing value after `{2}`",
        "expected a value after this",
        "write the value to the right of `{2}`",
    ),
    Mistake::new(
        "LINE FREE «FREE , FREE» {",
        "several names must be in a list",
        "expected one name, or a list",
        "write `{1} [\"{2}\", \"{3}\"] { … }`",
    )
    .edit("[\"{2}\", \"{3}\"]")
    .covers(Cover::Match),
    Mistake::new("LINE func NAME ( …? «... ~ VAR/WORD» )", FIXED, "expected a parameter", LIST),
    Mistake::new("LINE func NAME ( …? «VAR/WORD ... ~ WORD» )", FIXED, "expected a parameter", LIST),
    Mistake::new("LINE func NAME ( …? «VAR ~ ...» )", FIXED, "expected a parameter", LIST),
    Mistake::new(
        "LINE class NAME «=/=>/->» {",
        "unexpected `{2}`",
        "expected `{`",
        "remove the `{2}`: write a class as `class {1} { … }`",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new(
        "LINE class «STR» {/(",
        "the name of a class has no quotes",
        "expected a name",
        "write `class {1:bare}`",
    )
    .edit("{1:bare}")
    .covers(Cover::Match),
    Mistake::new("LINE class «WORD ~ - ~ WORD» {/(", HYPHEN, "not a valid class name", "write `class {1}_{2}`")
        .edit("{1}_{2}")
        .covers(Cover::Match),
    Mistake::new(
        "LINE class «WORD ~ - ~ WORD ~ - ~ WORD» {/(",
        HYPHEN,
        "not a valid class name",
        "write `class {1}_{2}_{3}`",
    )
    .edit("{1}_{2}_{3}")
    .covers(Cover::Match),
    Mistake::new("LINE include «WORD ~ - ~ WORD» (? …?", HYPHEN, "not a valid class name", "write `include {1}_{2}`")
        .edit("{1}_{2}"),
    Mistake::new("LINE func «WORD ~ - ~ WORD» (", HYPHEN, "not a valid function name", "write `func {1}_{2}(…)`")
        .edit("{1}_{2}")
        .covers(Cover::Match),
    Mistake::new(
        "struct ~ { «FREE ~ - ~ FREE» => …",
        HYPHEN,
        "not a valid field name",
        "write `{1}_{2} => …`; a key of a map has quotes: `{\"{1}-{2}\" => …}`",
    )
    .edit("{1}_{2}"),
    Mistake::new("@item LINE «FREE ~ - ~ FREE» =>/=/: …", HYPHEN, "not a valid field name", "write `{1}_{2} => …,`")
        .edit("{1}_{2}"),
    Mistake::new(
        "LINE include «[ … ]» EOL",
        EACH,
        "unexpected list",
        "write a separate line for each class: `include name`",
    ),
    Mistake::new(
        "LINE include WORD «and/& WORD» EOL",
        EACH,
        "expected the end of the line",
        "write `include {1}` and `include {3}` on separate lines",
    ),
    Mistake::new(
        "LINE if «VAR := …? ;» …",
        "a condition cannot have a statement before it",
        "this looks like Go",
        "define the variable before the `if`: `{1} = {2}`",
    ),
    Mistake::new(
        "LINE if «WORD/VAR , WORD/VAR := …? ;» …",
        "a condition cannot have a statement before it",
        "this looks like Go",
        "before the `if`, define a variable with a fallback if its value fails: `$value = $map[\"key\"] <|> $fallback`",
    ),
    Mistake::new(
        "LINE «type FREE» struct/interface/[/map …",
        "types have no names",
        "not an MCL statement",
        "write the type where it is used, as in `$x struct{name str; port int} = …`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE import «FREE STR» EOL",
        "the name of an import goes after its module",
        "this looks like Go",
        "write `import {2} as {1}`",
    )
    .edit("{2} as {1}"),
    Mistake::new(
        "LINE import STR «FREE» EOL",
        "missing `as` before the name of the import",
        "expected `as`",
        "write `import {1} as {2}`",
    )
    .edit("as {2}"),
];
