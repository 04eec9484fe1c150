//! Declarations, conversions and assignments of programming languages and shells.

use super::super::Known;
use super::super::cover::Cover;
use super::super::rewrite;

const NOT: &str = "not a statement of MCL";
const NAME: &str = "a variable is defined by its name alone";
const GO: &str = "this looks like Go";
const NIX: &str = "this looks like Nix";
const CHANGED: &str = "a variable cannot be changed";
const TESTS: &str = "MCL has no shell tests";
const TEST: &str = "this looks like a shell test";

pub(super) const TABLE: &[Known] = &[
    Known::new(
        "LINE «var WORD [ ] WORD» EOL",
        "MCL has no `var`",
        NAME,
        "write `{1:var} = [\"…\"]`: a variable always has a value",
    ),
    Known::new(
        "LINE «var WORD map» [ …",
        "MCL has no `var`",
        NAME,
        "write `{1:var} = {\"a\" => 1}`: a variable always has a value",
    ),
    Known::new(
        "LINE «var WORD WORD» EOL",
        "MCL has no `var`",
        NAME,
        "write `{1:var} = …`: a variable always has a value",
    ),
    Known::new(
        "«VAR ~ . ~ ( WORD )»",
        "MCL has no type assertions",
        GO,
        "write only the value, `{1}`: the type of each value is known before the program runs",
    )
    .edit("{1}")
    .covers(Cover::Match),
    Known::new(
        "=/=>/(/,/[ «& ~ CAP {» …",
        "MCL has no references",
        GO,
        "write `struct{name => \"…\", port => 80}`, with the names of the fields in lower case",
    ),
    Known::new(
        "LINE «NAME/CAP ~ += ~ ( STR )» EOL",
        CHANGED,
        "this looks like a shell",
        "define another variable: `$more = list.concat({1:var}, [{2}])`, after `import \"list\"`",
    ),
    Known::new(
        "LINE «NAME/CAP ~ += ~ (» …",
        CHANGED,
        "this looks like a shell",
        "define another variable: `$more = list.concat({1:var}, [\"…\"])`, after `import \"list\"`",
    ),
    Known::new("LINE «NAME +=» VALUE ;? EOL", CHANGED, NOT, "define another variable: `$next = {1:var} + {2}`"),
    Known::new("LINE «NAME -=» VALUE ;? EOL", CHANGED, NOT, "define another variable: `$next = {1:var} - {2}`"),
    Known::written("LINE «NAME = NAME» +/-/* ATOM ;? EOL", CHANGED, NOT, rewrite::changed).covers(Cover::Line),
    Known::new("LINE «( ( WORD ++» …", CHANGED, NOT, "define another variable: `$next = {1:var} + 1`"),
    Known::new("LINE «( ( WORD --» …", CHANGED, NOT, "define another variable: `$next = {1:var} - 1`"),
    Known::new(
        "LINE «VAR && ~ =» VALUE",
        CHANGED,
        NOT,
        "define another variable: `$next = if {1} { {2} } else { {1} }`",
    ),
    Known::new(
        "LINE «[ [? - ~ WORD … ]» ]? && …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", ifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Known::new(
        "LINE «[ [? - ~ WORD … ]» ]? || …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", nifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Known::new(
        "LINE «test - ~ WORD …» && …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", ifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Known::new(
        "LINE «test - ~ WORD …» || …",
        TESTS,
        TEST,
        "write `exec \"name\" { cmd => \"{3}\", nifcmd => \"/usr/bin/test -{1} {2}\", }`",
    ),
    Known::new(
        "LINE «alias WORD =» …",
        "this looks like a shell command",
        NOT,
        "remove the line: a command is written in full, `exec \"name\" { cmd => \"…\", }`",
    ),
    Known::new("LINE «exit NUM» EOL", "MCL has no `exit`", NOT, "to stop with an error, write `panic(\"…\")`"),
    Known::new(
        "LINE !{ «printf STR …» EOL",
        "a message is printed by a resource",
        NOT,
        "write `print \"message\" { msg => fmt.printf({1}, …), }`, after `import \"fmt\"`",
    ),
    Known::new(
        "=/=>/, «<< ~ < STR»",
        "MCL has no here-strings",
        "this looks like a shell",
        "write only the string: `{2}`",
    )
    .edit("{2}"),
    Known::new(
        "@start LINE «STR» ;? EOL",
        "a string is not a statement",
        NOT,
        "remove the line, or give the string a name: `$text = {1}`",
    ),
    Known::new(
        "LINE «WORD : list/List [ str/int/float/bool ]» =",
        "the type follows the name without a colon",
        "this looks like Python",
        "write `{1:var} []{3} = …`",
    )
    .edit("{1:var} []{3}"),
    Known::new(
        "LINE «WORD : dict/Dict [ str/int , str/int/float/bool ]» =",
        "the type follows the name without a colon",
        "this looks like Python",
        "write `{1:var} map{{3}: {4}} = …`",
    ),
    Known::new(
        "@stmt LINE «WORD : WORD …?» _ = _ VALUE …?",
        "the type follows the name without a colon",
        "expected a variable",
        "write `{1:var} = {4}`; a type follows the name, as in `$x []str = …`",
    ),
    Known::new(
        "LINE «for WORD , WORD in enumerate ( WORD )» :",
        "a block is written in braces",
        "this looks like Python",
        "write `for {1:var}, {2:var} in {3:var} { … }`",
    )
    .covers(Cover::Indented),
    Known::new(
        "LINE «for WORD , WORD in WORD . items ( )» :",
        "a block is written in braces",
        "this looks like Python",
        "write `forkv {1:var}, {2:var} in {3:var} { … }`",
    )
    .covers(Cover::Indented),
    Known::new(
        "LINE «for WORD in WORD» :",
        "a block is written in braces",
        "this looks like Python",
        "write `for $index, {1:var} in {2:var} { … }`",
    )
    .covers(Cover::Indented),
    Known::new(
        "{ «* ~ * ~ VAR/WORD» …?",
        "maps cannot be joined",
        "this looks like Python",
        "write all pairs in one map, `{\"a\" => 1, \"b\" => 2}`",
    ),
    Known::new(
        "VAR/WORD/STR/]/) ~ «[ …? :: …? ]»",
        "MCL has no slices",
        "expected one index",
        "part of a string is `strings.substr($text, 1, 3)`, after `import \"strings\"`; a list has no slices",
    ),
    Known::new(
        "«parseInt ( VALUE )»",
        "MCL has no `parseInt`",
        "this looks like JavaScript",
        "write `convert.str_to_int({1})`, after `import \"convert\"`",
    )
    .covers(Cover::Match),
    Known::new(
        "«parseFloat ( VALUE )»",
        "MCL has no `parseFloat`",
        "this looks like JavaScript",
        "write `convert.str_to_float({1})`, after `import \"convert\"`",
    )
    .covers(Cover::Match),
    Known::new(
        "«builtins ~ . ~ readFile» …?",
        "MCL has no `builtins`",
        NIX,
        "a file of the program is read with `deploy.readfile(\"/name\")`, after `import \"deploy\"`",
    ),
    Known::new("«builtins ~ . ~ WORD» …?", "MCL has no `builtins`", NIX, "`mclive docs functions` lists the functions"),
    Known::new(
        "«lib ~ . ~ mkIf» …?",
        "MCL has no `lib`",
        NIX,
        "write the condition around the resource, `if $condition { … }`, or `if $condition { … } else { … }` as a value",
    ),
    Known::new(
        "«mkIf VALUE» …",
        "MCL has no `mkIf`",
        NIX,
        "write the condition around the resource, `if {1} { … }`, or `if {1} { … } else { … }` as a value",
    ),
    Known::new("«mkDefault/mkForce VALUE» …?", "MCL has no `{1}`", NIX, "write only the value: `{2}`"),
    Known::new(
        "=/=>/(/,/[ «lib ~ . ~ CAMEL» …",
        "MCL has no `lib`",
        NIX,
        "`mclive docs functions` lists the functions",
    ),
    Known::new(
        "=/=>/,/[ «pkgs ~ . ~ WORD» ,/]/;",
        "MCL has no `pkgs`",
        NIX,
        "the name of a package is a string: `\"{2}\"`",
    )
    .edit("\"{2}\"")
    .covers(Cover::Match),
    Known::new(
        "=/=>/(/, «{ WORD , WORD …? } :» …",
        "a function is written with `func`",
        NIX,
        "write `func({2:var}, {3:var}) { … }`; a parameter has no default value",
    ),
    Known::new(
        "=/=>/(/, «./.. ~ / …» ,? EOL",
        "a path is a string",
        "missing quotes around the path",
        "write an absolute path, `\"/{3}\"`; a file of the program is read with `deploy.readfile(\"/{3}\")`, after \
         `import \"deploy\"`",
    ),
    Known::new(
        "=/=>/(/,/[ «CAMEL» ~ (",
        "cannot find function `{2}`",
        "names have no capital letters",
        "`mclive docs functions` lists the functions, as in `strings.to_upper($text)`",
    ),
    Known::new(
        "LINE WORD / … «:» EOL",
        "a block is written in braces",
        "this looks like YAML",
        "write `{1} \"/{2}\" { … }`, with each field as `name => value,`",
    )
    .covers(Cover::Indented),
    Known::new(
        "=/=> «VALUE ? VALUE : VALUE ? VALUE : VALUE» ,? EOL",
        "MCL has no `? :`",
        "not an MCL operator",
        "write `if {2} { {3} } else { if {4} { {5} } else { {6} } }`",
    )
    .edit("if {2} { {3} } else { if {4} { {5} } else { {6} } }"),
    Known::new(
        "VAR/WORD/]/) ~ . ~ «reduce |» …?",
        "values have no methods",
        "this looks like Puppet",
        "write `iter.reduce($start, $list, func($acc, $x) { … })`, after `import \"iter\"`",
    ),
    Known::new(
        "LINE class NAME ( … «,» ^ {",
        "missing `)` after the parameters",
        "expected another parameter or `)`",
        "write `class {1}({2}) { … }`",
    )
    .edit(")")
    .covers(Cover::Match),
    Known::new(
        "LINE func NAME ( … «,» ^ {",
        "missing `)` after the parameters",
        "expected another parameter or `)`",
        "write `func {1}({2}) { … }`",
    )
    .edit(")")
    .covers(Cover::Match),
    Known::new(
        "=> VALUE «?:» ^ ,",
        "missing value after `?:`",
        "expected a value after this",
        "write the value that the field has under this condition: `{1} ?: value,`",
    )
    .covers(Cover::Match),
];
