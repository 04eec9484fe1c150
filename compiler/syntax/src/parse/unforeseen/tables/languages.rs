//! Declarations, conversions and assignments of programming languages and shells.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const NOT: &str = "not an MCL statement";
const NAME: &str = "variables are defined without a keyword";
const GO: &str = "this looks like Go";
const NIX: &str = "this looks like Nix";
const CHANGED: &str = "a variable cannot be changed";
const TESTS: &str = "MCL has no shell tests";
const TEST: &str = "this looks like a shell test";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «var WORD [ ] WORD» EOL",
        "MCL has no `var`",
        NAME,
        "write `{1:var} = [\"…\"]`: a variable always has a value",
    ),
    Mistake::new(
        "LINE «var WORD map» [ …",
        "MCL has no `var`",
        NAME,
        "write `{1:var} = {\"a\" => 1}`: a variable always has a value",
    ),
    Mistake::new(
        "LINE «var WORD WORD» EOL",
        "MCL has no `var`",
        NAME,
        "write `{1:var} = …`: a variable always has a value",
    ),
    Mistake::new(
        "«VAR ~ . ~ ( WORD )»",
        "MCL has no type assertions",
        GO,
        "write only the value, `{1}`: the type of each value is known before the program runs",
    )
    .edit("{1}")
    .covers(Cover::Match),
    Mistake::new(
        "=/=>/(/,/[ «& ~ CAP {» …",
        "MCL has no references",
        GO,
        "write `struct{name => \"…\", port => 80}`, with the names of the fields in lower case",
    ),
    Mistake::new(
        "LINE «NAME/CAP ~ += ~ ( STR )» EOL",
        CHANGED,
        "this looks like a shell",
        "define another variable: `$more = list.concat({1:var}, [{2}])`, after `import \"list\"`",
    ),
    Mistake::new(
        "LINE «NAME/CAP ~ += ~ (» …",
        CHANGED,
        "this looks like a shell",
        "define another variable: `$more = list.concat({1:var}, [\"…\"])`, after `import \"list\"`",
    ),
    Mistake::new("LINE «NAME +=» VALUE ;? EOL", CHANGED, NOT, "define another variable: `$next = {1:var} + {2}`"),
    Mistake::new("LINE «NAME -=» VALUE ;? EOL", CHANGED, NOT, "define another variable: `$next = {1:var} - {2}`"),
    Mistake::written("LINE «NAME = NAME» +/-/* ATOM ;? EOL", CHANGED, NOT, rewrite::changed).covers(Cover::Line),
    Mistake::new("LINE «( ( WORD ++» …", CHANGED, NOT, "define another variable: `$next = {1:var} + 1`"),
    Mistake::new("LINE «( ( WORD --» …", CHANGED, NOT, "define another variable: `$next = {1:var} - 1`"),
    Mistake::new(
        "LINE «VAR && ~ =» VALUE",
        CHANGED,
        NOT,
        "define another variable: `$next = if {1} { {2} } else { {1} }`",
    ),
    Mistake::new(
        "LINE «[ [? - ~ WORD … ]» ]? && …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", ifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Mistake::new(
        "LINE «[ [? - ~ WORD … ]» ]? || …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", nifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Mistake::new(
        "LINE «test - ~ WORD …» && …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", ifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Mistake::new(
        "LINE «test - ~ WORD …» || …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", nifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Mistake::new(
        "LINE «alias WORD =» …",
        "this looks like a shell command",
        NOT,
        "remove the line: a command is written in full, `exec \"name\" { cmd => \"…\", }`",
    ),
    Mistake::new("LINE «exit NUM» EOL", "MCL has no `exit`", NOT, "to stop with an error, write `panic(\"…\")`"),
    Mistake::new(
        "LINE !{ «printf STR …» EOL",
        "messages are printed by resources",
        NOT,
        "write `print \"message\" { msg => fmt.printf({1}, …), }`, after `import \"fmt\"`",
    ),
    Mistake::new(
        "=/=>/, «<< ~ < STR»",
        "MCL has no here-strings",
        "this looks like a shell",
        "write only the string: `{2}`",
    )
    .edit("{2}"),
    Mistake::new(
        "@start LINE «STR» ;? EOL",
        "a string is not a statement",
        NOT,
        "remove the line, or assign the string to a variable: `$text = {1}`",
    ),
    Mistake::new(
        "LINE «WORD : list/List [ str/int/float/bool ]» =",
        "the type follows the name without a colon",
        "this looks like Python",
        "write `{1:var} []{3} = …`",
    )
    .edit("{1:var} []{3}"),
    Mistake::new(
        "LINE «WORD : dict/Dict [ str/int , str/int/float/bool ]» =",
        "the type follows the name without a colon",
        "this looks like Python",
        "write `{1:var} map{{3}: {4}} = …`",
    ),
    Mistake::new(
        "@stmt LINE «WORD : WORD …?» _ = _ VALUE …?",
        "the type follows the name without a colon",
        "expected a variable",
        "write `{1:var} = {4}`; a type follows the name, as in `$x []str = …`",
    ),
    Mistake::new(
        "LINE «for WORD , WORD in enumerate ( WORD )» :",
        "blocks are written in braces",
        "this looks like Python",
        "write `for {1:var}, {2:var} in {3:var} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for WORD , WORD in WORD . items ( )» :",
        "blocks are written in braces",
        "this looks like Python",
        "write `forkv {1:var}, {2:var} in {3:var} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «for WORD in WORD» :",
        "blocks are written in braces",
        "this looks like Python",
        "write `for $index, {1:var} in {2:var} { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "{ «* ~ * ~ VAR/WORD» …?",
        "maps cannot be joined",
        "this looks like Python",
        "write all pairs in one map, `{\"a\" => 1, \"b\" => 2}`",
    ),
    Mistake::new(
        "VAR/WORD/STR/]/) ~ «[ …? :: …? ]»",
        "MCL has no slices",
        "expected one index",
        "to get part of a string, write `strings.substr($text, 1, 3)`, after `import \"strings\"`; lists have no slices",
    ),
    Mistake::new(
        "«parseInt ( VALUE )»",
        "MCL has no `parseInt`",
        "this looks like JavaScript",
        "write `convert.str_to_int({1})`, after `import \"convert\"`",
    )
    .covers(Cover::Match),
    Mistake::new(
        "«parseFloat ( VALUE )»",
        "MCL has no `parseFloat`",
        "this looks like JavaScript",
        "write `convert.str_to_float({1})`, after `import \"convert\"`",
    )
    .covers(Cover::Match),
    Mistake::new(
        "«builtins ~ . ~ readFile» …?",
        "MCL has no `builtins`",
        NIX,
        "read a file of the program with `deploy.readfile(\"/name\")`, after `import \"deploy\"`",
    ),
    Mistake::new(
        "«builtins ~ . ~ WORD» …?",
        "MCL has no `builtins`",
        NIX,
        "`mclive docs functions` lists the functions",
    ),
    Mistake::new(
        "«lib ~ . ~ mkIf» …?",
        "MCL has no `lib`",
        NIX,
        "write the condition around the resource, `if $condition { … }`, or `if $condition { … } else { … }` as a value",
    ),
    Mistake::new(
        "«mkIf VALUE» …",
        "MCL has no `mkIf`",
        NIX,
        "write the condition around the resource, `if {1} { … }`, or `if {1} { … } else { … }` as a value",
    ),
    Mistake::new("«mkDefault/mkForce VALUE» …?", "MCL has no `{1}`", NIX, "write only the value: `{2}`"),
    Mistake::new(
        "=/=>/(/,/[ «lib ~ . ~ CAMEL» …",
        "MCL has no `lib`",
        NIX,
        "`mclive docs functions` lists the functions",
    ),
    Mistake::new(
        "LINE pkg «pkgs ~ . ~ WORD» {",
        "MCL has no `pkgs`",
        NIX,
        "write the name of a package as a string: `\"{1}\"`",
    )
    .edit("\"{1}\"")
    .covers(Cover::Indented),
    Mistake::new(
        "=/=>/,/[ «pkgs ~ . ~ WORD» ,/]/;",
        "MCL has no `pkgs`",
        NIX,
        "write the name of a package as a string: `\"{2}\"`",
    )
    .edit("\"{2}\"")
    .covers(Cover::Match),
    Mistake::new(
        "=/=>/(/, «{ WORD , WORD …? } :» …",
        "functions are defined with `func`",
        NIX,
        "write `func({2:var}, {3:var}) { … }`; parameters have no default values",
    ),
    Mistake::new(
        "=/=>/(/, «./.. ~ / …» ,? EOL",
        "a path must be a string",
        "missing quotes around the path",
        "write an absolute path, `\"/{3}\"`; read a file of the program with `deploy.readfile(\"/{3}\")`, after \
         `import \"deploy\"`",
    ),
    Mistake::new(
        "=/=>/(/,/[ «CAMEL» ~ (",
        "cannot find function `{2}`",
        "names cannot contain capital letters",
        "`mclive docs functions` lists the functions, as in `strings.to_upper($text)`",
    ),
    Mistake::new(
        "LINE WORD / … «:» EOL",
        "blocks are written in braces",
        "this looks like YAML",
        "write `{1} \"/{2}\" { … }`, with each field as `name => value,`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "=/=> «VALUE ? VALUE : VALUE ? VALUE : VALUE» ,? EOL",
        "MCL has no `? :`",
        "not an MCL operator",
        "write `if {2} { {3} } else { if {4} { {5} } else { {6} } }`",
    )
    .edit("if {2} { {3} } else { if {4} { {5} } else { {6} } }"),
    Mistake::new(
        "VAR/WORD/]/) ~ . ~ «reduce |» …?",
        "values have no methods",
        "this looks like Puppet",
        "write `iter.reduce($start, $list, func($acc, $x) { … })`, after `import \"iter\"`",
    ),
    Mistake::new(
        "LINE class NAME ( … «,» ^ {",
        "missing `)` after the parameters",
        "expected another parameter or `)`",
        "write `class {1}({2}) { … }`",
    )
    .edit(")")
    .covers(Cover::Match),
    Mistake::new(
        "LINE func NAME ( … «,» ^ {",
        "missing `)` after the parameters",
        "expected another parameter or `)`",
        "write `func {1}({2}) { … }`",
    )
    .edit(")")
    .covers(Cover::Match),
    Mistake::new(
        "=> VALUE «?:» ^ ,",
        "missing value after `?:`",
        "expected a value after this",
        "write the value of the field if the condition is true: `{1} ?: value,`",
    )
    .covers(Cover::Match),
];
