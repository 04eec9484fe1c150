//! Values of other languages: constructors, references, conversions, parameters of a shell.

use super::super::Known;
use super::super::cover::Cover;

const VALUE: &str = "not a value of MCL";
const LIST: &str = "a list is written `[\"a\", \"b\"]`";
const MAP: &str = "a map is written `{\"a\" => 1, \"b\" => 2}`";
const METHOD: &str = "values have no methods";
const KNOWN: &str = "remove the condition: the type of each value is known before the program runs";
const NULL: &str =
    "every variable has a value: remove the condition; a value that fails is replaced with `{1} <|> $fallback`";

pub(super) const TABLE: &[Known] = &[
    Known::new(
        "«dict/hash ( NAME = VALUE )»",
        "a map is written in braces",
        "this looks like Python",
        "write `{\"{2}\" => {3}}`",
    )
    .edit("{\"{2}\" => {3}}")
    .covers(Cover::Match),
    Known::new("«dict/hash (» NAME = …", "a map is written in braces", "this looks like Python", MAP),
    Known::new("«new Map/HashMap/TreeMap/Object/Dictionary/Hashtable» …?", "MCL has no `new`", VALUE, MAP),
    Known::new("«new Array/Set/List/ArrayList/HashSet/Vec» …?", "MCL has no `new`", VALUE, LIST),
    Known::new("«new Date» …?", "MCL has no `new`", VALUE, "the time is `datetime.now()`, after `import \"datetime\"`"),
    Known::new(
        "«new RegExp» …?",
        "MCL has no `new`",
        VALUE,
        "write `regexp.match(\"…\", $text)`, after `import \"regexp\"`",
    ),
    Known::new(
        "=/=>/(/, «let WORD = … ;? in» …",
        "MCL has no `let … in`",
        VALUE,
        "define the variable in a statement before this one: `{2:var} = …`",
    ),
    Known::new(
        "if/while «let» CAP/WORD …",
        "MCL has no `if let`",
        "not a condition of MCL",
        "a value that fails is replaced with `<|>`, as in `$value <|> $fallback`",
    )
    .covers(Cover::Indented),
    Known::new(
        "=/=>/(/, «$ ~ {» EOL",
        "a variable has no braces outside of a string",
        "expected the name of a variable",
        "write `$name`; the length of a string or a list is `len($name)`",
    ),
    Known::new(
        "«$ ~ ?»",
        "MCL has no `$?`",
        "this looks like a shell parameter",
        "a resource that needs the command to succeed depends on it: `Depend => Exec[\"name\"],`",
    ),
    Known::new(
        "«$ ~ @/*/!/-»",
        "a variable begins with a letter",
        "this looks like a shell parameter",
        "a variable is written `$name`",
    ),
    Known::new(
        "«WORD ~ [ - ~ NUM ]»",
        "an index cannot be negative",
        "this counts from the end",
        "count from the start, as in `{1:var}[len({1:var}) - {2}]`",
    )
    .edit("{1:var}[len({1:var}) - {2}]")
    .covers(Cover::Match),
    Known::new(
        "=/=>/(/,/[ «&» ~ VAR",
        "MCL has no references",
        "not an MCL operator",
        "write only the value: `{2:var}`",
    )
    .edit("")
    .covers(Cover::Match),
    Known::sign("VAR/STR/) _ «.» _ VAR/STR", "expected `+`, found `.`", "strings are joined with `+`", "+"),
    Known::sign("VAR/STR/) «..» VAR/STR", "expected `+`, found `..`", "strings are joined with `+`", "+"),
    Known::sign("VALUE «~=» VALUE", "expected `!=`, found `~=`", "replace `~=` with `!=`", "!="),
    Known::sign("VALUE «eq» VALUE", "expected `==`, found `eq`", "replace `eq` with `==`", "=="),
    Known::sign("VALUE «ne» VALUE", "expected `!=`, found `ne`", "replace `ne` with `!=`", "!="),
    Known::sign(
        "= VALUE «?:» VALUE",
        "expected `<|>`, found `?:`",
        "a fallback for a value that fails is written `{1} <|> {2}`",
        "<|>",
    ),
    Known::new(
        "=/=>/(/,/+ VALUE «as str/string/String» …?",
        "MCL has no `as`",
        "not an MCL operator",
        "format a value as text with `fmt.printf(\"%v\", {2})`, after `import \"fmt\"`",
    ),
    Known::new(
        "=/=>/(/,/+ VALUE «as int/number/i32/i64/u32/u64/usize/integer» …?",
        "MCL has no `as`",
        "not an MCL operator",
        "convert a value with `convert.str_to_int({2})` or `convert.to_int({2})`, after `import \"convert\"`",
    ),
    Known::new(
        "=/=>/(/,/+ VALUE «as WORD» …?",
        "MCL has no `as`",
        "not an MCL operator",
        "remove `as {3}`: the type of each value is known before the program runs",
    ),
    Known::new(
        "=/=> «lazy {» …",
        "MCL has no `lazy`",
        "this looks like Chef",
        "write only the value: it is computed again when what it uses changes",
    ),
    Known::new(
        "LINE if «FREE ==/!= nil/null/None/undefined» {",
        "MCL has no null values",
        "not a condition of MCL",
        "remove the condition: every variable has a value; one that fails is replaced with `$value <|> $fallback`",
    )
    .covers(Cover::Indented),
    Known::new("«isinstance/is_a (» VALUE , …", "MCL has no `{1}`", VALUE, KNOWN),
    Known::new("VALUE «instanceof WORD»", "MCL has no `instanceof`", "not an MCL operator", KNOWN),
    Known::new(
        "«lookup/hiera (» … , CAP …",
        "MCL has no `{1}`",
        VALUE,
        "write the data as a map, and look the value up: `$map[\"key\"] <|> $fallback`",
    ),
    Known::new(
        "STR ~ «. ~ to_string/to_owned/to_s/to_str/toString/as_str» …?",
        METHOD,
        "this is a string already",
        "write only the string: `{1}`",
    ),
    Known::new(
        "STR ~ «. ~ parse/to_i/toInt/to_int» …?",
        METHOD,
        "expected a function",
        "write `convert.str_to_int({1})`, after `import \"convert\"`",
    ),
    Known::new(
        "«VAR ~ . ~ map/collect ~ ( WORD/( =>/WORD» …",
        METHOD,
        "expected a function",
        "write `iter.map({1}, func($x) { … })`, after `import \"iter\"`",
    ),
    Known::new(
        "«VAR ~ . ~ filter/select ~ ( WORD/( =>/WORD» …",
        METHOD,
        "expected a function",
        "write `iter.filter({1}, func($x) { … })`, after `import \"iter\"`",
    ),
    Known::new(
        "LINE «VAR . each/forEach/foreach/for_each …?»",
        METHOD,
        "a call is not a statement",
        "write `for $index, $value in {1} { … }`",
    )
    .covers(Cover::Indented),
    Known::new(
        "«VAR ~ . ~ WORD ~ (» WORD => …",
        METHOD,
        "expected a function",
        "pass the value to a function; `mclive docs functions` lists them",
    ),
    Known::new(
        "«VAR -> WORD ~ (» …",
        METHOD,
        "this looks like PHP",
        "a field is read without parentheses: `{1}->{2}`; a function takes the value in parentheses",
    ),
    Known::new(
        "=/=>/(/,/[/==/!= «NULL/NIL/NONE/Nothing/nullptr»",
        "MCL has no `{2}`",
        "MCL has no null values",
        "leave the field out, or give it an empty value such as `\"\"`",
    ),
    Known::new("«VAR ~ . ~ NUM»", "an index is written in brackets", "this looks like HCL", "write `{1}[{2}]`")
        .edit("{1}[{2}]")
        .covers(Cover::Match),
    Known::new(
        "«$ ~ STR»",
        "a string has no prefix",
        "unexpected `$`",
        "remove the `$`; a variable is inserted with `\"${name}\"`",
    )
    .edit("{1}")
    .covers(Cover::Match),
    Known::new("«VAR ~ . ~ nil/blank/undef/undefined/null ~ ?»", "MCL has no null values", VALUE, NULL),
    Known::new("«VAR ~ . ~ empty ~ ?»", METHOD, "this looks like Ruby", "write `len({1}) == 0`"),
    Known::new(
        "«VAR ~ . ~ include/includes/member ~ ?»",
        METHOD,
        "this looks like Ruby",
        "whether a list has a value is written `$value in {1}`",
    ),
    Known::new("«qw» (/[/{ …", "MCL has no `qw`", "this looks like Perl", LIST),
    Known::new("«@ ~ {» …", "a map is written without a `@`", "this looks like PowerShell", MAP),
    Known::new("«@ ~ (» STR/NUM/VAR , …", "a list is written in brackets", "this looks like PowerShell", LIST),
    Known::new("«@ ~ ( NUM/VAR )» EOL", "a list is written in brackets", "this looks like PowerShell", LIST),
    Known::new(
        "«$env : WORD»",
        "an environment variable is read with a function",
        "this looks like PowerShell",
        "write `sys.getenv(\"{1}\")`, after `import \"sys\"`",
    ),
    Known::new(
        "«OPENED …» STR",
        "only a variable can be interpolated",
        "a `\"` ends the string",
        "define a variable before, as in `$value = …`, and insert it with `\"${value}\"`",
    )
    .covers(Cover::Match),
];
