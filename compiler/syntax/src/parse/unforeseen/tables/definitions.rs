//! Variables, types and classes of other languages.

use super::super::Mistake;
use super::super::cover::Cover;
use super::super::rewrite;

const NOT: &str = "not an MCL statement";
const BLOCK: &str = "begin the block with `{`, and end it with `}` on a separate line";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::written(
        "=/=>/(/,/+ «VAR ~ - ~ FREE» ^",
        "missing `$` before the variable `{3}`",
        "variables begin with `$`",
        rewrite::difference,
    )
    .edit("{2} - ${3}")
    .covers(Cover::Match),
    Mistake::new(
        "=/=>/(/,/+ «VAR ~ - ~ FREE» ^",
        "names cannot contain hyphens",
        "not a valid variable name",
        "write `{2}_{3}`; subtraction needs spaces, as in `{2} - ${3}`",
    )
    .edit("{2}_{3}")
    .covers(Cover::Match),
    Mistake::new(
        "LINE «VAR ~ - ~ FREE» =",
        "names cannot contain hyphens",
        "not a valid variable name",
        "write `{1}_{2}`",
    )
    .edit("{1}_{2}")
    .covers(Cover::Match),
    Mistake::new(
        "LINE NAME «VAR ~ - ~ FREE» ^",
        "names cannot contain hyphens",
        "not a valid variable name",
        "write `{2}_{3}`",
    )
    .edit("{2}_{3}")
    .covers(Cover::Match),
    Mistake::new(
        "LINE «func main ( )» {",
        "a program has no main function",
        NOT,
        "write the statements outside of a function",
    ),
    Mistake::new(
        "LINE «int/void/public main (» …",
        "a program has no main function",
        NOT,
        "write the statements outside of a function",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «public/private/protected static? WORD» …? {",
        "MCL has no `{1}`",
        NOT,
        "write the statements outside of a function; write a function as `func name($x) { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «enum CAP» …?",
        "MCL has no `enum`",
        NOT,
        "write each value as a string, as in `$color = \"red\"`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «type FREE» = …",
        "types have no names",
        NOT,
        "write the type where it is used, as in `$x struct{name str; port int} = …`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «type CAP» …",
        "types have no names",
        NOT,
        "write the type where it is used, as in `$x struct{name str; port int} = …`",
    ),
    Mistake::new(
        "LINE «struct/enum/interface/trait/impl/object CAP» …?",
        "MCL has no `{1}`",
        NOT,
        "write a value with fields as `struct{name => \"…\", port => 80}`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «class CAP/NAME ( …? ) :» EOL",
        "MCL has no classes with methods",
        NOT,
        "group statements in a class: `class name { … }`, and `include name`",
    )
    .covers(Cover::Indented),
    Mistake::new("LINE class CAP/NAME «:» EOL", "missing `{`", "expected `{`", BLOCK).covers(Cover::Indented),
    Mistake::new(
        "LINE «class {» STR/NAME …?",
        "classes are included by name",
        "expected a name",
        "write `include name`, with the arguments in order: `include name(80)`",
    ),
    Mistake::new(
        "LINE «CAP» {",
        "MCL has no resource defaults",
        "expected `[`",
        "set the fields in each resource, from a variable if they are the same",
    ),
    Mistake::new(
        "LINE class NAME «extends/implements/< NAME» {",
        "MCL has no inheritance",
        "expected `{`",
        "write `include {3}` in the class",
    ),
    Mistake::new("LINE VAR «<-» …", "expected `=`, found `<-`", "this looks like R", "replace `<-` with `=`").edit("="),
    Mistake::new("LINE «NAME <-» …", "expected `=`, found `<-`", "this looks like R", "write `{1:var} = …`"),
    Mistake::new(
        "LINE VAR «? ~ =» …",
        "MCL has no `?=`",
        "not an MCL operator",
        "write `{1} = …`: a variable has one value",
    )
    .edit("="),
    Mistake::new(
        "LINE VAR = «NUM ~ , ~ NUM» EOL",
        "numbers have no separators",
        "unexpected `,`",
        "write only the number: `{2}{3}`",
    )
    .edit("{2}{3}"),
    Mistake::new(
        "LINE VAR = «VALUE , VALUE» EOL",
        "several values must be in a list",
        "expected one value",
        "write `{1} = [{2}, {3}]`",
    )
    .edit("[{2}, {3}]"),
    Mistake::new(
        "«CAP << ~ |» …?",
        "MCL has no resource collectors",
        "expected `[`",
        "declare a resource that another host exports by its kind and name: `collect file \"/srv/key\" {}`",
    ),
    Mistake::new(
        "«CAP < |» …?",
        "MCL has no resource collectors",
        "expected `[`",
        "write an edge for each resource: `Kind[\"name\"] -> Kind[\"name\"]`",
    ),
    Mistake::new(
        "LINE «@ ~ @? ~ NAME» {/STR",
        "MCL has no virtual resources",
        NOT,
        "write the resource in a class, and `include` the class where it is needed; an \
         exported resource has `Meta:export => [\"*\"],`",
    ),
    Mistake::new("LINE «@ ~ WORD» …?", "MCL has no decorators", NOT, "remove the line"),
    Mistake::new(
        "LINE «$const/$let/$var/$def/$local/$my WORD» = …",
        "variables are defined without a keyword",
        "expected one name",
        "write `{2:var} = …`",
    )
    .edit("{2:var}"),
    Mistake::new(
        "LINE «let mut WORD» …?",
        "MCL has no `let`",
        "variables are defined without a keyword",
        "write `{1:var} = …`: a variable cannot be changed",
    ),
    Mistake::new(
        "LINE «set VAR» NUM/STR/VAR/WORD …? ;? EOL",
        "MCL has no `set`",
        "variables are defined without a keyword",
        "write `{1} = …`",
    ),
    Mistake::new(
        "LINE «CAP +=» …",
        "a variable cannot be changed",
        NOT,
        "define another variable: `$next = {1:var} + …`",
    ),
    Mistake::new(
        "LINE «let/const/var/val/final/local WORD : WORD =»",
        "MCL has no `{1}`",
        "variables are defined without a keyword",
        "write `${2} = …`; a type follows the name, as in `$x int = 1`",
    ),
    Mistake::new(
        "LINE «var/let WORD WORD =»",
        "MCL has no `{1}`",
        "variables are defined without a keyword",
        "write `${2} = …`; a type follows the name, as in `$x int = 1`",
    ),
    Mistake::new(
        "LINE «let/var/const WORD ;?» EOL",
        "MCL has no `{1}`",
        "variables are defined without a keyword",
        "write `${2} = …`: a variable always has a value",
    ),
    Mistake::new(
        "LINE «let/const/var {/[ …? }/] =»",
        "variables are defined without a keyword",
        NOT,
        "define each variable in a separate statement",
    ),
    Mistake::new(
        "LINE «const/var/let/type (» EOL",
        "MCL has no `{1}`",
        NOT,
        "define each variable in a separate statement: `$name = …`",
    )
    .covers(Cover::Until(")")),
    Mistake::new(
        "LINE «let» EOL",
        "MCL has no `let … in`",
        NOT,
        "define each variable in a separate statement: `$name = …`",
    )
    .covers(Cover::Until("in")),
    Mistake::new("LINE «with VALUE ;» …?", "MCL has no `with`", NOT, "write the full name, as in `module.name`"),
    Mistake::new(
        "LINE «WORD , WORD …? :=/=» …",
        "each variable is defined separately",
        "expected a single variable",
        "write `${1} = …`; for a fallback if it fails, use `<|>`",
    ),
    Mistake::new(
        "LINE «( …? ) =» …",
        "each variable is defined separately",
        "expected a single variable",
        "define each variable in a separate statement",
    ),
    Mistake::new(
        "LINE VAR = VAR «=» …",
        "each variable is defined separately",
        "unexpected `=`",
        "write `{1} = …` and `{2} = …` in separate statements",
    ),
    Mistake::new(
        "LINE VAR = WORD «=» …",
        "each variable is defined separately",
        "unexpected `=`",
        "write `{1} = …` and `${2} = …` in separate statements",
    ),
    Mistake::new(
        "LINE ^ «CAPVAR» = …?",
        "names cannot contain capital letters",
        "not a valid variable name",
        "write `{1:var} = …`",
    )
    .edit("{1:var}")
    .covers(Cover::Match),
    Mistake::new(
        "LINE VAR «[ str/string/int/integer/float/bool ]» =",
        "list types are written `[]T`",
        "expected `]`",
        "write `{1} []{2} = …`, with the type `str`, `int`, `float` or `bool` of the elements",
    ),
    Mistake::new(
        "LINE if «WORD := …? ;» …",
        "a condition cannot have a statement before it",
        "this looks like Go",
        "define the variable before the `if`: `${1} = …`",
    ),
    Mistake::new("@edge LINE «CAP =» EOL", "missing value", "expected a value after this", "write `{1:var} = …`"),
    Mistake::new(
        "@edge LINE «CAP» = …",
        "variables begin with `$` and have no capital letters",
        "expected a variable",
        "write `{1:var} = …`",
    )
    .edit("{1:var}"),
    Mistake::new(
        "LINE VAR «:» str/int/float/bool =",
        "the type follows the name without a colon",
        "unexpected `:`",
        "write `{1} {2} = …`",
    )
    .edit(""),
    Mistake::new(
        "LINE VAR «:» WORD/[ …? = …",
        "the type follows the name without a colon",
        "unexpected `:`",
        "the types are `bool`, `str`, `int`, `float`, `[]T`, `map{K: V}` and `struct{…}`, as in `{1} str = …`",
    ),
    Mistake::new(
        "LINE «WORD : str/int/float/bool» =",
        "the type follows the name without a colon",
        "expected a variable",
        "write `${1} {2} = …`",
    )
    .edit("${1} {2}"),
    Mistake::new("LINE «Integer VAR» =", "the type follows the name", "expected a variable", "write `{1} int = …`")
        .edit("{1} int"),
    Mistake::new("LINE «String VAR» =", "the type follows the name", "expected a variable", "write `{1} str = …`")
        .edit("{1} str"),
    Mistake::new("LINE «Boolean VAR» =", "the type follows the name", "expected a variable", "write `{1} bool = …`")
        .edit("{1} bool"),
    Mistake::new(
        "LINE «CAP VAR/STR» {",
        "a resource is declared in lower case",
        "expected a kind in lower case",
        "write `{1:declared} {2} { … }`",
    )
    .edit("{1:declared} {2}")
    .covers(Cover::Match),
    Mistake::new(
        "LINE «CAP VAR» =",
        "the type follows the name",
        "expected a variable",
        "write `{2} str = …`, or leave out the type",
    ),
    Mistake::new(
        "LINE «WORD . WORD …? =» …",
        "only a variable can be defined",
        "a name with a dot",
        "write a variable as `$name = value`, and a resource as `kind \"name\" { field => value, }`",
    ),
    Mistake::new(
        "LINE «VAR . push/append/add/extend/insert» (",
        "a variable cannot be changed",
        "a call is not a statement",
        "define another variable: `$more = list.concat({1}, [\"…\"])`, after `import \"list\"`",
    ),
    Mistake::new(
        "LINE «VAR [ … ] =» …",
        "a variable cannot be changed",
        "expected `=`",
        "write all values where the variable is defined",
    ),
    Mistake::new(
        "LINE «NAME [ … ] =» …",
        "only a variable can be defined",
        "a part of a value",
        "write a variable as `$name = value`: write all values where it is defined, as in `$name = {\"a\" => 1}`",
    ),
    Mistake::new(
        "LINE «VAR -> WORD =» …",
        "a variable cannot be changed",
        "expected `=`",
        "write all fields where the variable is defined",
    ),
    Mistake::new(
        "LINE «VAR . WORD» (",
        "a call is not a statement",
        "values have no methods",
        "assign the result to a variable, and pass the value to a function: `$result = function({1})`",
    ),
    Mistake::new(
        "LINE «VAR . WORD =» …",
        "a variable cannot be changed",
        "expected `=`",
        "write all fields where the variable is defined",
    ),
    Mistake::new(
        "LINE «func ( WORD */WORD …? )» WORD (",
        "functions do not belong to types",
        "this looks like Go",
        "write `func {4}($value) { … }`",
    ),
    Mistake::new(
        "«function/fn/fun (» …? ) {",
        "functions are defined with `func`",
        "expected `func`",
        "write `func($x) { … }`: its body is one expression",
    ),
    Mistake::new(
        "func NAME? ( «* *? WORD» ,/)",
        "functions have a fixed number of parameters",
        "expected `$`",
        "write each parameter, or take a list: `func($list) { … }`",
    ),
    Mistake::new(
        "LINE func NAME ( «NAME int/str/float/bool» ) …? {",
        "parameters begin with `$`",
        "expected `$`",
        "write `${2} {3}`; the body of a function is one expression, without `return`",
    )
    .edit("${2} {3}"),
    Mistake::new(
        "LINE func NAME ( «NAME int/str/float/bool , NAME int/str/float/bool» ) …? {",
        "parameters begin with `$`",
        "expected `$`",
        "write `${2} {3}, ${4} {5}`; the body of a function is one expression, without `return`",
    )
    .edit("${2} {3}, ${4} {5}"),
    Mistake::new(
        "LINE func NAME ( «NAME» WORD/[/* …? ) …? {",
        "parameters begin with `$`",
        "expected `$`",
        "write `func {1}(${2}, …) { … }`: its body is one expression, without `return`",
    ),
    Mistake::new("«func ( NAME» ,/)/:", "parameters begin with `$`", "expected `$`", "write `func(${1}) { … }`"),
];
