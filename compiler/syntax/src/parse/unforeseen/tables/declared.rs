//! Variables, as other languages declare, change and remove them.

use super::super::Mistake;
use super::super::cover::Cover;

const NAME: &str = "variables are defined without a keyword";
const NOT: &str = "not an MCL statement";
const TWICE: &str = "expected a single variable";

pub(super) const TABLE: &[Mistake] = &[
    Mistake::new(
        "LINE «readonly/local/const/let/var/val/final/static/my/declare/typeset CAP ~? =» ATOM ;? EOL",
        "MCL has no `{1}`",
        NAME,
        "write `{2:var} = {3}`",
    ),
    Mistake::new(
        "LINE «readonly/local/const/let/var/val/final/static/my/declare/typeset CAP =» …",
        "MCL has no `{1}`",
        NAME,
        "write `{2:var} = …`",
    ),
    Mistake::new("LINE «readonly/declare/typeset WORD =» …", "MCL has no `{1}`", NAME, "write `{2:var} = …`"),
    Mistake::new(
        "LINE «declare/typeset/local/readonly - ~ WORD WORD» …?",
        "MCL has no `{1}`",
        NAME,
        "write `{3:var} = …`: a list is `[\"a\", \"b\"]`, a map `{\"a\" => 1}`",
    ),
    Mistake::new(
        "LINE «param VAR» = …",
        "MCL has no `param`",
        NAME,
        "a class has its parameters in parentheses: `class name({1}) { … }`",
    )
    .more("parameters have no default values: write the value in the `include`"),
    Mistake::new("LINE «param WORD WORD? =» …", "MCL has no `param`", NAME, "write `{1:var} = …`")
        .more("read a value from the environment with `sys.getenv(\"NAME\")`, after `import \"sys\"`"),
    Mistake::new(
        "LINE «unset/del/delete/undef VAR/WORD» …? EOL",
        "a variable cannot be removed",
        NOT,
        "remove the line: a variable keeps its value",
    ),
    Mistake::new(
        "LINE «global/nonlocal VAR/WORD» EOL",
        "MCL has no `{1}`",
        NOT,
        "remove the line: the variables of the enclosing blocks are visible here",
    ),
    Mistake::new(
        "LINE «my/our/local % ~ WORD =» …",
        "MCL has no `{1}`",
        NAME,
        "write a map as `{2:var} = {\"a\" => 1, \"b\" => 2}`",
    ),
    Mistake::new(
        "LINE «my/our/local @ ~ WORD =» …",
        "MCL has no `{1}`",
        NAME,
        "write a list as `{2:var} = [\"a\", \"b\"]`",
    ),
    Mistake::new(
        "LINE «@ ~ WORD = (» …",
        "variables begin with `$`",
        NAME,
        "write a list as `{1:var} = [\"a\", \"b\"]`",
    ),
    Mistake::new(
        "LINE «local function WORD (» …",
        "MCL has no `function`",
        "expected `func`",
        "write `func {1}($x) { … }`: its body is one expression",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «export? async function WORD (» …",
        "MCL has no `async`",
        "expected `func`",
        "write `func {1}($x) { … }`: its body is one expression, and resources go outside of it",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «const/let/var/val WORD = async? ( …? ) =>» …",
        "functions are defined with `func`",
        "this looks like JavaScript",
        "write `${2} = func($x) { … }`",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «const/let/var/val WORD = WORD =>» …",
        "functions are defined with `func`",
        "this looks like JavaScript",
        "write `${2} = func(${3}) { … }`",
    ),
    Mistake::new(
        "LINE «const/let/var/val WORD = new Map/Object (» …",
        "MCL has no `new`",
        NAME,
        "write a map as `{2:var} = {\"a\" => 1, \"b\" => 2}`",
    ),
    Mistake::new(
        "LINE «const/let/var/val WORD = new Set/Array (» …",
        "MCL has no `new`",
        NAME,
        "write a list as `{2:var} = [\"a\", \"b\"]`",
    ),
    Mistake::new(
        "LINE «const/let/var/val WORD = new WORD . …",
        "MCL has no `new`",
        NOT,
        "write a resource as `kind \"name\" { field => value, }`, without a variable",
    )
    .covers(Cover::Indented),
    Mistake::new(
        "LINE «WORD , WORD =» …",
        "each variable is defined separately",
        TWICE,
        "write `${1} = …` and `${2} = …` in separate statements",
    ),
    Mistake::new(
        "LINE «[ VAR , VAR ] =» …",
        "each variable is defined separately",
        "expected a single variable",
        "write `{1} = $list[0]` and `{2} = $list[1]` in separate statements",
    ),
    Mistake::new(
        "LINE VAR = VALUE «, VAR =» VALUE EOL",
        "each variable is defined separately",
        "expected the end of the line",
        "write `{1} = {2}` and `{3} = {4}` in separate statements",
    ),
    Mistake::new(
        "LINE «VAR , VAR =» …",
        "each variable is defined separately",
        TWICE,
        "write `{1} = …` and `{2} = …` in separate statements",
    ),
    Mistake::new(
        "LINE «VAR , WORD =» …",
        "each variable is defined separately",
        TWICE,
        "write `{1} = …`; for a fallback if it fails, write `$value <|> $fallback`",
    ),
    Mistake::new(
        "LINE «VAR , WORD/VAR :=» …",
        "each variable is defined separately",
        TWICE,
        "write `{1} = …`; for a fallback if it fails, write `$value <|> $fallback`",
    ),
    Mistake::new(
        "LINE «default/override/normal/node [ …» = …",
        "MCL has no attributes of a node",
        NOT,
        "define a variable: `$port = 80`; write several values as a map, as in `$web = {\"port\" => 80}`",
    ),
    Mistake::new(
        "=/=>/(/, «node/grains/pillar/hostvars/facts [ … ]» ||/or/?? …",
        "MCL has no `{2}`",
        "facts from another tool",
        "define a variable, as in `$port = 80`; facts are functions, such as `os.family()`, after `import \"os\"`",
    ),
    Mistake::new(
        "LINE «node . default/override/normal/set/force_default [» …",
        "MCL has no attributes of a node",
        NOT,
        "define a variable: `$port = 80`; write several values as a map, as in `$web = {\"port\" => 80}`",
    ),
    Mistake::new(
        "LINE «CAP < … > WORD» = …",
        "the type follows the name",
        "this looks like Java",
        "write `{3:var} = …`",
    ),
    Mistake::new("LINE «CAP WORD» = …", "the type follows the name", "this looks like Java", "write `{2:var} = …`"),
];
