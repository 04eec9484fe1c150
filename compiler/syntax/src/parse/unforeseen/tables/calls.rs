//! Calls and constants of the standard libraries of other languages, and commands of a shell with one string.

use super::super::Mistake;
use super::super::cover::Cover;

const NOT: &str = "not an MCL statement";
const METHOD: &str = "values have no methods";
const WAITS: &str = "remove the line: a resource that needs another one waits for it with `Depend => Kind[\"name\"],`";
const BITS: &str = "numbers have no operators for bits; to combine two conditions, write `and` or `or`";
const PI: &str = "write the number: `3.141592653589793`";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new("LINE «time . Sleep/sleep (» …", "MCL has no `{1}`", NOT, WAITS),
    Mistake::new("LINE «sleep NUM/VAR/STR» …? EOL", "MCL has no `sleep`", NOT, WAITS),
    Mistake::new(
        "@block LINE «sh/bash/shell/run/system/command/cmd STR» EOL",
        "commands are run by resources",
        NOT,
        "write `exec \"name\" { cmd => {2}, }`",
    )
    .edit("exec \"name\" { cmd => {2}, }"),
    Mistake::new(
        "if/elif/while/and/or/not/=/( «[ … ] ~ . ~ includes/include/contains/indexOf ~ ( VALUE )»",
        METHOD,
        "expected a function",
        "to check whether a list has a value, write `{4} in [{2}]`",
    )
    .edit("{4} in [{2}]")
    .covers(Cover::Match),
    Mistake::new(
        "if/elif/while [ … ] ~ «. ~ WORD» …",
        METHOD,
        "expected a function",
        "assign the list to a variable, and pass that to a function, as in `len($list)`",
    ),
    Mistake::new(
        "«os ~ . ~ stat/lstat/Stat ~ ( VALUE ) ~ . ~ WORD»",
        "MCL has no `os.{1}`",
        "not an MCL value",
        "to check whether a file exists, write `os.file_exists({2})`, after `import \"os\"`",
    )
    .edit("os.file_exists({2})")
    .covers(Cover::Match),
    Mistake::new("«math/Math ~ . ~ Pi/PI»", "MCL has no `{1}.{2}`", "not an MCL value", PI)
        .edit("3.141592653589793")
        .covers(Cover::Match),
    Mistake::new("«math ~ . ~ pi» ^", "MCL has no `math.pi`", "not an MCL value", PI)
        .edit("3.141592653589793")
        .covers(Cover::Match),
    Mistake::new(
        "=/=>/(/,/[ «NAME ~ -> ~ NAME ~ (» …",
        "a module and its function are separated by a dot",
        "expected `.`",
        "write `{2}.{3}(…)`",
    )
    .edit("{2}.{3}("),
    Mistake::new(
        "LINE «NUM» CAP/FREE/VAR [/STR/VAR/=/{ …",
        "unexpected `{1}`",
        "this looks like the number of a line",
        "remove the `{1}` at the start of the line",
    )
    .edit("")
    .covers(Cover::Match),
    Mistake::new(
        "]/) ~ «. ~ NUM» …?",
        "indexes are written in brackets",
        "not expected here",
        "write `[{2}]` instead of `.{2}`",
    )
    .edit("[{2}]"),
    Mistake::new(
        "if/elif/while/not «test - ~ f/e/d/r/s/L …» {",
        "MCL has no shell tests",
        "this looks like a shell test",
        "write `if os.file_exists(\"/path\") { … }`, after `import \"os\"`",
    ),
    Mistake::new(
        "if/elif/while/not «grep/systemctl/dpkg/rpm/which/command/pgrep/docker/git/curl - …» {",
        "a command is not a condition",
        "this looks like a shell command",
        "to run a command only if another one succeeds, write an `exec` with the field `ifcmd => \"…\",`",
    ),
    Mistake::sign("STR «&» VALUE", "expected `+`, found `&`", "strings are joined with `+`", "+"),
    Mistake::sign("VALUE «&» STR", "expected `+`, found `&`", "strings are joined with `+`", "+"),
    Mistake::new("NUM «&/|» NUM/VAR", "MCL has no `{2}`", "not an MCL operator", BITS),
    Mistake::new("VAR «&/|» NUM", "MCL has no `{2}`", "not an MCL operator", BITS),
    Mistake::sign("STR «++» VALUE", "expected `+`, found `++`", "strings are joined with `+`", "+").covers(Cover::Line),
    Mistake::sign("VALUE «++» STR", "expected `+`, found `++`", "strings are joined with `+`", "+").covers(Cover::Line),
    Mistake::new(
        "=> «CAP ~ . ~ WORD» ,",
        "unexpected `{1}.{2}`",
        "not a string, a variable or a call",
        "write a value such as a state as a string: `\"{2:snake}\"`",
    )
    .edit("\"{2:snake}\"")
    .covers(Cover::Match),
    Mistake::new("«* ~ [ … ]» )/,", "MCL has no spread operator", "not an MCL operator", "write each value"),
    Mistake::new(
        "@block LINE NAME STR «is? installed/running/stopped/uninstalled/newest/exists/absent» EOL",
        "the state of a resource is a field",
        "expected `{`",
        "write `{1} {2} { state => \"{3}\", }`",
    )
    .edit("{ state => \"{3}\", }"),
    Mistake::new(
        "@block LINE NAME STR «is? present/latest/started/enabled/removed/created» EOL",
        "the state of a resource is a field",
        "expected `{`",
        "write `{1} {2} { state => \"…\", }`; `mclive docs {1}` lists the states",
    ),
    Mistake::new(
        "LINE FREE STR «[» NAME =>/=/: …",
        "the body of a resource is written in braces",
        "expected `{`",
        "write `{1} {2} { … }`, with each field as `name => value,`",
    ),
    Mistake::new(
        "LINE FREE STR «[» EOL",
        "the body of a resource is written in braces",
        "expected `{`",
        "write `{1} {2} { … }`, with each field as `name => value,`",
    )
    .covers(Cover::Until("]")),
    Mistake::new(
        "@expr LINE ^ «- _ STR/FREE» ,? EOL",
        "the elements of a list have no dashes",
        "this looks like YAML",
        "write each element without its dash, and with a comma: `{1},`",
    ),
];
