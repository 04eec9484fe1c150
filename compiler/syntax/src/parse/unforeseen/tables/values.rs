//! Values of other languages: constructors, references, conversions, parameters of a shell.

use super::super::Mistake;
use super::super::cover::Cover;

const VALUE: &str = "not an MCL value";
const CONDITION: &str = "not an MCL condition";
const LIST: &str = "write a list as `[\"a\", \"b\"]`";
const MAP: &str = "write a map as `{\"a\" => 1, \"b\" => 2}`";
const METHOD: &str = "values have no methods";
const KNOWN: &str = "remove the condition: the type of each value is known before the program runs";
const NULL: &str =
    "every variable has a value: remove the condition; for a fallback if a value fails, write `{1} <|> $fallback`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "«dict/hash ( NAME = VALUE )»",
        "maps are written in braces",
        "this looks like Python",
        "write `{\"{2}\" => {3}}`",
    )
    .edit("{\"{2}\" => {3}}")
    .covers(Cover::Match),
    Mistake::new("«dict/hash (» NAME = …", "maps are written in braces", "this looks like Python", MAP),
    Mistake::new("«array/Array (» ATOM => …", "maps are written in braces", "this looks like PHP", MAP),
    Mistake::new("«new Map/HashMap/TreeMap/Object/Dictionary/Hashtable» …?", "MCL has no `new`", VALUE, MAP),
    Mistake::new("«new Array/Set/List/ArrayList/HashSet/Vec» …?", "MCL has no `new`", VALUE, LIST),
    Mistake::new(
        "«new Date» …?",
        "MCL has no `new`",
        VALUE,
        "for the time, write `datetime.now()`, after `import \"datetime\"`",
    ),
    Mistake::new(
        "«new RegExp» …?",
        "MCL has no `new`",
        VALUE,
        "write `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Mistake::new(
        "=/=>/(/, «let WORD = … ;? in» …",
        "MCL has no `let … in`",
        VALUE,
        "define the variable in a statement before this one: `{2:var} = …`",
    ),
    Mistake::new(
        "if/while «let» CAP/WORD …",
        "MCL has no `if let`",
        "not an MCL condition",
        "for a fallback if a value fails, use `<|>`, as in `$value <|> $fallback`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "=/=>/(/, «$ ~ {» EOL",
        "a variable has no braces outside of a string",
        "expected the name of a variable",
        "write `$name`; for the length of a string or a list, write `len($name)`",
    ),
    Mistake::new(
        "LINE «$ ~ { ~ NAME ~ }» = …",
        "a variable has no braces outside of a string",
        "expected the name of a variable",
        "write `${1} = …`",
    )
    .edit("${1}")
    .covers(Cover::Match),
    Mistake::new("LINE «@ ~ @? ~ WORD» = …", "variables begin with `$`", "this looks like Ruby", "write `{1:var} = …`")
        .edit("{1:var}")
        .covers(Cover::Match),
    Mistake::new("LINE «% ~ WORD» = …", "variables begin with `$`", "this looks like Perl", "write `{1:var} = …`")
        .edit("{1:var}")
        .covers(Cover::Match),
    Mistake::new(
        "«return/next/break ~ ( )» …?",
        "MCL has no `{1}`",
        "not an MCL statement",
        "a block cannot be left: write the statements after this in `if $condition { … }`",
    ),
    Mistake::new(
        "«$ ~ ?»",
        "MCL has no `$?`",
        "this looks like a shell parameter",
        "to apply a resource only after the command has succeeded, write `Depend => Exec[\"name\"],` in it",
    ),
    Mistake::new(
        "«$ ~ @/*/!/-»",
        "variable names begin with a letter",
        "this looks like a shell parameter",
        "write a variable as `$name`",
    ),
    Mistake::new(
        "«WORD ~ [ - ~ NUM ]»",
        "an index cannot be negative",
        "this counts from the end",
        "count from the start, as in `{1:var}[len({1:var}) - {2}]`",
    )
    .edit("{1:var}[len({1:var}) - {2}]")
    .covers(Cover::Match),
    Mistake::new(
        "=/=>/(/,/[ «&» ~ VAR",
        "MCL has no references",
        "not an MCL operator",
        "write only the value: `{2:var}`",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new(
        "=/=> «* ~ VAR/WORD» ,? EOL",
        "MCL has no references",
        "not an MCL operator",
        "write only the value: `{2:var}`",
    )
    .edit("{2:var}")
    .covers(Cover::Match),
    Mistake::sign("VAR/STR/) _ «.» _ VAR/STR", "expected `+`, found `.`", "strings are joined with `+`", "+"),
    Mistake::sign("VAR/STR/) «..» VAR/STR", "expected `+`, found `..`", "strings are joined with `+`", "+"),
    Mistake::sign("VALUE «~=» VALUE", "expected `!=`, found `~=`", "replace `~=` with `!=`", "!="),
    Mistake::sign("VALUE «eq» VALUE", "expected `==`, found `eq`", "replace `eq` with `==`", "=="),
    Mistake::sign("VALUE «ne» VALUE", "expected `!=`, found `ne`", "replace `ne` with `!=`", "!="),
    Mistake::sign(
        "= VALUE «?:» VALUE",
        "expected `<|>`, found `?:`",
        "for a fallback if a value fails, write `{1} <|> {2}`",
        "<|>",
    ),
    Mistake::new(
        "=/=>/(/,/+ VALUE «as str/string/String» …?",
        "MCL has no `as`",
        "not an MCL operator",
        "format a value as text with `fmt.printf(\"%v\", {2})`, after `import \"fmt\"`",
    ),
    Mistake::new(
        "=/=>/(/,/+ VALUE «as int/number/i32/i64/u32/u64/usize/integer» …?",
        "MCL has no `as`",
        "not an MCL operator",
        "convert a value with `convert.str_to_int({2})` or `convert.to_int({2})`, after `import \"convert\"`",
    ),
    Mistake::new(
        "=/=>/(/,/+ VALUE «as WORD» …?",
        "MCL has no `as`",
        "not an MCL operator",
        "remove `as {3}`: the type of each value is known before the program runs",
    ),
    Mistake::new(
        "=/=> «lazy {» …",
        "MCL has no `lazy`",
        "this looks like Chef",
        "write only the value: it is computed again when what it uses changes",
    ),
    Mistake::new(
        "LINE if «FREE/VAR ==/!= nil/null/None/undefined/undef» {",
        "MCL has no null values",
        CONDITION,
        "remove the condition: every variable has a value; for a fallback if it fails, write `$value <|> $fallback`",
    )
    .covers(Cover::Indented),
    Mistake::new("«VALUE ==/!= nil/null/None/undefined/undef» …? EOL", "MCL has no null values", CONDITION, NULL),
    Mistake::new("«isinstance/is_a (» VALUE , …", "MCL has no `{1}`", VALUE, KNOWN),
    Mistake::new("VALUE «instanceof WORD»", "MCL has no `instanceof`", "not an MCL operator", KNOWN),
    Mistake::new(
        "«lookup/hiera (» … , CAP …",
        "MCL has no `{1}`",
        VALUE,
        "write the data as a map, and look the value up: `$map[\"key\"] <|> $fallback`",
    ),
    Mistake::new(
        "STR ~ «. ~ to_string/to_owned/to_s/to_str/toString/as_str» …?",
        METHOD,
        "this is a string already",
        "write only the string: `{1}`",
    ),
    Mistake::new(
        "STR ~ «. ~ parse/to_i/toInt/to_int» …?",
        METHOD,
        "expected a function",
        "write `convert.str_to_int({1})`, after `import \"convert\"`",
    ),
    Mistake::new(
        "«VAR ~ . ~ map/collect ~ ( WORD/( =>/WORD» …",
        METHOD,
        "expected a function",
        "write `iter.map({1}, func($x) { … })`, after `import \"iter\"`",
    ),
    Mistake::new(
        "«VAR ~ . ~ filter/select ~ ( WORD/( =>/WORD» …",
        METHOD,
        "expected a function",
        "write `iter.filter({1}, func($x) { … })`, after `import \"iter\"`",
    ),
    Mistake::new(
        "LINE «VAR . each | VAR , VAR |» …?",
        METHOD,
        "a call is not a statement",
        "write `forkv {2:var}, {3:var} in {1} { … }` for a map, and `for {2:var}, {3:var} in {1} { … }` for a list",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «NAME . each/forEach/foreach/for_each» ( …",
        METHOD,
        "a call is not a statement",
        "write `for $index, $value in {1:var} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «VAR . each/forEach/foreach/for_each …?»",
        METHOD,
        "a call is not a statement",
        "write `for $index, $value in {1} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "«VAR ~ . ~ WORD ~ (» WORD => …",
        METHOD,
        "expected a function",
        "pass the value to a function; `mclive docs functions` lists them",
    ),
    Mistake::new(
        "«VAR -> WORD ~ (» …",
        METHOD,
        "this looks like PHP",
        "a field is read without parentheses: `{1}->{2}`; a function takes the value in parentheses",
    ),
    Mistake::new(
        "=/=>/(/,/[/==/!= «NULL/NIL/NONE/Nothing/nullptr»",
        "MCL has no `{2}`",
        "MCL has no null values",
        "leave the field out, or give it an empty value such as `\"\"`",
    ),
    Mistake::new("«VAR ~ . ~ NUM»", "indexes are written in brackets", "this looks like HCL", "write `{1}[{2}]`")
        .edit("{1}[{2}]")
        .covers(Cover::Match),
    Mistake::new(
        "«$ ~ STR»",
        "strings have no prefixes",
        "unexpected `$`",
        "remove the `$`; insert a variable with `\"${name}\"`",
    )
    .edit("{1}")
    .covers(Cover::Match),
    Mistake::new(
        "LINE NAME => «NUM * time . Second» ,? EOL",
        "MCL has no units of time",
        "this looks like Go",
        "intervals are in seconds: write `{1} => {2},`",
    )
    .edit("{2}")
    .covers(Cover::Match),
    Mistake::new(
        "«time . Second/Minute/Hour/Millisecond/Microsecond/Nanosecond» …?",
        "MCL has no units of time",
        "this looks like Go",
        "write a number: intervals are in seconds, `Meta:delay` and `Meta:timeout` in milliseconds",
    ),
    Mistake::new("«VAR ~ . ~ nil/blank/undef/undefined/null ~ ?»", "MCL has no null values", VALUE, NULL),
    Mistake::new("«VAR ~ . ~ empty ~ ?»", METHOD, "this looks like Ruby", "write `len({1}) == 0`"),
    Mistake::new(
        "«VAR ~ . ~ include/includes/member ~ ?»",
        METHOD,
        "this looks like Ruby",
        "to check whether a list contains a value, write `$value in {1}`",
    ),
    Mistake::new("«qw» (/[/{ …", "MCL has no `qw`", "this looks like Perl", LIST),
    Mistake::new("«@ ~ {» …", "maps are written without `@`", "this looks like PowerShell", MAP),
    Mistake::new("«@ ~ (» STR/NUM/VAR , …", "lists are written in brackets", "this looks like PowerShell", LIST),
    Mistake::new("«@ ~ ( NUM/VAR )» EOL", "lists are written in brackets", "this looks like PowerShell", LIST),
    Mistake::new(
        "«$env : WORD»",
        "environment variables are read with functions",
        "this looks like PowerShell",
        "write `sys.getenv(\"{1}\")`, after `import \"sys\"`",
    ),
    Mistake::new(
        "«OPENED …» STR",
        "only a variable can be interpolated",
        "a `\"` ends the string",
        "define a variable first, as in `$value = …`, and insert it with `\"${value}\"`",
    )
    .covers(Cover::Match),
];
