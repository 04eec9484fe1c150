//! Functions and methods of other languages.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const MAP: &str = "write `iter.map($list, func($x) { … })`, after `import \"iter\"`";
const FILTER: &str = "write `iter.filter($list, func($x) { … })`, after `import \"iter\"`";
const LAMBDA: &str = "write a function as `func($x) { … }`";
const METHOD: &str = "values have no methods";
const CALL: &str = "expected a function";
const FUNC: &str = "functions are defined with `func`";
const CAPITAL: &str = "function names are in lower case";
const IN_LOWER_CASE: &str = "write the name in lower case; `mclive docs functions` lists the functions";
const JAVASCRIPT: &str = "this looks like JavaScript";
const SORT: &str = "MCL has no function that sorts a list: write its elements in the order that you need";
const NO_UNITS: &str = "MCL has no units of time";
const NUMBER: &str = "expected only a number";
const UNITS: &str = "write a number: intervals are in seconds, `Meta:delay` and `Meta:timeout` in milliseconds";
const REDUCE: &str =
    "write `iter.reduce($start, $list, func($acc, $x) { if $x > $acc { $x } else { $acc } })`, after `import \"iter\"`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new("«sorted/sort» ( … , key/reverse/cmp = …", "MCL has no `{1}`", "this looks like Python", SORT),
    Mistake::new("«max/min» ( … , key/default = …", "MCL has no `{1}` of a list", "this looks like Python", REDUCE),
    Mistake::written("(/, «NAME = lambda …? :» …", "MCL has no `lambda`", "this looks like Python", rewrite::lambda)
        .covers(Cover::Line),
    Mistake::written("«lambda …? :» …", "MCL has no `lambda`", "this looks like Python", rewrite::lambda)
        .covers(Cover::Line),
    Mistake::new(
        "LINE !{ func NAME ( …? ) «=>» …",
        "the body of a function is written in braces",
        "expected `{`",
        "write `func {1}({2}) { {3} }`",
    ),
    Mistake::new(
        "=/=>/(/, func «NAME» (",
        "a function literal cannot have a name",
        "expected `(`",
        "remove the name, and write `func(…) { … }`",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new("=/=>/(/, «( VAR ) ->» …", FUNC, "this looks like Java", "write `func({2}) { … }`"),
    Mistake::new("=/=>/(/, «( VAR , VAR ) ->» …", FUNC, "this looks like Java", "write `func({2}, {3}) { … }`"),
    Mistake::written("=/=>/,/( «( …? ) =>» …", FUNC, JAVASCRIPT, rewrite::lambda).covers(Cover::Line),
    Mistake::written("«( …? ) =>» …", FUNC, JAVASCRIPT, rewrite::lambda).covers(Cover::Line),
    Mistake::written("map/filter ( … , «NAME =>» …", FUNC, JAVASCRIPT, rewrite::lambda).covers(Cover::Line),
    Mistake::written("LINE VAR = «NAME =>» …", FUNC, JAVASCRIPT, rewrite::lambda).covers(Cover::Line),
    Mistake::written("=/,/( «VAR =>» …", FUNC, JAVASCRIPT, rewrite::lambda).covers(Cover::Line),
    Mistake::new("«len _ [ … ]» …?", "a call needs parentheses", "expected `(`", "write `len([{1}])`")
        .edit("len([{1}])"),
    Mistake::new("«map/filter/fold (» NAME : …", "functions are defined with `func`", "this looks like Nix", LAMBDA),
    Mistake::new(
        "map/filter ( … , «NAME ~ . ~ NAME» ^ )",
        FUNC,
        "the name of a function is not a value",
        "write `func($x) { {3}.{4}($x) }`",
    )
    .edit("func($x) { {3}.{4}($x) }"),
    Mistake::new(
        "map/filter ( … , «FREE» ^ )",
        FUNC,
        "the name of a function is not a value",
        "write `func($x) { {3}($x) }`",
    )
    .edit("func($x) { {3}($x) }"),
    Mistake::new(
        "=/=>/(/,/[ «NAME ~ :/:: ~ NAME» ~ (",
        "a module and its function are separated by a dot",
        "expected `.`",
        "write `{2}.{4}(…)`",
    )
    .edit("{2}.{4}"),
    Mistake::written("= «NAME :» VALUE …?", FUNC, "this looks like Nix", rewrite::lambda).covers(Cover::Line),
    Mistake::written("«\\ ~ NAME/VAR ->» …", FUNC, "this looks like Haskell", rewrite::lambda).covers(Cover::Line),
    Mistake::new(
        "«make (» map/[/chan …",
        "MCL has no `make`",
        "this looks like Go",
        "write the value itself: a list as `[\"a\"]`, a map as `{\"a\" => 1}`",
    ),
    Mistake::new(
        "=/=>/(/,/[ «Some/Ok/Err/Just» (/NUM/STR/VAR …?",
        "MCL has no optional values",
        "not a function",
        "write only the value; for a fallback if a value fails, write `$value <|> $fallback`",
    ),
    Mistake::new(
        "«typeof» VALUE",
        "MCL has no `typeof`",
        "not an MCL value",
        "remove the condition: the type of each value is known before the program runs",
    ),
    Mistake::new("]/) ~ «. ~ map/collect» (/{", METHOD, CALL, MAP),
    Mistake::new("]/) ~ «. ~ filter/select/where» (/{", METHOD, CALL, FILTER),
    Mistake::new(
        "]/) ~ «. ~ reduce/fold» (",
        METHOD,
        CALL,
        "write `iter.reduce($start, $list, func($acc, $x) { … })`, after `import \"iter\"`",
    ),
    Mistake::new(
        "]/) ~ «. ~ each/forEach/for_each/foreach» (/{/do/|",
        METHOD,
        CALL,
        "write `for $index, $value in $list { … }`",
    ),
    Mistake::new(
        "STR ~ «. ~ join» (",
        METHOD,
        CALL,
        "write `strings.join($list, {1})`, after `import \"golang/strings\"`",
    ),
    Mistake::new(
        "]/) ~ «. ~ join» (",
        METHOD,
        CALL,
        "write `strings.join($list, \",\")`, after `import \"golang/strings\"`",
    ),
    Mistake::new(
        "]/) ~ «. ~ push/append/add/concat/extend/unshift» (",
        METHOD,
        CALL,
        "write `list.concat($list, [\"…\"])`, after `import \"list\"`",
    ),
    Mistake::new("} ~ «. ~ keys/values» …?", METHOD, CALL, "write `map.{1}($map)`, after `import \"map\"`"),
    Mistake::new("]/) ~ «. ~ sort/sorted/sort_by/sortBy/reverse/reversed» …?", METHOD, CALL, SORT),
    Mistake::new("STR ~ «. ~ format» (", METHOD, CALL, "write `fmt.printf(\"…\", …)`, after `import \"fmt\"`"),
    Mistake::new("STR ~ «. ~ split» (", METHOD, CALL, "write `strings.split({1}, \",\")`, after `import \"strings\"`"),
    Mistake::new(
        "STR/]/) ~ «. ~ at ~ ( NUM )»",
        METHOD,
        "this looks like JavaScript",
        "to access an element of a list, write its index: `$list[{2}]`",
    ),
    Mistake::new(
        "STR/]/)/VAR ~ «. ~ at ~ ( - NUM )»",
        METHOD,
        "this looks like JavaScript",
        "count from the start, as in `$list[len($list) - {2}]`",
    ),
    Mistake::new("STR/]/) ~ «. ~ length/size/len/count»", METHOD, CALL, "write `len(…)`"),
    Mistake::new(
        "STR/VAR ~ «. ~ upper/toUpperCase/upcase»",
        METHOD,
        CALL,
        "write `strings.to_upper({1})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "STR/VAR ~ «. ~ lower/toLowerCase/downcase»",
        METHOD,
        CALL,
        "write `strings.to_lower({1})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "STR ~ «. ~ strip/trim/chomp» (",
        METHOD,
        CALL,
        "write `strings.trim_space({1})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "STR/VAR ~ «. ~ replace/replaceAll/gsub/sub» (",
        METHOD,
        CALL,
        "write `strings.replace_all({1}, \"old\", \"new\")`, after `import \"strings\"`",
    ),
    Mistake::new(
        "STR/VAR ~ «. ~ startswith/startsWith/start_with» ( VALUE )",
        METHOD,
        CALL,
        "write `strings.has_prefix({1}, {3})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "STR/VAR ~ «. ~ endswith/endsWith/end_with» ( VALUE )",
        METHOD,
        CALL,
        "write `strings.has_suffix({1}, {3})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "STR ~ «. ~ indexOf/contains/includes» ( VALUE )",
        METHOD,
        CALL,
        "write `strings.contains({1}, {3})`, after `import \"strings\"`",
    ),
    Mistake::new(
        "VAR ~ «. ~ indexOf» ( VALUE )",
        METHOD,
        CALL,
        "write `strings.contains({1}, {2})`, after `import \"strings\"`; for a list, write `{2} in {1}`",
    ),
    Mistake::new(
        "STR ~ «. ~ startswith/startsWith/start_with» (",
        METHOD,
        CALL,
        "write `strings.has_prefix({1}, \"…\")`, after `import \"strings\"`",
    ),
    Mistake::new(
        "STR ~ «. ~ endswith/endsWith/end_with» (",
        METHOD,
        CALL,
        "write `strings.has_suffix({1}, \"…\")`, after `import \"strings\"`",
    ),
    Mistake::new(
        "VAR ~ «. ~ toString» (",
        METHOD,
        CALL,
        "a string needs no conversion; for other values, write `fmt.printf(\"%v\", {1})`, after `import \"fmt\"`",
    ),
    Mistake::new(
        "VAR ~ «. ~ CAMEL» (",
        METHOD,
        CALL,
        "pass the value to a function; `mclive docs functions` lists them",
    ),
    Mistake::new(
        "«open ( STR …? ) . read/readlines/readline» …",
        METHOD,
        "this looks like Python",
        "write `os.readfile({1})`, after `import \"os\"`",
    ),
    Mistake::new(
        "NUM ~ «. ~ to_s/to_str/to_string/toString/toFixed» …?",
        METHOD,
        CALL,
        "write the number in quotes, `\"{1}\"`; convert a variable with `fmt.printf(\"%d\", $n)`, after `import \"fmt\"`",
    ),
    Mistake::new("NUM ~ «. ~ sec/second/seconds/min/minute/minutes/hour/hours/day/days» …?", NO_UNITS, NUMBER, UNITS),
    Mistake::new(
        "=/=>/(/, NUM «sec/second/seconds/min/minute/minutes/hour/hours/day/days» ,? EOL",
        NO_UNITS,
        NUMBER,
        UNITS,
    ),
    Mistake::new(
        "NUM ~ «. ~ NAME» (",
        METHOD,
        CALL,
        "pass the value to a function; `mclive docs functions` lists them",
    ),
    Mistake::new(
        "STR/]/)/} ~ «. ~ WORD» (",
        METHOD,
        CALL,
        "pass the value to a function; `mclive docs functions` lists them",
    ),
    Mistake::new(
        "]/) ~ «. ~ WORD»",
        METHOD,
        "unexpected `.`",
        "to access a field of a struct, write `$value->{2}`; for a value of a map, write `$value[\"{2}\"]`",
    ),
    Mistake::new(
        "«fmt . Sprintf/Sprint/Sprintln/Printf/Print/Println/Errorf» (",
        CAPITAL,
        "this looks like Go",
        "write `fmt.printf(…)`",
    )
    .edit("fmt.printf"),
    Mistake::new(
        "«strings . ToUpper/ToLower/HasPrefix/HasSuffix/Split/Contains/ReplaceAll/TrimSpace» (",
        CAPITAL,
        "this looks like Go",
        "write `strings.{1:snake}(…)`",
    )
    .edit("strings.{1:snake}"),
    Mistake::written(
        "«strings . Join/Repeat/Replace/Title/Count/Index/Trim/TrimLeft/TrimRight/TrimPrefix/TrimSuffix» (",
        CAPITAL,
        "this looks like Go",
        rewrite::of_go,
    )
    .covers(Cover::Line),
    Mistake::new(
        "«strconv . Itoa/Atoi/FormatInt/FormatBool/ParseInt/ParseBool/ParseFloat/Quote/Unquote» (",
        CAPITAL,
        "this looks like Go",
        "write `strconv.{1:snake}(…)`, after `import \"golang/strconv\"`",
    ),
    Mistake::new(
        "«math . Max/Min/Abs/Floor/Ceil/Round/Trunc» (",
        CAPITAL,
        "this looks like Go",
        "write `math.{1:snake}(…)`, after `import \"golang/math\"`; its numbers are floats, such as `3.0`",
    ),
    Mistake::new(
        "«filepath . Join/Base/Dir/Ext/Clean» (",
        CAPITAL,
        "this looks like Go",
        "write `filepath.{1:snake}(…)`, after `import \"golang/path/filepath\"`",
    ),
    Mistake::new("«os . Getenv» (", CAPITAL, "this looks like Go", "write `sys.getenv(…)`, after `import \"sys\"`"),
    Mistake::new(
        "«strings/str/string . startsWith/beginsWith» (",
        CAPITAL,
        "expected a name in lower case",
        "write `strings.has_prefix(…)`, after `import \"strings\"`",
    ),
    Mistake::new(
        "«strings/str/string . endsWith» (",
        CAPITAL,
        "expected a name in lower case",
        "write `strings.has_suffix(…)`, after `import \"strings\"`",
    ),
    Mistake::new(
        "«File/Dir/Pathname/FileTest . exist/exists/file/directory ~ ?» ( VALUE )",
        "MCL has no `{1}`",
        "this looks like Ruby",
        "write `os.file_exists({3})`, after `import \"os\"`",
    ),
    Mistake::new("«strings/fmt/os/math ~ . ~ CAP» ~ (", CAPITAL, "this looks like Go", IN_LOWER_CASE),
    Mistake::new(
        "«NAME ~ . ~ CAP» (",
        CAPITAL,
        "expected a name in lower case",
        "write the name in lower case, as in `{1}.{2:snake}`; `mclive docs functions` lists the functions",
    ),
    Mistake::new("«NAME ~ . ~ ^ WORD» (", CAPITAL, "expected a name in lower case", IN_LOWER_CASE),
    Mistake::new("«NAME . CAP» (", CAPITAL, "expected a name in lower case", IN_LOWER_CASE),
    Mistake::new(
        "«JSON . stringify/generate» (",
        "MCL has no `JSON`",
        "expected a value",
        "write the text with `fmt.printf(\"…\", …)`, after `import \"fmt\"`: MCL has no function that encodes values",
    ),
    Mistake::new(
        "«JSON . parse» (",
        "MCL has no `JSON`",
        "expected a value",
        "write `encoding.decode_json(…)`, after `import \"encoding\"`",
    ),
    Mistake::new(
        "«Object . keys/values» (",
        "MCL has no `Object`",
        "expected a value",
        "write `map.{1}(…)`, after `import \"map\"`",
    ),
    Mistake::new(
        "«Date . now» (",
        "MCL has no `Date`",
        "expected a value",
        "write `datetime.now()`, after `import \"datetime\"`",
    ),
    Mistake::new(
        "«Math . max ( VALUE , VALUE )»",
        "MCL has no `Math`",
        "expected a value",
        "write `if {1} > {2} { {1} } else { {2} }`",
    ),
    Mistake::new(
        "«Math . min ( VALUE , VALUE )»",
        "MCL has no `Math`",
        "expected a value",
        "write `if {1} < {2} { {1} } else { {2} }`",
    ),
    Mistake::new(
        "«Math . floor/ceil/round/trunc/abs/sqrt/pow» (",
        "MCL has no `Math`",
        "expected a value",
        "write `math.{1}(…)`, after `import \"golang/math\"`",
    ),
    Mistake::new(
        "=/=>/(/,/[ «Integer/Numeric» (",
        CAPITAL,
        "this looks like Puppet",
        "convert a value with `convert.str_to_int(…)`, after `import \"convert\"`",
    ),
    Mistake::new(
        "=/=>/(/,/[ «String» (",
        CAPITAL,
        "expected a value",
        "format a value as text with `fmt.printf(\"%v\", …)`, after `import \"fmt\"`",
    ),
    Mistake::new(
        "=/=>/(/,/[ «Sensitive ( VALUE )»",
        "MCL has no `Sensitive`",
        "this looks like Puppet",
        "write only the value: `{2}`",
    ),
    Mistake::new(
        "«CAP . WORD» (",
        "MCL has no `{1}`",
        "expected a value",
        "`mclive docs functions` lists the functions",
    ),
    Mistake::new(
        "«NAME ~ ?» (",
        "the name of a function has no `?`",
        "this looks like Ruby",
        "`mclive docs functions` lists the functions, as in `os.file_exists(\"/etc/motd\")`",
    ),
];
